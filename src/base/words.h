/* Looks up words of enums, for readers of files that write their own message. */
#ifndef DP2DPI_BASE_WORDS_H
#define DP2DPI_BASE_WORDS_H

#include <dp2dp/words.h>

/* 0 if the word is not in the table. */
int dp2dpi_word_find(dp2dp_word_table table, const char *word, int *value);

#endif
