#include "common/json.h"

#include <inttypes.h>
#include <math.h>

#include "common/number.h"

/* Returns the length in bytes of the UTF-8 sequence at c; 0 if the sequence is not valid (overlong,
 * surrogate, truncated, too large). */
static int sequence_length(const unsigned char *c) {
    int length = c[0] < 0x80   ? 1
                 : c[0] < 0xC2 ? 0
                 : c[0] < 0xE0 ? 2
                 : c[0] < 0xF0 ? 3
                 : c[0] < 0xF5 ? 4
                               : 0;
    for (int i = 1; i < length; i++) {
        if ((c[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    int bad = (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xED && c[1] > 0x9F) ||
              (c[0] == 0xF0 && c[1] < 0x90) || (c[0] == 0xF4 && c[1] > 0x8F);
    return bad ? 0 : length;
}

int cli_json_is_text(const char *text) {
    const unsigned char *c = (const unsigned char *)text;
    int length = 1;
    for (; *c != '\0' && length > 0; c += length) {
        length = sequence_length(c);
    }
    return length > 0;
}

static void write_string(FILE *stream, const char *text) {
    int length;
    fputc('"', stream);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c += length + !length) {
        length = sequence_length(c);
        if (length == 0) {
            fputs("\\ufffd", stream);
        } else if (*c < 0x20 || *c == 0x7F) {
            fprintf(stream, "\\u%04x", (unsigned)*c);
        } else {
            fputs(*c == '"' || *c == '\\' ? "\\" : "", stream);
            fwrite(c, 1, (size_t)length, stream);
        }
    }
    fputc('"', stream);
}

static void start_line(cli_json *json) {
    fprintf(json->stream, "\n%*s", 2 * json->depth, "");
}

static void start_member(cli_json *json, const char *key) {
    if (!json->empty) {
        fputc(',', json->stream);
    }
    start_line(json);
    json->empty = 0;
    if (key) {
        write_string(json->stream, key);
        fputs(": ", json->stream);
    }
}

static void descend(cli_json *json, const char *key, int bracket) {
    start_member(json, key);
    fputc(bracket, json->stream);
    json->depth++;
    json->empty = 1;
}

static void ascend(cli_json *json, int bracket) {
    json->depth--;
    if (!json->empty) {
        start_line(json);
    }
    fputc(bracket, json->stream);
    json->empty = 0;
}

cli_json cli_json_begin(FILE *stream) {
    fputc('{', stream);
    return (cli_json) {.stream = stream, .depth = 1, .empty = 1};
}

void cli_json_end(cli_json *json) {
    ascend(json, '}');
    fputc('\n', json->stream);
}

void cli_json_open_object(cli_json *json, const char *key) {
    descend(json, key, '{');
}

void cli_json_close_object(cli_json *json) {
    ascend(json, '}');
}

void cli_json_open_array(cli_json *json, const char *key) {
    descend(json, key, '[');
}

void cli_json_close_array(cli_json *json) {
    ascend(json, ']');
}

void cli_json_real(cli_json *json, const char *key, double x) {
    start_member(json, key);
    fputs(isfinite(x) ? cli_number_exact(x).text : "null", json->stream);
}

void cli_json_count(cli_json *json, const char *key, uint64_t n) {
    start_member(json, key);
    fprintf(json->stream, "%" PRIu64, n);
}

void cli_json_text(cli_json *json, const char *key, const char *text) {
    start_member(json, key);
    if (text) {
        write_string(json->stream, text);
    } else {
        fputs("null", json->stream);
    }
}

void cli_json_truth(cli_json *json, const char *key, int truth) {
    start_member(json, key);
    fputs(truth ? "true" : "false", json->stream);
}

void cli_json_texts(cli_json *json, const char *key, const char *const *texts, size_t count) {
    cli_json_open_array(json, key);
    for (size_t i = 0; i < count; i++) {
        cli_json_text(json, NULL, texts[i]);
    }
    cli_json_close_array(json);
}

void cli_json_reals(cli_json *json, const char *key, const double *values, size_t count) {
    cli_json_open_array(json, key);
    for (size_t i = 0; i < count; i++) {
        cli_json_real(json, NULL, values[i]);
    }
    cli_json_close_array(json);
}

void cli_json_table(cli_json *json, const char *key, const double *values, size_t rows,
                    size_t columns) {
    cli_json_open_array(json, key);
    for (size_t i = 0; i < rows; i++) {
        cli_json_reals(json, NULL, values + i * columns, columns);
    }
    cli_json_close_array(json);
}
