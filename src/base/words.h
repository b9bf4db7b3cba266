/* Looks up the words of enums, for file readers that write their own error messages. */
#ifndef DP2DPI_BASE_WORDS_H
#define DP2DPI_BASE_WORDS_H

#include <dp2dp/words.h>

/* Sets *value to the value of a word. Returns 0 if the word is not in the table. */
int dp2dpi_word_find(dp2dp_word_table table, const char *word, int *value);

#endif
