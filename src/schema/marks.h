/* Finds features that are probably known only after the label: the numbers of the classes do not
 * overlap, or one class has a value that no other class has. See dp2dp_spread. */
#ifndef DP2DPI_SCHEMA_MARKS_H
#define DP2DPI_SCHEMA_MARKS_H

#include <stddef.h>
#include <stdint.h>

enum {
    DP2DPI_MARKS_CLASSES = 20, /* if there are more classes, no feature is judged */
    DP2DPI_MARKS_SEEN = 20     /* how many different values of a feature are remembered at most */
};

/* What is known about the values that one feature has in the rows of one class. */
typedef struct dp2dpi_marks_class {
    uint64_t rows;
    double smallest, largest;
    int values;           /* how many different values: 0, 1, or 2 for more than 1 */
    size_t seen;          /* if `values` is 1: position of the value in dp2dpi_marks.seen */
    int is_none, is_some; /* is_none is 1 if some row has the value 0 or no value; is_some is 1 if
                             some row has another value */
} dp2dpi_marks_class;

/* What is known about the values of one feature. Starts as all zeros. */
typedef struct dp2dpi_marks {
    dp2dpi_marks_class classes[DP2DPI_MARKS_CLASSES];
    double seen[DP2DPI_MARKS_SEEN]; /* the different values that were seen first */
    int32_t of[DP2DPI_MARKS_SEEN];  /* the class of all rows with this value; -1 if several classes
                                       have the value */
    size_t count;
    uint64_t rows;
    int is_over; /* 1 if the feature is no longer examined, because nothing can be found any more */
} dp2dpi_marks;

/* What was found about a feature. `kind` is that of the member marks_label of dp2dp_spread. */
typedef struct dp2dpi_marked {
    int is_apart; /* 1: the ranges of the classes do not overlap */
    int kind;
    size_t label;
} dp2dpi_marked;

/* Adds a row. `value` is a number or the position of a level, and -INFINITY if a number is missing.
 * `label` is the class of the row, one of `classes`. */
void dp2dpi_marks_add(double value, int is_number, int32_t label, size_t classes,
                      dp2dpi_marks *marks);
dp2dpi_marked dp2dpi_marks_find(const dp2dpi_marks *marks, int is_number);

#endif
