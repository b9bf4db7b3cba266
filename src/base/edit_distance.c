#include "base/edit_distance.h"

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Fills the table of dynamic programming row by row. Keeps only the last three rows, because an
 * entry depends on at most the two rows above it. */
size_t dp2dpi_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t rows[3][DP2DPI_EDIT_MAX + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        size_t *free = before;
        before = above;
        above = row;
        row = free;
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = least(row[j], before[j - 2] + 1);
            }
        }
    }
    return row[b_length];
}
