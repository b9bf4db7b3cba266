#include "table/csv_halves.h"

#include <string.h>

#include "table/csv_block.h"
#include "table/csv_scan.h"

enum {
    BYTES_LEAST = 1 << 18 /* for fewer bytes, a second thread is not worth its cost */
};

typedef struct part {
    dp2dpi_csv csv;
    dp2dpi_input input;
    dp2dpi_batch *batch;
    size_t limit; /* end of this half: only records that begin before this position are read */
    dp2dp_error error;
    dp2dpi_csv_step step;
} part;

static void read_part(void *context, size_t index) {
    part *p = (part *)context + index;
    p->step = DP2DPI_CSV_DONE;
    while (p->step == DP2DPI_CSV_DONE && p->input.start < p->limit &&
           !dp2dpi_batch_is_full(p->batch)) {
        if (dp2dpi_csv_take_block(&p->csv, p->batch, p->limit) == 0) {
            p->step = dp2dpi_csv_take_record(&p->csv, p->batch);
        }
    }
}

static void prepare(part *p, const dp2dpi_csv *csv, dp2dpi_batch *batch, size_t start,
                    size_t limit) {
    *p = (part) {.csv = *csv, .batch = batch, .limit = limit};
    /* Copies only these fields of csv->input, because the thread that reads ahead uses the other
     * fields. */
    p->input = (dp2dpi_input) {.name = csv->input->name,
                               .buffer = csv->input->buffer,
                               .start = start,
                               .end = csv->input->end};
    p->csv.input = &p->input;
    p->csv.error = &p->error;
}

/* Estimates, from the rows so far, how many bytes of CSV fill two batches. Returns the position
 * after a line end near the middle of these bytes; *limit is the end of these bytes. Returns 0 if
 * there are too few bytes for two threads. */
static size_t find_middle(const dp2dpi_csv *csv, const dp2dpi_batch *batch, size_t *limit) {
    const dp2dpi_input *input = csv->input;
    double room =
        1.8 * (double)batch->capacity * (double)csv->progress.bytes / (double)csv->progress.rows;
    size_t all = input->end - input->start;
    all = (double)all < room ? all : (size_t)room;
    if (all < BYTES_LEAST) {
        return 0;
    }
    const char *middle = input->buffer + input->start + all / 2;
    const char *found = memchr(middle, '\n', all - all / 2);
    *limit = input->start + all;
    return found ? (size_t)(found + 1 - input->buffer) : 0;
}

/* Keeps the rows of the first half. If neither half failed and the first half ended where the
 * second began, keeps the rows of the second half too and returns 1. Otherwise returns 0. */
static int join(dp2dpi_csv *csv, const part parts[2], size_t middle) {
    const dp2dpi_csv_progress before = csv->progress;
    const dp2dpi_csv_progress *first = &parts[0].csv.progress, *second = &parts[1].csv.progress;
    csv->input->start = parts[0].input.start;
    csv->progress = *first;
    if (parts[0].step != DP2DPI_CSV_DONE || csv->input->start != middle || first->empty_line ||
        parts[1].step == DP2DPI_CSV_FAILED || second->empty_line || csv->spare.rows == 0) {
        dp2dpi_batch_free(&csv->spare);
        csv->spare.rows = 0;
        return 0;
    }
    csv->input->start = parts[1].input.start;
    csv->progress.line += second->line - 1;
    csv->progress.rows += second->rows - before.rows;
    csv->progress.bytes += second->bytes - before.bytes;
    return 1;
}

dp2dp_status dp2dpi_csv_split(dp2dpi_csv *csv, dp2dpi_batch *batch, int *is_done) {
    part parts[2];
    size_t limit, middle = csv->progress.rows > 0 ? find_middle(csv, batch, &limit) : 0;
    *is_done = 0;
    if (middle == 0) {
        return DP2DP_STATUS_OK;
    }
    if (csv->workers == NULL) {
        unsigned threads = dp2dpi_threads(0) > 1 ? 2 : 1;
        DP2DPI_TRY(dp2dpi_thread_pool_new(threads, &csv->workers, csv->error));
    }
    if (csv->spare.array.release == NULL) {
        DP2DPI_TRY(
            dp2dpi_batch_new(csv->layout, csv->options->chunk_rows, &csv->spare, csv->error));
    }
    prepare(&parts[0], csv, batch, csv->input->start, middle);
    prepare(&parts[1], csv, &csv->spare, middle, limit);
    /* join() corrects this line number. It must not be 0, because empty_line may be set to it, and
     * an empty_line of 0 means "none". */
    parts[1].csv.progress.line = 1;
    dp2dpi_csv_find_numbers(&parts[0].csv, csv->numbers[0], batch);
    dp2dpi_csv_find_numbers(&parts[1].csv, csv->numbers[1], &csv->spare);
    dp2dpi_thread_pool_run(csv->workers, 2, read_part, parts);
    *is_done = join(csv, parts, middle);
    return DP2DP_STATUS_OK;
}
