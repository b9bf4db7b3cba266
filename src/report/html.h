/* Writes HTML into memory. Text from outside is always escaped. Every number is looked up in the
 * page's data, so the page shows only numbers that its data contain.
 *
 * After a failure, all later calls do nothing. The caller checks `out.status` once, at the end. */
#ifndef DP2DPI_REPORT_HTML_H
#define DP2DPI_REPORT_HTML_H

#include <stddef.h>

#include "base/json.h"
#include "base/text.h"

typedef struct dp2dpi_html {
    dp2dpi_text out;
    const json_t *data; /* the page's data; numbers are looked up here */
} dp2dpi_html;

void dp2dpi_html_free(dp2dpi_html *h);

/* How to write a number. */
typedef enum dp2dpi_form {
    DP2DPI_FORM_EXACT,     /* the shortest text that converts back to the same number */
    DP2DPI_FORM_COUNT,     /* a whole number: 12,345 */
    DP2DPI_FORM_ROUND,     /* rounded to a whole number: 12,345 */
    DP2DPI_FORM_PERCENT,   /* 0.1234 as 12.3 % */
    DP2DPI_FORM_POINTS,    /* 0.1234 as 12.3, for percentage points */
    DP2DPI_FORM_IN_1000,   /* per 1,000, without sign: 0.0012 as 1.2, but 0.1234 as 123 (no decimals
                              from 10 on) */
    DP2DPI_FORM_DECIMAL,   /* 0.1234 */
    DP2DPI_FORM_SIGNED,    /* +0.1234 */
    DP2DPI_FORM_UP,        /* rounded up to four significant digits, as privacy costs are */
    DP2DPI_FORM_DOWN,      /* rounded down to four significant digits */
    DP2DPI_FORM_LEVEL,     /* a confidence level: 0.95 as 95 % */
    DP2DPI_FORM_POINTS_UP, /* a bound: 0.1234 as 12.4, rounded up */
    DP2DPI_FORM_FACTOR,    /* e^x, rounded up to three significant digits */
    DP2DPI_FORM_ONE_IN,    /* a small probability: 1e-5 as 1 in 100,000 */
    DP2DPI_FORM_GUESS      /* a probability, rounded up: 0.7312 as 73.2, for "times in 100" */
} dp2dpi_form;

enum {
    DP2DPI_FORM_SIZE = 48
};
/* Writes x to `out` in the given form. The caller must have set the C locale. Returns out. */
const char *dp2dpi_form_write(dp2dpi_form form, double x, char out[DP2DPI_FORM_SIZE]);

/* Appends markup without escaping it. */
void dp2dpi_html_put(dp2dpi_html *h, const char *markup);
void dp2dpi_html_bytes(dp2dpi_html *h, const char *bytes, size_t length);
/* Appends text, escaped for elements and attributes. Control characters become U+FFFD. */
void dp2dpi_html_text(dp2dpi_html *h, const char *text);
/* Appends text for a place where elements are not allowed, such as <title>. Marks that change the
 * direction of writing become U+FFFD too. */
void dp2dpi_html_plain(dp2dpi_html *h, const char *text);
/* Appends a name so that its direction of writing cannot affect the text around it. */
void dp2dpi_html_name(dp2dpi_html *h, const char *name);
/* Appends <tag>, the text and </tag>. */
void dp2dpi_html_element(dp2dpi_html *h, const char *tag, const char *text);
/* Appends the number at a path of the data, such as "/rates/after/0/1/rate", as a <data> element;
 * "not measured" if the data have none. */
void dp2dpi_html_number(dp2dpi_html *h, dp2dpi_form form, const char *path, ...)
    __attribute__((format(printf, 3, 4)));
/* Appends the proportion at a path: its rate, its interval and its counts. */
void dp2dpi_html_proportion(dp2dpi_html *h, const char *path, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends the value at a path with its interval, both in the given form. */
void dp2dpi_html_interval(dp2dpi_html *h, dp2dpi_form form, const char *path, ...)
    __attribute__((format(printf, 3, 4)));
/* Appends "not measured", for a number that nobody measured. */
void dp2dpi_html_absent(dp2dpi_html *h);

/* Returns the value at a path; NULL if there is none. */
const json_t *dp2dpi_data_at(const json_t *data, const char *path, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the number at a path; NAN if there is none. */
double dp2dpi_data_number(const json_t *data, const char *path, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends the data as JSON that may stand inside a <script> element. */
void dp2dpi_html_json(dp2dpi_html *h, const json_t *value);

#endif
