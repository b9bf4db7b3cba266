#include "schema/marks.h"

#include <math.h>

enum {
    ENOUGH = 100, /* a feature is reported for a class only if at least this many rows have the
                     class, and at least this many others do not */
    CHECKED = 64  /* is_hopeless is called once in this many rows */
};

/* Returns the position of a value in m->seen, and adds the value if it is new. Returns
 * DP2DPI_MARKS_SEEN if there is no room for a new value. */
static size_t find_value(double value, int32_t label, dp2dpi_marks *m) {
    size_t i = 0;
    while (i < m->count && m->seen[i] != value) {
        i++;
    }
    if (i == DP2DPI_MARKS_SEEN) {
        return i;
    }
    if (i == m->count) {
        m->seen[m->count++] = value;
        m->of[i] = label;
    } else if (m->of[i] != label) {
        m->of[i] = -1;
    }
    return i;
}

static int overlap(const dp2dpi_marks_class *a, const dp2dpi_marks_class *b) {
    return a->rows > 0 && b->rows > 0 && a->smallest <= b->largest && b->smallest <= a->largest;
}

static int has_overlap(const dp2dpi_marks *m) {
    for (size_t i = 0; i < DP2DPI_MARKS_CLASSES; i++) {
        for (size_t k = 0; k < i; k++) {
            if (overlap(&m->classes[i], &m->classes[k])) {
                return 1;
            }
        }
    }
    return 0;
}

/* Returns 1 if all rows of class k have the same value, and no row of another class has it. */
static int has_own_value(const dp2dpi_marks *m, size_t k) {
    const dp2dpi_marks_class *c = &m->classes[k];
    return c->values == 1 && m->of[c->seen] >= 0;
}

/* Finds the only class with numbers other than 0. Returns 0 if there are several such classes, or
 * if this class also has zeros or missing numbers. Otherwise returns 1, and sets *out to the class,
 * or to DP2DPI_MARKS_CLASSES if no class has such numbers. */
static int find_nonzero(const dp2dpi_marks *m, size_t *out) {
    *out = DP2DPI_MARKS_CLASSES;
    for (size_t k = 0; k < DP2DPI_MARKS_CLASSES; k++) {
        if (m->classes[k].is_some) {
            if (m->classes[k].is_none || *out < DP2DPI_MARKS_CLASSES) {
                return 0;
            }
            *out = k;
        }
    }
    return 1;
}

/* Returns 1 if no further row can lead to a report. */
static int is_hopeless(const dp2dpi_marks *m, size_t classes, int is_number) {
    size_t ignored;
    if (is_number && (!has_overlap(m) || find_nonzero(m, &ignored))) {
        return 0;
    }
    for (size_t k = 0; k < classes; k++) {
        if (m->classes[k].rows == 0 || has_own_value(m, k)) {
            return 0;
        }
    }
    return 1;
}

/* This function is cheap for most features: after a few rows nothing can be found any more, and
 * later calls return at once. */
void dp2dpi_marks_add(double value, int is_number, int32_t label, size_t classes, dp2dpi_marks *m) {
    m->is_over |= label < 0 || classes > DP2DPI_MARKS_CLASSES || (size_t)label >= classes;
    if (m->is_over) {
        return;
    }
    dp2dpi_marks_class *c = &m->classes[label];
    int is_none = is_number && (value == 0 || value == -INFINITY);
    size_t seen = find_value(value, label, m);
    int is_same = seen < DP2DPI_MARKS_SEEN && (c->rows == 0 || c->seen == seen);
    c->values = is_same && c->values < 2 ? 1 : 2;
    c->seen = seen;
    c->smallest = c->rows == 0 ? value : fmin(value, c->smallest);
    c->largest = c->rows == 0 ? value : fmax(value, c->largest);
    c->is_none |= is_none;
    c->is_some |= !is_none;
    c->rows++;
    m->rows++;
    m->is_over = m->rows % CHECKED == 0 && is_hopeless(m, classes, is_number);
}

/* Returns 1 if at least ENOUGH rows are on each side of a gap between the ranges of the classes,
 * which must not overlap. */
static int has_sides(const dp2dpi_marks *m) {
    for (size_t i = 0; i < DP2DPI_MARKS_CLASSES; i++) {
        uint64_t below = 0;
        for (size_t k = 0; k < DP2DPI_MARKS_CLASSES; k++) {
            const dp2dpi_marks_class *a = &m->classes[k], *b = &m->classes[i];
            below += a->rows > 0 && b->rows > 0 && a->largest < b->smallest ? a->rows : 0;
        }
        if (below >= ENOUGH && m->rows - below >= ENOUGH) {
            return 1;
        }
    }
    return 0;
}

static int has_enough(const dp2dpi_marks *m, size_t k) {
    return m->classes[k].rows >= ENOUGH && m->rows - m->classes[k].rows >= ENOUGH;
}

/* Each finding needs 100 people on either side: with a class and without it, or below and above a
 * gap between the classes. For a feature that is independent of the class, the probability of a
 * finding is below 2^-190. */
dp2dpi_marked dp2dpi_marks_find(const dp2dpi_marks *m, int is_number) {
    dp2dpi_marked found = {0};
    size_t k;
    if (m->is_over) {
        return found;
    }
    found.is_apart = is_number && !has_overlap(m) && has_sides(m);
    if (is_number && find_nonzero(m, &k) && k < DP2DPI_MARKS_CLASSES && has_enough(m, k)) {
        return (dp2dpi_marked) {found.is_apart, 2, k};
    }
    for (k = 0; k < DP2DPI_MARKS_CLASSES; k++) {
        if (has_own_value(m, k) && has_enough(m, k)) {
            return (dp2dpi_marked) {found.is_apart, 1, k};
        }
    }
    return found;
}
