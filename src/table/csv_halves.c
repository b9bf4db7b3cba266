#include "table/csv_halves.h"

#include <string.h>

#include "table/csv_block.h"
#include "table/csv_scan.h"

enum {
    BYTES_LEAST = 1 << 18 /* below this, a thread is not worth starting */
};

/* A second reader of the same table, with its own position, result and batch. */
typedef struct part {
    dp2dpi_csv csv;
    dp2dpi_input input;
    dp2dpi_batch *batch;
    size_t limit; /* no record begins here or later */
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
    p->csv = *csv;
    /* Copies nothing else: the rest belongs to the thread that reads ahead. */
    p->input = (dp2dpi_input) {
        .name = csv->input->name, .buffer = csv->input->buffer, .end = csv->input->end};
    p->csv.input = &p->input;
    p->csv.error = &p->error;
    p->batch = batch;
    p->input.start = start;
    p->limit = limit;
}

/* Behind a line end, about in the middle of what both batches have room for; 0: too little to do.
 */
static size_t find_middle(const dp2dpi_csv *csv, const dp2dpi_batch *batch, size_t *limit) {
    const dp2dpi_input *input = csv->input;
    double room = 1.8 * (double)batch->capacity * (double)csv->bytes / (double)csv->rows;
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

int dp2dpi_csv_split(dp2dpi_csv *csv, dp2dpi_batch *batch) {
    part parts[2];
    const uint64_t before = csv->bytes;
    size_t limit, middle = csv->rows > 0 ? find_middle(csv, batch, &limit) : 0;
    if (middle == 0) {
        return 0;
    }
    if (csv->workers == NULL) {
        unsigned threads = dp2dpi_threads(0) > 1 ? 2 : 1;
        csv->status = dp2dpi_thread_pool_new(threads, &csv->workers, csv->error);
        if (csv->status != DP2DP_STATUS_OK) {
            return 0;
        }
    }
    if (csv->spare.array.release == NULL) {
        csv->status = dp2dpi_batch_new(csv->layout, csv->chunk_rows, &csv->spare, csv->error);
        if (csv->status != DP2DP_STATUS_OK) {
            return 0;
        }
    }
    prepare(&parts[0], csv, batch, csv->input->start, middle);
    prepare(&parts[1], csv, &csv->spare, middle, limit);
    parts[1].csv.line = 1; /* counted from the guess; 0 would mean that no line is empty */
    dp2dpi_csv_find_numbers(&parts[0].csv, csv->numbers[0], batch);
    dp2dpi_csv_find_numbers(&parts[1].csv, csv->numbers[1], &csv->spare);
    dp2dpi_thread_pool_run(csv->workers, 2, read_part, parts);
    const part *first = &parts[0], *second = &parts[1];
    csv->input->start = first->input.start;
    csv->line = first->csv.line;
    csv->empty_line = first->csv.empty_line;
    csv->bytes = first->csv.bytes;
    csv->rows = first->csv.rows;
    csv->alone = first->csv.alone;
    csv->patience = first->csv.patience;
    if (first->step == DP2DPI_CSV_DONE && first->input.start == middle && !csv->empty_line &&
        second->step != DP2DPI_CSV_FAILED && !second->csv.empty_line && csv->spare.rows > 0) {
        csv->input->start = second->input.start;
        csv->line += second->csv.line - 1;
        csv->rows += second->batch->rows;
        csv->bytes += second->csv.bytes - before;
        return 1;
    }
    dp2dpi_batch_free(&csv->spare);
    csv->spare.rows = 0;
    return 0;
}
