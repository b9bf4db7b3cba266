/* Phase 1: from labelled rows to a private probabilistic classifier. */
#ifndef DP2DPI_PHASE1_OPTIONS_H
#define DP2DPI_PHASE1_OPTIONS_H

#include <dp2dp/fit.h>

/* dpgd: noisy gradient descent on all rows. dpsgd: on Poisson samples. output: noise once, on the
 * weights. none: no noise, NOT PRIVATE. */
typedef enum dp2dp_train_method {
#define DP2DP_TRAIN_METHOD(name, value, word) DP2DP_TRAIN_##name = (value),
#include "phase1/options.def"
#undef DP2DP_TRAIN_METHOD
} dp2dp_train_method;

typedef struct dp2dp_train_options {
    size_t struct_size;
    dp2dp_train_method method;
#define DP2DP_TRAIN_NUMBER(name, standard, least, most, meaning) double name;
#define DP2DP_TRAIN_COUNT(name, standard, least, most, meaning) uint64_t name;
#include "phase1/options.def"
#undef DP2DP_TRAIN_NUMBER
#undef DP2DP_TRAIN_COUNT
    dp2dp_rng_kind rng; /* INSECURE: noise from insecure_seed, the model is NOT PRIVATE */
    uint64_t insecure_seed;
    dp2dp_ledger *ledger;    /* charged as well as the model's own; NULL: the model's own only */
    dp2dp_progress progress; /* may be NULL; dpgd and dpsgd: called after every step */
    void *progress_context;
} dp2dp_train_options;

/* Every default of options.def; method `dpgd`, secure noise. epsilon and delta stay unset: the user
 * must choose. */
void dp2dpi_train_options_init(dp2dp_train_options *options);

#endif
