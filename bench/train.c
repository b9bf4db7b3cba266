/* How long training takes, and how much memory it needs beyond the rows.
 *     bench_train [METHOD [ROWS [THREADS [CLASSES [FOLDER [TABLE]]]]]]
 * METHOD is dpgd, dpsgd, output or none, at epsilon 1 and delta 1e-5. The rows are the first of
 * TABLE, a CSV file of the schema adult, or random with the same columns. The rows as float64 (x),
 * the labels (y) and the trained weights (w) are written to FOLDER, so that other tools can be
 * measured on the same rows. "-" stands for no FOLDER and no TABLE. The last line of the output is
 * for scripts: seconds, processor seconds, bytes of the rows, bytes beyond them. */
#include <math.h>
#include <string.h>

#include "phase1/train.h"
#include "timing.h"
#include "training/rows.h"

enum {
    NUMBERS = 6,
    CATEGORIES = 7,
    WIDTH = 102,
    COLUMNS_MAX = 32
};
static const uint32_t levels[CATEGORIES] = {7, 16, 7, 14, 6, 5, 41};

typedef struct data {
    dp2dpi_training all;
    size_t width, classes;
    double norm;
} data;

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL) {
        fputs("bench_train: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static data make_rows(size_t n, size_t classes) {
    data d = {.width = WIDTH, .classes = classes, .norm = 3.0};
    dp2dp_error error;
    uint64_t state = 7;
    dp2dpi_rows *rows = &d.all.rows;
    d.all.labels = allocate(n, sizeof *d.all.labels);
    require(dp2dpi_rows_new(NUMBERS, CATEGORIES, n, rows, &error), &error);
    for (size_t i = 0; i < n; i++) {
        float sum = 0.0F;
        int32_t first = NUMBERS;
        for (size_t j = 0; j < NUMBERS; j++) {
            float x = (float)(next_random(&state) & 0xFFFF) / 32768.0F - 1.0F;
            rows->x[i * NUMBERS + j] = x;
            sum += x;
        }
        for (size_t q = 0; q < CATEGORIES; q++) {
            rows->codes[i * CATEGORIES + q] = first + (int32_t)(next_random(&state) % levels[q]);
            first += (int32_t)levels[q];
        }
        d.all.labels[i] = (int32_t)(sum > 0.0F) + (int32_t)(next_random(&state) % (classes - 1));
        rows->count++;
        dp2dpi_rows_clip(rows, i, d.norm);
    }
    return d;
}

static void encode(const dp2dp_schema *schema, const char *path, struct ArrowArrayStream *out) {
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    dp2dp_table_column columns[COLUMNS_MAX];
    struct ArrowArrayStream table;
    dp2dp_error error;
    for (size_t i = 0; i < info->column_count && options.column_count < COLUMNS_MAX; i++) {
        if (info->columns[i].role == DP2DP_ROLE_FEATURE ||
            info->columns[i].role == DP2DP_ROLE_LABEL) {
            columns[options.column_count++] =
                (dp2dp_table_column) {info->columns[i].name, info->columns[i].type};
        }
    }
    options.columns = columns;
    options.missing = info->markers;
    options.missing_count = info->marker_count;
    require(dp2dp_table_open(path, &options, &table, &error), &error);
    require(dp2dp_schema_encode(schema, DP2DP_PART_FEATURES | DP2DP_PART_LABEL, &table, path, out,
                                &error),
            &error);
}

static data read_rows(const char *path, size_t n) {
    dp2dp_schema *schema = NULL;
    struct ArrowArrayStream stream;
    dp2dp_error error;
    data d = {.classes = 2};
    require(dp2dp_schema_load("adult", &schema, &error), &error);
    encode(schema, path, &stream);
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    require(dp2dpi_training_read(&stream, info, DP2DP_TARGET_LABEL, &d.all, &error), &error);
    d.width = info->width;
    d.norm = info->norm;
    d.all.rows.count = n < d.all.rows.count ? n : d.all.rows.count;
    stream.release(&stream);
    dp2dp_schema_free(schema);
    return d;
}

static void write_file(const char *folder, const char *name, const void *bytes, size_t size,
                       size_t count) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(bytes, size, count, out) != count || fclose(out) != 0) {
        fprintf(stderr, "bench_train: cannot write %s\n", path);
        exit(1);
    }
}

