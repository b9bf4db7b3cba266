#include "arrow/column_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/edit_distance.h"
#include "base/error.h"
#include "base/utf8.h"

static int compare(const void *left, const void *right) {
    const dp2dpi_name *a = left, *b = right;
    size_t shorter = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->text, b->text, shorter);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

void dp2dpi_names_sort(dp2dpi_name *names, size_t count) {
    qsort(names, count, sizeof *names, compare);
}

const dp2dpi_name *dp2dpi_names_twice(const dp2dpi_name *sorted, size_t count) {
    for (size_t i = 1; i < count; i++) {
        if (compare(&sorted[i - 1], &sorted[i]) == 0) {
            return &sorted[i];
        }
    }
    return NULL;
}

/* A name in lower case, without blanks and control characters, so that two names that look alike
 * become equal. Empty if the name is too long. */
typedef struct plain {
    char text[DP2DPI_EDIT_MAX];
    size_t length;
} plain;

static plain plain_of(const dp2dpi_name *name) {
    plain out = {.length = 0};
    for (size_t i = 0; i < name->length && name->length <= DP2DPI_EDIT_MAX; i++) {
        char c = name->text[i];
        if ((unsigned char)c > ' ' && c != 0x7F) {
            out.text[out.length++] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
        }
    }
    return out;
}

static int may_be_number(const plain *name) {
    return name->length > 0 && strchr("+-.0123456789", name->text[0]) != NULL;
}

/* Finds the name most similar to `wanted`; NULL if every name differs by more than one edit per
 * four letters. This limit protects privacy. If a file has no header, `names` are the values of a
 * person, and a message must not show a value that is only vaguely similar to `wanted`. */
static const dp2dpi_name *nearest(const dp2dpi_name *wanted, const dp2dpi_name *names,
                                  size_t count) {
    const dp2dpi_name *best = NULL;
    size_t least = SIZE_MAX;
    plain a = plain_of(wanted);
    for (size_t i = 0; i < count && a.length > 0; i++) {
        plain b = plain_of(&names[i]);
        if (b.length > 0 && !may_be_number(&b)) {
            size_t d = dp2dpi_edit_distance(a.text, a.length, b.text, b.length);
            if (d < least && 4 * d <= (a.length > b.length ? a.length : b.length)) {
                least = d;
                best = &names[i];
            }
        }
    }
    return best;
}

/* The columns that the caller asked for, and the sorted names of the file's columns. */
typedef struct request {
    const dp2dpi_name *sorted;
    size_t count;
    const dp2dp_table_column *columns;
    size_t column_count;
} request;

enum {
    LIST_SIZE = 150 /* bytes for the list of column names in a message */
};

static const dp2dpi_name *find(const char *column, const dp2dpi_name *sorted, size_t count) {
    const dp2dpi_name wanted = {column, strlen(column), 0};
    return bsearch(&wanted, sorted, count, sizeof wanted, compare);
}

static void list_names(const dp2dpi_name *names, size_t count, size_t used, char text[LIST_SIZE]) {
    for (size_t at = 0; at < count; at++) {
        const char *before = at ? ", " : "; its columns are ";
        char shown[DP2DPI_SHOWN_SIZE];
        size_t i = 0;
        while (i < count && names[i].position != at) {
            i++;
        }
        dp2dpi_utf8_show(names[i].text, names[i].length, shown);
        if (used + strlen(before) + strlen(shown) + 6 > LIST_SIZE) {
            (void)snprintf(text + used, LIST_SIZE - used, ", ...");
            break;
        }
        used += (size_t)snprintf(text + used, LIST_SIZE - used, "%s%s", before, shown);
    }
}

/* Lists the columns of the file. If most of the requested columns are missing, also says how many
 * are missing. If all are missing, lists no columns, because the first line of the file may then
 * hold someone's values instead of names. */
