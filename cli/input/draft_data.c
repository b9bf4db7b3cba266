/* Finds missing bounds and levels in rows. Nothing here is private. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/number.h"
#include "input/draft.h"
#include "input/stream.h"
#include "input/table.h"

enum {
    NUMERIC_FROM = 21, /* a column with this many different numbers is numeric */
    BUCKETS = 4096,
    NUMBER_MAX = 400 /* longest text that may be a number, in bytes */
};

typedef struct found {
    cli_draft_column *column;
    char *texts[CLI_DRAFT_LEVELS_MAX];
    size_t text_count;
    int too_many;                  /* too many different texts */
    unsigned short first[BUCKETS]; /* 1 + position in texts; 0: free */
    int is_text;                   /* not all are numbers */
    int has_missing;
    double min, max;
    double count, mean, squares; /* Welford's sums */
} found;

static void free_found(found *f, size_t count) {
    for (size_t i = 0; f && i < count; i++) {
        for (size_t j = 0; j < f[i].text_count; j++) {
            free(f[i].texts[j]);
        }
    }
    free(f);
}

/* FNV-1a. Rows chosen to collide only make a draft slow. */
static size_t bucket_of(const char *text, size_t length) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    }
    return (size_t)(hash % BUCKETS);
}

static dp2dp_status add_text(found *f, const char *text, size_t length, dp2dp_error *error) {
    size_t at = bucket_of(text, length);
    for (; f->first[at]; at = (at + 1) % BUCKETS) {
        const char *known = f->texts[f->first[at] - 1];
        if (strlen(known) == length && memcmp(known, text, length) == 0) {
            return DP2DP_STATUS_OK;
        }
    }
    if (f->text_count == CLI_DRAFT_LEVELS_MAX) {
        f->too_many = 1;
        return DP2DP_STATUS_OK;
    }
    f->texts[f->text_count] = strndup(text, length);
    CLI_TRY(cli_check_memory(f->texts[f->text_count], "levels", error));
    f->first[at] = (unsigned short)++f->text_count;
    return DP2DP_STATUS_OK;
}

static void add_number(found *f, const char *text, size_t length) {
    char copy[NUMBER_MAX];
    double x;
    if (length < sizeof copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    if (length >= sizeof copy || cli_number_parse(copy, &x) != CLI_PARSED) {
        f->is_text = 1;
        return;
    }
    f->min = f->count > 0 && f->min < x ? f->min : x;
    f->max = f->count > 0 && f->max > x ? f->max : x;
    f->count++;
    double from_mean = x - f->mean;
    f->mean += from_mean / f->count;
    f->squares += from_mean * (x - f->mean);
}

/* Trims as the schema will: a draft from data sets trim. */
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
        if (!f->is_text && f->column->kind != DP2DP_KIND_CATEGORICAL) {
            add_number(f, text, length);
        }
        if (!f->too_many) {
            CLI_TRY(add_text(f, text, length, error));
        }
    }
    return DP2DP_STATUS_OK;
}

static int compare_texts(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static int compare_numbers(const void *left, const void *right) {
    double a = strtod(*(char *const *)left, NULL), b = strtod(*(char *const *)right, NULL);
    return (a > b) - (a < b);
}

static dp2dp_status conclude(found *f, dp2dp_error *error) {
    cli_draft_column *c = f->column;
    int is_numeric =
        c->kind == DP2DP_KIND_NUMERIC || c->log1p ||
        (c->kind == 0 && !f->is_text && (f->too_many || f->text_count >= NUMERIC_FROM) &&
         c->role == DP2DP_ROLE_FEATURE);
    if (f->text_count == 0 || (is_numeric && (f->is_text || !(f->min < f->max))) ||
        (!is_numeric && f->too_many)) {
        return cli_fail(error, DP2DP_STATUS_DATA,
                        "column \"%.60s\": %s; say what it is in --columns, or ignore it", c->name,
                        f->text_count == 0 ? "has no value in any row"
                        : !is_numeric      ? "has more than 1000 different texts"
                        : f->is_text       ? "has values that are not numbers"
                                           : "has the same number in every row");
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
    f->text_count = 0; /* moved */
    qsort(c->levels, c->level_count, sizeof *c->levels,
          f->is_text || c->kind == DP2DP_KIND_CATEGORICAL ? compare_texts : compare_numbers);
    return DP2DP_STATUS_OK;
}

/* The columns with something missing. */
typedef struct search {
    found *columns;
    size_t count;
} search;

static dp2dp_status look_at_batch(void *context, const struct ArrowArray *batch,
                                  dp2dp_error *error) {
    const search *all = context;
    for (size_t i = 0; i < all->count; i++) {
        CLI_TRY(look_at(&all->columns[i], batch->children[i], error));
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status read_rows(const cli_args *args, search *all, dp2dp_error *error) {
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    dp2dp_table_column *wanted = calloc(all->count, sizeof *wanted);
    struct ArrowArrayStream stream;
    CLI_TRY(cli_check_memory(wanted, "the columns", error));
    for (size_t i = 0; i < all->count; i++) {
        wanted[i] = (dp2dp_table_column) {all->columns[i].column->name, DP2DP_TABLE_TEXT};
    }
    options.columns = wanted;
    options.column_count = all->count;
    dp2dp_status status =
        cli_table_open(args, cli_word(args, "draft-from"), &options, &stream, error);
    free(wanted);
    CLI_TRY(status);
    return cli_stream_each(&stream, look_at_batch, all, error);
}

dp2dp_status cli_draft_complete(const cli_args *args, cli_draft *draft, dp2dp_error *error) {
    search all = {.columns = calloc(draft->count, sizeof(found))};
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY(cli_check_memory(all.columns, "the draft", error));
    for (size_t i = 0; i < draft->count; i++) {
        if (cli_draft_is_open(&draft->columns[i])) {
            all.columns[all.count++].column = &draft->columns[i];
        }
    }
    if (all.count == 0) {
        CLI_TRY_OR_DONE(cli_refuse(error, "--draft-from is not needed: --columns is complete"));
    }
    CLI_TRY_OR_DONE(read_rows(args, &all, error));
    for (size_t i = 0; i < all.count; i++) {
        CLI_TRY_OR_DONE(conclude(&all.columns[i], error));
    }
    draft->from_data = 1;
done:
    free_found(all.columns, all.count);
    return status;
}
