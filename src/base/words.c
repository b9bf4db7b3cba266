#include "base/words.h"

#include <string.h>

#include <dp2dp/model.h>

const dp2dpi_word dp2dpi_solver_words[] = {
#define DP2DP_SOLVER(name, value, word) {value, word},
#include <dp2dp/solver.def>
#undef DP2DP_SOLVER
    {0, NULL},
};

const dp2dpi_word dp2dpi_method_words[] = {
#define DP2DP_TRAIN_METHOD(name, value, word) {value, word},
#include <dp2dp/train.def>
#undef DP2DP_TRAIN_METHOD
    {0, NULL},
};

const dp2dpi_word dp2dpi_leak_words[] = {
#define DP2DP_LEAK(name, bit, word, help) {bit, word},
#include <dp2dp/leak.def>
#undef DP2DP_LEAK
    {0, NULL},
};

const dp2dpi_word dp2dpi_rng_words[] = {
    {DP2DP_RNG_SECURE, "secure"},
    {DP2DP_RNG_INSECURE, "insecure"},
    {0, NULL},
};

const dp2dpi_word dp2dpi_row_sums_words[] = {
    {DP2DP_ROW_SUMS_CHECK, "check"},
    {DP2DP_ROW_SUMS_NORMALIZE, "normalize"},
    {0, NULL},
};

const char *dp2dpi_word_of(const dp2dpi_word *table, int value) {
    while (table->word && table->value != value) {
        table++;
    }
    return table->word;
}

int dp2dpi_word_read(const dp2dpi_word *table, const char *word, int *value) {
    while (table->word && strcmp(table->word, word) != 0) {
        table++;
    }
    *value = table->value;
    return table->word != NULL;
}
