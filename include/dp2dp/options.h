/* Structs that may get new fields in later versions, and tables that describe their options.
 *
 * Such a struct begins with struct_size, the sizeof that the caller was compiled with. New fields
 * are only added at the end. Start from the struct's INIT macro, which sets every default:
 *
 *     dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
 *
 * If the caller's struct lacks a field that the library has, the library uses the field's default.
 * If the caller's struct has fields that the library does not know, they must be zero; otherwise
 * the library refuses the struct. */
#ifndef DP2DP_OPTIONS_H
#define DP2DP_OPTIONS_H

#include <stddef.h>

#include <dp2dp/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dp2dp_struct {
    DP2DP_STRUCT_EVENT = 1,
    DP2DP_STRUCT_LAST_ITERATE = 2,
    DP2DP_STRUCT_POOL_OPTIONS = 3,
    DP2DP_STRUCT_SOURCE = 4,
    DP2DP_STRUCT_FIT_OPTIONS = 5,
    DP2DP_STRUCT_TRAIN_OPTIONS = 6,
    DP2DP_STRUCT_PREDICT_OPTIONS = 7,
    DP2DP_STRUCT_EVALUATE_OPTIONS = 8,
    DP2DP_STRUCT_CERTIFY_OPTIONS = 9,
    DP2DP_STRUCT_CERTIFICATE = 10,
    DP2DP_STRUCT_TABLE_OPTIONS = 11,
    DP2DP_STRUCT_ENTRY_INFO = 12,
    DP2DP_STRUCT_REPORT_OPTIONS = 13,
    DP2DP_STRUCT_EXPORT_OPTIONS = 14,
    DP2DP_STRUCT_COUNTS_OPTIONS = 15,
    DP2DP_STRUCT_POOL_COLUMNS = 16,
    DP2DP_STRUCT_GRADIENT_QUESTION = 17,
    DP2DP_STRUCT_GRADIENT_SOURCE = 18,
    DP2DP_STRUCT_EXPLAIN_OPTIONS = 19
} dp2dp_struct;

/* Fills the `size` bytes of a struct with its defaults. Fields that this library does not know
 * become zero. The INIT macros pass the caller's own size. */
DP2DP_API void dp2dp_struct_init(dp2dp_struct which, void *object, size_t size);

/* Defines type_default(), which the type's INIT macro calls. */
#define DP2DP_DEFINE_DEFAULT(type, which)                 \
    static inline type type##_default(void) {             \
        type object;                                      \
        dp2dp_struct_init(which, &object, sizeof object); \
        return object;                                    \
    }

typedef enum dp2dp_option_type {
    DP2DP_OPTION_REAL = 1, /* the field is a double; INFINITY is allowed if max is INFINITY */
    DP2DP_OPTION_COUNT = 2 /* the field is a uint64_t */
} dp2dp_option_type;

/* Describes one numeric option, for parsers, help texts and checks. */
typedef struct dp2dp_option {
    const char *name; /* name of the field, for example "rows_per_person" */
    dp2dp_option_type type;
    size_t offset; /* bytes from the start of the struct to the field */
    /* NAN if the option has no default. Private solvers and methods need epsilon and delta, which
     * have no default, from the caller. scores_epsilon and scores_delta may stay NAN. */
    double default_value;
    double min, max;
    int min_open, max_open; /* 1 if the bound itself is not allowed */
    const char *used_by;    /* the solvers or methods that use the option, for example "sgd|counts";
                               NULL if all do */
    const char *help;
} dp2dp_option;

/* Returns the numeric options of a struct, in the order of its fields, and sets *count to their
 * number. Returns NULL and sets *count to 0 if the struct has none. Ownership: the table is static.
 */
DP2DP_API const dp2dp_option *dp2dp_options(dp2dp_struct which, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
