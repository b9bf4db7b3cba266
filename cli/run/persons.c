/* --person: finds which rows are about the same person. */
#include "run/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "input/stream.h"
#include "input/table.h"

/* The texts of the column, one after the other. Text i has the bytes from starts[i] to starts[i +
 * 1] - 1. */
typedef struct texts {
    const char *column;
    char *bytes;
    size_t size, capacity; /* bytes used in `bytes`, and allocated for it */
    size_t *starts;
    size_t count, room; /* number of texts; allocated entries of `starts`, at least count + 1 */
} texts;

static dp2dp_status make_room(texts *t, size_t rows, size_t bytes, dp2dp_error *error) {
    if (t->count + rows + 1 > t->room) {
        size_t room = t->count + rows + 1 + t->room / 2;
        size_t *starts = reallocarray(t->starts, room, sizeof *starts);
        CLI_TRY(cli_check_memory(starts, "the persons", error));
        t->starts = starts;
        t->room = room;
    }
    if (t->size + bytes > t->capacity) {
        size_t capacity = t->size + bytes + t->capacity / 2;
        char *longer = realloc(t->bytes, capacity);
        CLI_TRY(cli_check_memory(longer, "the persons", error));
        t->bytes = longer;
        t->capacity = capacity;
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status take_batch(void *context, const struct ArrowArray *batch, dp2dp_error *error) {
    texts *t = context;
    const struct ArrowArray *column = batch->children[0];
    const unsigned char *valid = column->buffers[0];
    const int32_t *offsets = (const int32_t *)column->buffers[1] + column->offset;
    size_t rows = (size_t)batch->length;
    CLI_TRY(make_room(t, rows, (size_t)(offsets[rows] - offsets[0]), error));
    for (size_t i = 0; i < rows; i++) {
        size_t at = i + (size_t)column->offset, length = (size_t)(offsets[i + 1] - offsets[i]);
        if (length == 0 || (valid && !(valid[at / 8] >> (at % 8) & 1))) {
            return cli_fail(
                error, DP2DP_STATUS_DATA,
                "row %zu has no value in the column %.60s, so it is unknown whose row this is",
                t->count + 1, t->column);
        }
        memcpy(t->bytes + t->size, (const char *)column->buffers[2] + offsets[i], length);
        t->starts[t->count++] = t->size;
        t->size += length;
    }
    t->starts[t->count] = t->size;
    return DP2DP_STATUS_OK;
}

static dp2dp_status read_texts(const cli_args *args, const cli_labelled *table, texts *t,
                               dp2dp_error *error) {
    char joined[32] = "";
    struct stat info;
    const dp2dp_table_column column = {t->column, DP2DP_TABLE_TEXT};
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    if (table->joined) {
        snprintf(joined, sizeof joined, "/dev/fd/%d", fileno(table->joined));
    }
    const char *path = table->joined ? joined : args->operands[0];
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return cli_refuse(error,
                          "--person reads TABLE twice, so TABLE must be a file, not a pipe or a "
                          "query");
    }
    options.columns = &column;
    options.column_count = 1;
    CLI_TRY(cli_table_open(table->joined ? NULL : args, path, NULL, 0, &options, &stream, error));
    return cli_stream_each(&stream, take_batch, t, error);
}

/* A row, and the text in its --person column. */
typedef struct entry {
    const char *text;
    size_t length, row;
} entry;

/* Orders entries by text, then by row. */
static int compare(const void *a, const void *b) {
    const entry *x = a, *y = b;
    size_t common = x->length < y->length ? x->length : y->length;
    int order = memcmp(x->text, y->text, common);
    return order                    ? order
           : x->length != y->length ? (x->length < y->length ? -1 : 1)
           : x->row < y->row        ? -1
                                    : x->row > y->row;
}

static int is_equal(const entry *x, const entry *y) {
    return x->length == y->length && memcmp(x->text, y->text, x->length) == 0;
}

/* Numbers the persons in the order of their first rows. `entries` must be sorted. `first` is
 * scratch space: for each row, the first row of its person. */
static void number_persons(const entry *entries, size_t *first, cli_people *people) {
    size_t same = 0;
    for (size_t i = 0; i < people->count; i++) {
        int is_new = i == 0 || !is_equal(&entries[i], &entries[i - 1]);
        same = is_new ? 1 : same + 1;
        first[entries[i].row] = is_new ? entries[i].row : first[entries[i - 1].row];
        people->rows_of_one_person =
            same > people->rows_of_one_person ? same : people->rows_of_one_person;
    }
    for (size_t i = 0; i < people->count; i++) {
        people->person[i] = first[i] == i ? people->person_count++ : people->person[first[i]];
    }
}

dp2dp_status cli_persons_read(const cli_args *args, const cli_labelled *table, cli_people *people,
                              dp2dp_error *error) {
    texts t = {.column = cli_word(args, "person")};
    entry *entries = calloc(people->count + 1, sizeof *entries);
    size_t *first = calloc(people->count + 1, sizeof *first);
    const int64_t *rows = people->values[CLI_FIELD_ROW];
    dp2dp_status status = DP2DP_STATUS_OK;
    people->person = calloc(people->count + 1, sizeof *people->person);
    CLI_TRY_OR_DONE(cli_check_memory(entries && first && people->person, "the persons", error));
    CLI_TRY_OR_DONE(read_texts(args, table, &t, error));
    for (size_t i = 0; i < people->count; i++) {
        size_t at = (size_t)rows[i]; /* rows that the schema skips are not among the people */
        if (at >= t.count) {
            CLI_TRY_OR_DONE(
                cli_fail(error, DP2DP_STATUS_DATA, "TABLE was changed while it was read"));
        }
        entries[i] = (entry) {
            .text = t.bytes + t.starts[at], .length = t.starts[at + 1] - t.starts[at], .row = i};
    }
    qsort(entries, people->count, sizeof *entries, compare);
    number_persons(entries, first, people);
done:
    free(t.bytes);
    free(t.starts);
    free(entries);
    free(first);
    return status;
}

int cli_persons_exceed(const cli_pipeline *p) {
    return p->people && p->people->rows_of_one_person > p->fit.rows_per_person;
}

void cli_persons_json(const cli_args *args, const cli_pipeline *p, cli_json *json) {
    if (p->people == NULL || p->people->person == NULL) {
        cli_json_text(json, "persons", NULL);
        return;
    }
    cli_json_open_object(json, "persons");
    cli_json_text(json, "column", cli_word(args, "person"));
    cli_json_count(json, "count", p->people->person_count);
    cli_json_count(json, "rows_of_one", p->people->rows_of_one_person);
    cli_json_text(json, "protects", cli_persons_exceed(p) ? "rows" : "person");
    cli_json_close_object(json);
}

const char *cli_persons_assumption(const cli_pipeline *p) {
    return p->fit.rows_per_person > 1 || (p->people && p->people->person) ? NULL
           : p->people ? "one row per person; otherwise use --person COLUMN and --rows-per-person"
                       : "one row per person; otherwise use --rows-per-person";
}

void cli_persons_text(const cli_args *args, const cli_pipeline *p, cli_out *out) {
    const char *assumption = cli_persons_assumption(p);
    if (assumption) {
        cli_out_row(out, "assumes", "%s", assumption);
    }
    if (p->people == NULL || p->people->person == NULL) {
        return;
    }
    cli_out_row(out, "persons",
                "%zu in the column %s, with up to %zu rows each. All rows of a person go to the "
                "same part (train, pool or test), so the sizes of the parts vary a little between "
                "runs",
                p->people->person_count, cli_word(args, "person"), p->people->rows_of_one_person);
}

void cli_persons_caution(const cli_pipeline *p, cli_out *out) {
    if (cli_persons_exceed(p)) {
        cli_out_prose(out,
                      "CAUTION: at least one person has %zu rows, but --rows-per-person is %" PRIu64
                      ". Every epsilon here protects only %" PRIu64
                      " %s of a person, not the whole person.",
                      p->people->rows_of_one_person, p->fit.rows_per_person, p->fit.rows_per_person,
                      cli_noun(p->fit.rows_per_person, "row", "rows"));
    }
}
