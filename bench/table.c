/* How fast a table is read.
 *     bench_table FILE [ROUNDS [COLUMN...]]
 * Prints the least wall-clock and processor seconds of several rounds, the most memory that the
 * program held, and a checksum to compare with other readers. FILE "-" is standard input and is
 * read once. A COLUMN has numbers, or text if written text:NAME; the default is all names in the
 * CSV header. */
#include <string.h>
#include <sys/stat.h>

#include "timing.h"

enum {
    COLUMNS_MAX = 256
};

typedef struct outcome {
    double wall, processor;
    int64_t rows;
    uint64_t check; /* the bits of all numbers and the bytes of all texts, added up */
} outcome;

static int fail(const char *message) {
    (void)fprintf(stderr, "bench_table: %s\n", message);
    return 1;
}

static uint64_t add_up(const struct ArrowArray *batch) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < batch->n_children; i++) {
        const void *values = batch->children[i]->buffers[1];
        if (batch->children[i]->n_buffers == 3) {
            sum += (uint64_t)((const int32_t *)values)[batch->length];
            continue;
        }
        for (int64_t row = 0; row < batch->length; row++) {
            sum += ((const uint64_t *)values)[row];
        }
    }
    return sum;
}

static dp2dp_table_column column_of(const char *word) {
    int is_text = strncmp(word, "text:", 5) == 0;
    return is_text ? (dp2dp_table_column) {word + 5, DP2DP_TABLE_TEXT}
                   : (dp2dp_table_column) {word, DP2DP_TABLE_NUMBER};
}

static int read_once(const char *path, const dp2dp_table_options *options, outcome *out) {
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    dp2dp_error error;
    int code;
    *out = (outcome) {.wall = -seconds(), .processor = -cpu_seconds()};
    if (dp2dp_table_open(path, options, &stream, &error) != DP2DP_STATUS_OK) {
        return fail(error.message);
    }
    while ((code = stream.get_next(&stream, &batch)) == 0 && batch.release) {
        out->rows += batch.length;
        out->check += add_up(&batch);
        batch.release(&batch);
    }
    if (code != 0) {
        (void)fail(stream.get_last_error(&stream));
    }
    stream.release(&stream);
    out->wall += seconds();
    out->processor += cpu_seconds();
    return code;
}

/* The column names in the first line of a CSV file. Quotes are not understood. */
static size_t header_of(const char *path, char *line, size_t size, dp2dp_table_column *columns) {
    FILE *in = fopen(path, "r");
    size_t count = 0;
    char *rest = NULL;
    if (in && fgets(line, (int)size, in)) {
        for (char *name = strtok_r(line, ",\r\n", &rest); name && count < COLUMNS_MAX;
             name = strtok_r(NULL, ",\r\n", &rest)) {
            columns[count++] = (dp2dp_table_column) {name, DP2DP_TABLE_NUMBER};
        }
    }
    if (in) {
        (void)fclose(in);
    }
    return count;
}

int main(int argc, char **argv) {
    static char line[1 << 16];
    dp2dp_table_column columns[COLUMNS_MAX];
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    struct stat about;
    if (argc < 2) {
        return fail("usage: bench_table FILE [ROUNDS [COLUMN...]]");
    }
    int rounds = argc > 2 && strcmp(argv[1], "-") != 0 ? atoi(argv[2]) : 1;
    for (int i = 3; i < argc && options.column_count < COLUMNS_MAX; i++) {
        columns[options.column_count++] = column_of(argv[i]);
    }
    options.columns = columns;
    if (options.column_count == 0) {
        options.column_count = header_of(argv[1], line, sizeof line, columns);
    }
    outcome best = {.wall = 1e9, .processor = 1e9}, one;
    for (int i = 0; i < rounds; i++) {
        if (read_once(argv[1], &options, &one) != 0) {
            return 1;
        }
        best.wall = one.wall < best.wall ? one.wall : best.wall;
        best.processor = one.processor < best.processor ? one.processor : best.processor;
        best.rows = one.rows;
        best.check = one.check;
    }
    double bytes = stat(argv[1], &about) == 0 ? (double)about.st_size : 0;
    printf("rows %lld  seconds %.4f  processor %.4f  rate %.0f  memory %.1f  check %llu\n",
           (long long)best.rows, best.wall, best.processor, 1e-6 * bytes / best.wall,
           1e-6 * peak_memory(), (unsigned long long)best.check);
    return 0;
}
