/* Reads from a table what --columns leaves out. The names of the columns come from the header.
 * Bounds and levels come from the rows, so they are not private. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/number.h"
#include "input/draft.h"
#include "input/stream.h"
#include "input/table.h"

enum {
    NUMERIC_FROM = 21, /* a column with at least this many different numbers is numeric */
    ID_FROM = 100,     /* a column with fewer values than this is not taken for an id: a few values
                          often differ by chance */
    NUMBER_MAX = 400   /* a text of this many bytes or more is not taken for a number */
};

typedef struct found {
    cli_draft_column *column;
    char *texts[CLI_DRAFT_LEVELS_MAX]; /* the different texts, sorted */
    size_t text_count;
    int too_many;  /* 1: there are more different texts than CLI_DRAFT_LEVELS_MAX */
    int is_text;   /* 1: at least one text is not a number */
    int is_broken; /* 1: at least one number is not a whole number */
    int is_varied; /* 1: no text occurred twice; not updated once too_many is 1 */
    size_t values; /* rows whose value is not missing */
    int has_missing;
    double min, max;             /* smallest and largest number */
    double count, mean, squares; /* Welford's mean and sum of squared deviations of the numbers */
} found;

/* Adds a text to the sorted list unless the list has it already. */
static dp2dp_status add_text(found *f, const char *text, size_t length, dp2dp_error *error) {
    size_t low = 0, high = f->text_count;
    while (low < high) {
        size_t middle = (low + high) / 2, known = strlen(f->texts[middle]);
        int order = memcmp(f->texts[middle], text, known < length ? known : length);
        if (order == 0 && known == length) {
            f->is_varied = 0;
            return DP2DP_STATUS_OK;
        }
        order = order ? order : known < length ? -1 : 1;
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    f->is_varied = f->text_count + 1 == f->values;
    f->too_many = f->text_count == CLI_DRAFT_LEVELS_MAX;
    if (f->too_many) {
        return DP2DP_STATUS_OK;
    }
    char *copy = strndup(text, length);
    CLI_TRY(cli_check_memory(copy, "levels", error));
    memmove(&f->texts[low + 1], &f->texts[low], (f->text_count++ - low) * sizeof copy);
    f->texts[low] = copy;
    return DP2DP_STATUS_OK;
}

static int is_number(const char *text, size_t length, double *x) {
    char copy[NUMBER_MAX];
    if (length >= sizeof copy) {
        return 0;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    return cli_number_parse(copy, x) == CLI_PARSED;
}

static void add_number(found *f, const char *text, size_t length) {
    double x;
    if (!is_number(text, length, &x)) {
        f->is_text = 1;
        return;
    }
    f->is_broken |= x != floor(x);
    f->min = f->count > 0 && f->min < x ? f->min : x;
    f->max = f->count > 0 && f->max > x ? f->max : x;
    f->count++;
    double from_mean = x - f->mean;
    f->mean += from_mean / f->count;
    f->squares += from_mean * (x - f->mean);
}

/* Trims blanks, since the drafted schema sets "trim". Returns the new length. */
static size_t trim(const char **text, size_t length) {
    for (; length > 0 && strchr(" \t", **text); length--) {
        (*text)++;
    }
    for (; length > 0 && strchr(" \t", (*text)[length - 1]); length--) {
    }
    return length;
}

static dp2dp_status look_at(found *f, const struct ArrowArray *values, dp2dp_error *error) {
    const unsigned char *valid = values->buffers[0];
    const int32_t *offsets = values->buffers[1];
    const char *bytes = values->buffers[2];
    for (int64_t i = 0; i < values->length; i++) {
        int64_t at = values->offset + i;
        const char *text = bytes ? bytes + offsets[at] : "";
        size_t length = trim(&text, (size_t)(offsets[at + 1] - offsets[at]));
        if (length == 0 || (valid && !(valid[at / 8] >> (at % 8) & 1))) {
            f->has_missing = 1;
            continue;
        }
        f->values++;
        if (!f->is_text && f->column->kind != DP2DP_KIND_CATEGORICAL) {
            add_number(f, text, length);
        }
        if (!f->too_many) {
            CLI_TRY(add_text(f, text, length, error));
        }
    }
    return DP2DP_STATUS_OK;
}

static int compare_numbers(const void *left, const void *right) {
    double a = strtod(*(char *const *)left, NULL), b = strtod(*(char *const *)right, NULL);
    return (a > b) - (a < b);
}

/* Returns whether a text begins with a date such as 2024-01-31, 31.01.2024 or 2024/01/31: three
 * numbers with the same separator between them. The first or the last number is a year. */
static int is_date(const char *text) {
    size_t first = strspn(text, "0123456789");
    const char *second = text + first + 1;
    if (first == 0 || first > 4 || text[first] == '\0' || strchr("-/.", text[first]) == NULL) {
        return 0;
    }
    size_t middle = strspn(second, "0123456789");
    if (middle == 0 || middle > 2 || second[middle] != text[first]) {
        return 0;
    }
    size_t last = strspn(second + middle + 1, "0123456789");
    return (first == 4 && last > 0 && last <= 2) || (first <= 2 && last == 4);
}

/* Writes a caution if the draft probably misreads the column. There are three cases: the numbers
 * are treated as texts, because one text marks missing values; dates are treated as levels; an id
 * is treated as a feature. */
static void find_caution(const found *f, char caution[CLI_DRAFT_CAUTION_SIZE]) {
    const char *name = f->column->name, *other = "";
    size_t numbers = 0, dates = 0;
    double x;
    for (size_t i = 0; i < f->text_count && f->is_text; i++) {
        int counts = is_number(f->texts[i], strlen(f->texts[i]), &x);
        numbers += (size_t)counts;
        dates += (size_t)is_date(f->texts[i]);
        other = counts || *other ? other : f->texts[i];
    }
    if (numbers > f->text_count / 2) {
        snprintf(
            caution, CLI_DRAFT_CAUTION_SIZE,
            "%.60s has %s%zu different texts, and %zu of them are numbers. Does \"%.60s\" mean a "
            "missing value? Then list it in --missing.",
            name, f->too_many ? "more than " : "", f->text_count, numbers, other);
    } else if (dates > f->text_count / 2) {
        snprintf(caution, CLI_DRAFT_CAUTION_SIZE,
                 "%.60s looks like a column of dates, and the draft makes each date a level. Give "
                 "the column the role ignore, or turn the dates into numbers.",
                 name);
    } else if (f->is_varied && f->values >= ID_FROM && !f->is_broken) {
        snprintf(caution, CLI_DRAFT_CAUTION_SIZE,
                 "%.60s has a different value in every row%s. If it is an id, give it the role "
                 "ignore.",
                 name, f->too_many ? " of the first 1000" : "");
    }
}

static dp2dp_status conclude(found *f, dp2dp_error *error) {
    cli_draft_column *c = f->column;
    if (c->kind == 0 && c->role == DP2DP_ROLE_FEATURE) {
        find_caution(f, c->caution);
    }
    int is_numeric =
        c->kind == DP2DP_KIND_NUMERIC || c->log1p ||
        (c->kind == 0 && !f->is_text && (f->too_many || f->text_count >= NUMERIC_FROM) &&
         c->role == DP2DP_ROLE_FEATURE);
    if (f->text_count == 0 || (is_numeric && (f->is_text || !(f->min < f->max))) ||
        (!is_numeric && f->too_many)) {
        return cli_fail(error, DP2DP_STATUS_DATA,
                        "column \"%.60s\" %s; describe it in --columns, or give it the role "
                        "ignore%s%s",
                        c->name,
                        f->text_count == 0 ? "has no value in any row"
                        : !is_numeric      ? "has more than 1000 different texts"
                        : f->is_text       ? "has values that are not numbers"
                                           : "has the same number in every row",
                        *c->caution ? ". " : "", c->caution);
    }
    if (f->has_missing && c->missing == 0) {
        c->missing = c->role == DP2DP_ROLE_FEATURE ? DP2DP_POLICY_LEVEL : DP2DP_POLICY_DROP;
    }
    if (is_numeric) {
        double spread = sqrt(f->squares / f->count);
        c->bound_count = 2;
        c->bounds[0] = f->min;
        c->bounds[1] = f->max;
        if (!c->log1p && spread > 0) {
            c->centre = f->mean;
            c->scale = spread;
        }
        return DP2DP_STATUS_OK;
    }
    c->levels = calloc(f->text_count, sizeof *c->levels);
    CLI_TRY(cli_check_memory(c->levels, "levels", error));
    memcpy(c->levels, f->texts, f->text_count * sizeof *c->levels);
    c->level_count = f->text_count;
    f->text_count = 0; /* the levels own the texts now */
    if (!f->is_text && c->kind != DP2DP_KIND_CATEGORICAL) {
        qsort(c->levels, c->level_count, sizeof *c->levels, compare_numbers);
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status look_at_batch(void *context, const struct ArrowArray *batch,
                                  dp2dp_error *error) {
    found *columns = context;
    for (size_t i = 0; i < (size_t)batch->n_children; i++) {
        CLI_TRY(look_at(&columns[i], batch->children[i], error));
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status read_rows(const cli_args *args, found *columns, size_t count,
                              dp2dp_error *error) {
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    dp2dp_table_column *wanted = calloc(count, sizeof *wanted);
    struct ArrowArrayStream stream;
    CLI_TRY(cli_check_memory(wanted, "the columns", error));
    for (size_t i = 0; i < count; i++) {
        wanted[i] = (dp2dp_table_column) {columns[i].column->name, DP2DP_TABLE_TEXT};
    }
    options.columns = wanted;
    options.column_count = count;
    dp2dp_status status =
        cli_table_open(args, cli_word(args, "draft-from"), NULL, 0, &options, &stream, error);
    free(wanted);
    CLI_TRY(status);
    return cli_stream_each(&stream, look_at_batch, columns, error);
}

/* Copies the names of the columns to the draft. Skips a column without a name, such as the row
 * numbers that pandas writes, because a schema cannot describe it. */
static dp2dp_status take_names(const struct ArrowSchema *table, cli_draft *out,
                               dp2dp_error *error) {
    out->columns = calloc((size_t)table->n_children, sizeof *out->columns);
    CLI_TRY(cli_check_memory(out->columns, "the draft", error));
    for (int64_t i = 0; i < table->n_children; i++) {
        if (*table->children[i]->name == '\0') {
            continue;
        }
        char *name = strdup(table->children[i]->name);
        CLI_TRY(cli_check_memory(name, "the draft", error));
        out->columns[out->count++].name = name;
    }
    return out->count > 0 ? DP2DP_STATUS_OK
                          : cli_fail(error, DP2DP_STATUS_DATA, "no column of the table has a name");
}

dp2dp_status cli_draft_read_names(const cli_args *args, cli_draft *out, dp2dp_error *error) {
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    struct ArrowSchema table;
    out->is_skeleton = 1;
    CLI_TRY(cli_table_open_verbatim(args, cli_word(args, "draft-from"), &options, &stream, error));
    dp2dp_status status = cli_check_memory(stream.get_schema(&stream, &table) == 0,
                                           "the names of the columns", error);
    if (status == DP2DP_STATUS_OK) {
        status = take_names(&table, out, error);
        table.release(&table);
    }
    stream.release(&stream);
    return status;
}

dp2dp_status cli_draft_complete(const cli_args *args, cli_draft *draft, dp2dp_error *error) {
    found *columns = calloc(draft->count, sizeof *columns); /* the columns to complete */
    size_t count = 0;
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY(cli_check_memory(columns, "the draft", error));
    for (size_t i = 0; i < draft->count; i++) {
        if (cli_draft_is_open(&draft->columns[i])) {
            columns[count++].column = &draft->columns[i];
        }
    }
    if (count == 0) {
        CLI_TRY_OR_DONE(cli_refuse(
            error, "--draft-from is not needed: --columns gives all bounds and levels already"));
    }
    CLI_TRY_OR_DONE(read_rows(args, columns, count, error));
    for (size_t i = 0; i < count; i++) {
        CLI_TRY_OR_DONE(conclude(&columns[i], error));
    }
    draft->from_data = 1;
done:
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < columns[i].text_count; j++) {
            free(columns[i].texts[j]);
        }
    }
    free(columns);
    return status;
}
