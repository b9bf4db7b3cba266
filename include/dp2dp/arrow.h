/* The Arrow C data and stream interfaces. They pass a table between libraries in one process
 * without copying it and without linking to Arrow. The Arrow specification ("The Arrow C data
 * interface" and "The Arrow C stream interface") defines the three structs and the include guards.
 * So this header may be included together with another library's copy of the structs.
 *
 * Ownership of all three structs: the holder of a struct whose `release` is not NULL calls
 * `release` once. The call frees the memory that the struct points to and sets `release` to NULL.
 * To move a struct, copy its bytes and set `release` of the original to NULL. */
#ifndef DP2DP_ARROW_H
#define DP2DP_ARROW_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

/* Bits of ArrowSchema.flags. */
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

/* The type of a column or of a table. A table is a struct of columns. */
struct ArrowSchema {
    const char *format; /* "g": float64, "u": UTF-8 text, "+s": struct */
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *schema);
    void *private_data;
};

/* The values of a column or of a batch of rows. A batch is a struct of columns. */
struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    /* A float64 column has two buffers: validity and values. A text column has three: validity,
     * int32 offsets and bytes. */
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *array);
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

/* Gives batches of rows, one after the other. The callbacks return 0 or an errno value. */
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *stream, struct ArrowSchema *out);
    /* Gets the next batch. At the end of the stream, returns 0 and leaves out->release NULL. */
    int (*get_next)(struct ArrowArrayStream *stream, struct ArrowArray *out);
    /* Returns the message of the last failed call, or NULL. Ownership: the stream owns the message,
     * which is valid until the next call on the stream. */
    const char *(*get_last_error)(struct ArrowArrayStream *stream);
    void (*release)(struct ArrowArrayStream *stream);
    void *private_data;
};

#endif

#ifdef __cplusplus
}
#endif
#endif