/* A product of two floats is exact in double, so the file has exactly the rows that are trained on.
 */
static void write_rows(const char *folder, const data *d) {
    const dp2dpi_rows *rows = &d->all.rows;
    double *dense = allocate(rows->count * d->width, sizeof *dense);
    for (size_t i = 0; i < rows->count; i++) {
        double scale = (double)rows->scale[i], *to = dense + i * d->width;
        for (size_t j = 0; j < rows->numbers; j++) {
            to[j] = scale * (double)rows->x[i * rows->numbers + j];
        }
        for (size_t q = 0; q < rows->categories; q++) {
            int32_t code = rows->codes[i * rows->categories + q];
            if (code >= 0) {
                to[code] = scale;
            }
        }
    }
    write_file(folder, "x", dense, sizeof *dense, rows->count * d->width);
    write_file(folder, "y", d->all.labels, sizeof(int32_t), rows->count);
    free(dense);
}

static void run(const char *word, const data *d, unsigned threads, double *weights) {
    const dp2dpi_rows *rows = &d->all.rows;
    dp2dp_train_options options = DP2DP_TRAIN_OPTIONS_INIT;
    dp2dp_ledger *ledger = NULL;
    dp2dp_error error;
    options.epsilon = 1.0;
    options.delta = 1e-5;
    options.threads = threads;
    const dp2dpi_examples e =
        dp2dpi_examples_of(rows, d->all.labels, d->width, d->classes, d->norm, threads);
    dp2dp_train_options used;
    require(dp2dp_train_method_parse(word, &options.method, &error), &error);
    require(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &ledger, &error), &error);
    double before = peak_memory(), start = seconds(), processor = cpu_seconds();
    require(dp2dpi_train_resolve(&e, &options, &used, &error), &error);
    require(dp2dpi_train_examples(&e, &used, ledger, weights, &error), &error);
    double took = seconds() - start, busy = cpu_seconds() - processor;
    double beyond = peak_memory() - before;
    double bytes = (double)(rows->count * 4 * (rows->numbers + rows->categories + 2));
    printf("%s: n %zu, width %zu, K %zu, %u threads: %.3f s, %.3f s processor time; memory beyond "
           "the rows and labels: %.2f times their size\n%.6f %.6f %.0f %.0f\n",
           word, rows->count, d->width, d->classes, threads, took, busy, beyond / bytes, took, busy,
           bytes, beyond);
    dp2dp_ledger_free(ledger);
}

int main(int argc, char **argv) {
    const char *folder = argc > 5 && strcmp(argv[5], "-") != 0 ? argv[5] : NULL;
    const char *table = argc > 6 && strcmp(argv[6], "-") != 0 ? argv[6] : NULL;
    size_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 45222;
    unsigned threads = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 2;
    size_t classes = argc > 4 ? strtoull(argv[4], NULL, 10) : 2;
    if (classes < 2 || n < 1) {
        fputs("bench_train: ROWS must be at least 1 and CLASSES at least 2\n", stderr);
        return 1;
    }
    data d = table ? read_rows(table, n) : make_rows(n, classes);
    size_t cells = d.classes * (d.width + 1);
    double *weights = allocate(cells, sizeof *weights);
    run(argc > 1 ? argv[1] : "dpgd", &d, threads, weights);
    if (folder) {
        write_rows(folder, &d);
        write_file(folder, "w", weights, sizeof *weights, cells);
    }
    dp2dpi_training_free(&d.all);
    free(weights);
    return 0;
}
