/* A small JSON writer: nested objects and arrays, two spaces per level, numbers that read back
 * exactly. For an item of an array, the argument `key` is NULL. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdint.h>
#include <stdio.h>

typedef struct cli_json {
    FILE *stream;
    int depth;
    int empty; /* 1: the innermost object or array has no member yet */
} cli_json;

cli_json cli_json_begin(FILE *stream);
void cli_json_end(cli_json *json);

void cli_json_open_object(cli_json *json, const char *key);
void cli_json_close_object(cli_json *json);
void cli_json_open_array(cli_json *json, const char *key);
void cli_json_close_array(cli_json *json);

/* Writes a number, or null if the number is not finite. */
void cli_json_real(cli_json *json, const char *key, double x);
void cli_json_count(cli_json *json, const char *key, uint64_t n);
/* Returns whether a text is valid UTF-8. If it is, cli_json_text writes the text unchanged. */
int cli_json_is_text(const char *text);
/* Writes a text, or null if text is NULL. Bytes that are not UTF-8 become U+FFFD. */
void cli_json_text(cli_json *json, const char *key, const char *text);
/* Write an array of texts, an array of numbers, or a table as an array of rows. The table's
 * `values` are stored row by row. */
void cli_json_texts(cli_json *json, const char *key, const char *const *texts, size_t count);
void cli_json_reals(cli_json *json, const char *key, const double *values, size_t count);
void cli_json_table(cli_json *json, const char *key, const double *values, size_t rows,
                    size_t columns);
void cli_json_truth(cli_json *json, const char *key, int truth);

#endif
