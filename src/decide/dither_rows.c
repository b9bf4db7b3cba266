#include "decide/dither_kernels.h"
#include "decide/sixteen_rows.h"

#if DP2DPI_HAS_AVX2

size_t dp2dpi_dither_rows_decide(const dp2dpi_dither_rows *d, size_t n, const int32_t *groups,
                                 int32_t *which) {
    const int is_wide = dp2dpi_has_avx512();
    const size_t lanes = is_wide ? DP2DPI_SIXTEEN : DP2DPI_LANES;
    const size_t fast = dp2dpi_columns_eights(d->rows, n, d->classes) / lanes * lanes;
    const dp2dpi_dither_kernel *kernels = is_wide ? dp2dpi_dither_avx512 : dp2dpi_dither_avx2;
    return kernels[d->classes - DP2DPI_DITHER_CLASSES_MIN](d, fast, groups, which) ? 0 : fast;
}

#else

/* Never called: this function needs the tables of dp2dpi_group_lookup_tabulate, which fills no
 * tables without AVX2. */
size_t dp2dpi_dither_rows_decide(const dp2dpi_dither_rows *d, size_t n, const int32_t *groups,
                                 int32_t *which) {
    (void)d;
    (void)n;
    (void)groups;
    (void)which;
    return 0;
}

#endif
