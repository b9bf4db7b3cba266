/* What the files that read and write models share.
 *
 * model_words.c      the words of enums
 * model_seal.c       the checksum
 * model_check.c      what must hold of a model, read or about to be written
 * model_phase1.c     the same, and text in, for its classifier
 * model_to_json.c    text out
 * model_reader.c     members of a JSON object
 * model_from_json.c  text in
 * model_file.c       the file */
#ifndef DP2DPI_IO_MODEL_JSON_H
#define DP2DPI_IO_MODEL_JSON_H

#include <dp2dp/model.h>

#include "base/error.h"

#define DP2DPI_MODEL_FORMAT "dp2dp-model"
#define DP2DPI_MODEL_RULE "offset" /* the kind of rule this library knows */
#define DP2DPI_MODEL_INFINITY "infinity"
#define DP2DPI_MODEL_WEIGHT_MAX 1e100 /* no sum over features overflows */

enum {
    DP2DPI_MODEL_MAJOR = 1,
    DP2DPI_MODEL_MINOR = 1,
    DP2DPI_MODEL_SIZE_MAX = 4096 /* groups, and classes */
};

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

/* Puts the checksum into a text of dp2dpi_json_dump, as the last member of its object. The checksum
 * is the SHA-256 of the sealed text without the line that holds it. Ownership: *text is freed and
 * replaced; after failure it is still the old one. */
dp2dp_status dp2dpi_model_seal(char **text, size_t *length, dp2dp_error *error);
/* DATA where a byte is not what it was when the text was sealed. */
dp2dp_status dp2dpi_model_check_seal(const char *text, size_t length, dp2dp_error *error);

/* Everything that must hold of a model but its ε: ARGUMENT, and the message names the member of the
 * text. Where the offsets have not been published yet, they are checked as they are. */
dp2dp_status dp2dpi_model_check(const dp2dp_model_info *info, dp2dp_error *error);
/* The part of that about the classifier. */
dp2dp_status dp2dpi_model_check_phase1(const dp2dp_model_info *info, dp2dp_error *error);
/* A library version; member is its name. */
dp2dp_status dp2dpi_model_check_library(const char *member, const char *version,
                                        dp2dp_error *error);
/* ε as stated is not below what the ledger gives. */
dp2dp_status dp2dpi_model_check_epsilon(const dp2dp_model_info *info, dp2dp_error *error);

#endif
