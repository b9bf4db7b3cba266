/* DP2DPI_CLONED compiles a function once for each instruction set; the loader picks one of the
 * copies. Builds with the thread sanitizer have a single copy: in such a build the loader would run
 * the code that picks a copy before the sanitizer has started. */
#ifndef DP2DPI_BASE_CLONES_H
#define DP2DPI_BASE_CLONES_H

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__)
#define DP2DPI_HAS_CLONES 1
#if __GNUC__ >= 12
#define DP2DPI_CLONED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define DP2DPI_CLONED __attribute__((target_clones("avx2", "default")))
#endif
#else
#define DP2DPI_CLONED
#endif

#define DP2DPI_INLINE static inline __attribute__((always_inline))

#endif
