/* The lines that `dp2dp fit --source` and a source exchange; docs/sources.md describes them. Every
 * line is one JSON object. A function that reads a line returns NULL, or words that say what is
 * wrong with the line. These words never repeat anything from the line. */
#ifndef CLI_PROTOCOL_H
#define CLI_PROTOCOL_H

#include <jansson.h>

#include "common/error.h"

/* The first line that the fit sends: it describes the questions that will follow and the privacy
 * that the fit promises. The names are borrowed. */
typedef struct cli_hello {
    const char *const *groups;
    size_t group_count;
    const char *const *classes;
    size_t class_count;
    dp2dp_criterion criterion;
    size_t strata;
    dp2dp_rule rule;
    size_t weights;      /* number of group scores per record; 0 if the rule is not `weighted`, or
                            if the hello does not state the number */
    dp2dp_dither dither; /* the key of the dither is always `scores`; if the width is 0, there is no
                            dither */
    unsigned grid_bits;  /* scores are rounded to multiples of 2^-grid_bits; 0: no rounding */
    uint64_t questions;  /* number of tables that the fit will ask for */
    double epsilon, delta;    /* what the fit promises to each person; INFINITY and NAN if the fit
                                 promises nothing */
    uint64_t rows_per_person; /* 0 if the hello says nothing about privacy */
    dp2dp_rng_kind rng;
    json_t *own; /* owns the names if the hello was read from a line; otherwise NULL */
} cli_hello;

/* The answer of a source to the hello. */
typedef struct cli_promise {
    uint64_t records;
    dp2dp_row_sums row_sums;
    int leaves_out; /* 1: the source's tables have one more cell, the number of records left out */
} cli_promise;

/* The largest number of records that is accepted from one source. */
#define CLI_RECORDS_MAX ((uint64_t)1 << 48)

enum {
    /* The number of the formula that computes the dither. A site whose version of dp2dp has another
     * formula, and so another number, refuses the hello. */
    CLI_DITHER_HASH = 2
};

/* A function that reads a line returns this if the line says that the source cannot answer. */
extern const char cli_protocol_refused[];

/* Returns the length in bytes of the longest line that is accepted if tables have this size. */
size_t cli_protocol_most(size_t strata, size_t classes);

/* Parses a line as a JSON object without duplicate keys. Returns NULL, and sets *fault, if the line
 * is not such an object. Ownership: the caller drops the reference. */
json_t *cli_protocol_parse(const char *text, size_t length, const char **fault);

/* Write a line, with its newline. Ownership: the caller frees *text. */
dp2dp_status cli_hello_write(const cli_hello *hello, char **text, dp2dp_error *error);
dp2dp_status cli_question_write(uint64_t number, const float *offsets, size_t strata,
                                size_t classes, char **text, dp2dp_error *error);
dp2dp_status cli_promise_write(const cli_promise *promise, char **text, dp2dp_error *error);
/* If leaves_out is 1, `table` ends with the number of records left out. */
dp2dp_status cli_table_write(uint64_t number, const int64_t *table, size_t strata, size_t classes,
                             int leaves_out, char **text, dp2dp_error *error);
dp2dp_status cli_refusal_write(const char *words, char **text, dp2dp_error *error);

/* Ownership: the caller frees the hello with cli_hello_free, even after a failure. */
const char *cli_hello_read(const char *text, size_t length, cli_hello *out);
void cli_hello_free(cli_hello *hello);
/* Sets *number to 0 if the line is {"end":…}, which has no offsets. Offsets must be float32
 * values. */
const char *cli_question_read(const char *text, size_t length, size_t strata, size_t classes,
                              uint64_t *number, float *offsets);
const char *cli_promise_read(const char *text, size_t length, cli_promise *out);
/* Reads the answer to question `number` into `table`: strata × classes counts, and then the number
 * of records left out. That number is 0 if promise->leaves_out is 0. Refuses negative counts, and
 * counts that do not sum to promise->records. */
const char *cli_table_read(const char *text, size_t length, uint64_t number,
                           const cli_promise *promise, size_t strata, size_t classes,
                           int64_t *table);

#endif
