/* Words of enums, for readers of files that word their own message. */
#ifndef DP2DPI_BASE_WORDS_H
#define DP2DPI_BASE_WORDS_H

#include <dp2dp/words.h>

/* 0 for a word that is not in the table. */
int dp2dpi_word_find(dp2dp_word_table table, const char *word, int *value);

#endif