static void list_columns(const request *r, char text[LIST_SIZE]) {
    size_t missing = 0, used = 0;
    for (size_t i = 0; i < r->column_count; i++) {
        missing += find(r->columns[i].name, r->sorted, r->count) == NULL;
    }
    if (missing > 1 && 2 * missing > r->column_count) {
        used = (size_t)snprintf(
            text, LIST_SIZE,
            "; %zu of the %zu columns needed are missing (do table and schema belong together?)",
            missing, r->column_count);
    }
    if (missing < r->column_count) {
        list_names(r->sorted, r->count, used, text);
    }
}

static dp2dp_status missing(const dp2dp_table_column *column, const request *r, const char *file,
                            dp2dp_error *error) {
    const dp2dpi_name wanted = {column->name, strlen(column->name), 0};
    const dp2dpi_place place = {.reason = DP2DP_REASON_NO_SUCH_COLUMN, .column = column->name};
    char shown[DP2DPI_SHOWN_SIZE], shown_near[DP2DPI_SHOWN_SIZE], listed[LIST_SIZE] = "";
    const dp2dpi_name *near = nearest(&wanted, r->sorted, r->count);
    dp2dpi_utf8_show(wanted.text, wanted.length, shown);
    if (near) {
        return dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &place,
                              "no column is named \"%s\"; the nearest name is \"%s\" (%s)", shown,
                              dp2dpi_utf8_show(near->text, near->length, shown_near), file);
    }
    list_columns(r, listed);
    return dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &place, "no column is named \"%s\" in %.100s%s",
                          shown, file, listed);
}

dp2dp_status dp2dpi_names_find(dp2dpi_name *sorted, size_t count, const dp2dp_table_column *columns,
                               size_t column_count, size_t *positions, const char *file,
                               dp2dp_error *error) {
    dp2dpi_names_sort(sorted, count);
    for (size_t i = 0; i < column_count; i++) {
        const dp2dpi_name *found = find(columns[i].name, sorted, count);
        if (found == NULL) {
            return missing(&columns[i], &(request) {sorted, count, columns, column_count}, file,
                           error);
        }
        if ((found > sorted && compare(found - 1, found) == 0) ||
            (found + 1 < sorted + count && compare(found, found + 1) == 0)) {
            const dp2dpi_place place = {.reason = DP2DP_REASON_COLUMN_TWICE,
                                        .column = columns[i].name};
            char shown[DP2DPI_SHOWN_SIZE];
            return dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &place,
                                  "several columns are named \"%s\": %s",
                                  dp2dpi_utf8_show(found->text, found->length, shown), file);
        }
        positions[i] = found->position;
    }
    return DP2DP_STATUS_OK;
}

/* Returns the number that a name spells; SIZE_MAX if the name is not a number or has leading
 * zeros. */
static size_t number_of(const char *name) {
    size_t number = 0;
    if (*name == '\0' || (*name == '0' && name[1] != '\0')) {
        return SIZE_MAX;
    }
    for (; *name; name++) {
        if (*name < '0' || *name > '9' || __builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (size_t)(*name - '0'), &number)) {
            return SIZE_MAX;
        }
    }
    return number;
}

dp2dp_status dp2dpi_names_find_numbered(size_t count, const dp2dp_table_column *columns,
                                        size_t column_count, size_t *positions, const char *file,
                                        dp2dp_error *error) {
    for (size_t i = 0; i < column_count; i++) {
        char shown[DP2DPI_SHOWN_SIZE];
        positions[i] = number_of(columns[i].name);
        if (positions[i] >= count) {
            const dp2dpi_place place = {.reason = DP2DP_REASON_NO_SUCH_COLUMN,
                                        .column = columns[i].name};
            return dp2dpi_fail_at(
                error, DP2DP_STATUS_DATA, &place,
                "no column is named \"%s\": the names of the %zu columns of this file are their "
                "positions, counted from 0 (%s)",
                dp2dpi_utf8_show(columns[i].name, strlen(columns[i].name), shown), count, file);
        }
    }
    return DP2DP_STATUS_OK;
}
