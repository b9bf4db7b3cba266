/* The words that stand for enum values in files, options and messages. */
#ifndef DP2DPI_BASE_WORDS_H
#define DP2DPI_BASE_WORDS_H

/* A table of words ends with a NULL word. */
typedef struct dp2dpi_word {
    int value;
    const char *word;
} dp2dpi_word;

extern const dp2dpi_word dp2dpi_solver_words[];
extern const dp2dpi_word dp2dpi_method_words[];
extern const dp2dpi_word dp2dpi_leak_words[];
extern const dp2dpi_word dp2dpi_rng_words[];
extern const dp2dpi_word dp2dpi_row_sums_words[];

/* NULL for a value that is not in the table. */
const char *dp2dpi_word_of(const dp2dpi_word *table, int value);
/* 0 for a word that is not in the table. */
int dp2dpi_word_read(const dp2dpi_word *table, const char *word, int *value);

#endif
