/* Shared by the files of the report. The page has three parts: for the person who decides, for the
 * data scientist, and for the auditor.
 *
 * report.c    checks the input, and puts the page together
 * measure.c   decides about the test people with and without the rule, and counts what changes
 * sweep.c     reads a sweep and averages its runs
 * data.c      the page's data: model, promise, ledger, certificate
 * data_rates.c  the page's data: everything that was measured
 * decide.c, change.c  the banner, and the part for the person who decides
 * explore.c, explore_rule.c  the part for the data scientist
 * audit.c     the part for the auditor
 * words.c     sentences that several parts of the page use
 * section.c   sections and tables of the page
 * html.c, form.c, json.c  write HTML, numbers and JSON
 * template.c  the text of template.html: the HTML around the three parts, with style and script.
 *             "make report" generates template.html. */
#ifndef DP2DPI_REPORT_REPORT_H
#define DP2DPI_REPORT_REPORT_H

#include <dp2dp/metrics.h>
#include <dp2dp/report.h>

#include "base/criterion.h"
#include "base/hash.h"
#include "report/html.h"

extern const unsigned char dp2dpi_report_template[];

enum {
    DP2DPI_REPORT_WORD = 40, /* size of the buffer for the name of a method or solver */
    DP2DPI_REPORT_PATH = 96, /* size of the buffer for a path in the page's data */
    /* Maximum number of pairs of group and class for a page with all details. To stay below 1 MB, a
     * page with more pairs leaves out the rates by label and writes intervals with six decimals. */
    DP2DPI_REPORT_CELLS_MAX = 400,
    DP2DPI_REPORT_OFFSETS_MAX = 600,     /* maximum number of offsets in a table */
    DP2DPI_REPORT_OFFSETS_DATA = 4000,   /* maximum number of offsets in the page's data */
    DP2DPI_REPORT_STATISTICS_MAX = 1000, /* maximum number of compared rates, over all groups, that
                                            a page lists */
    DP2DPI_REPORT_CHANGES_MAX = 1 << 20, /* maximum number of counts in `changes` */
    DP2DPI_REPORT_MOVES_MAX = 60,        /* maximum number of lines in the table of changes */
    DP2DPI_REPORT_GROUPS_FEW = 4         /* maximum number of groups that a sentence lists */
};

/* The mean of one measure over the runs with the same settings, and a number from which the
 * measure's standard deviation is computed. */
typedef struct dp2dpi_average {
    double mean, squares; /* squares: the sum of squared deviations from the mean */
} dp2dpi_average;

typedef enum dp2dpi_measure {
    DP2DPI_ERROR,
    DP2DPI_UNFAIRNESS,
    DP2DPI_ERROR_BEFORE,
    DP2DPI_UNFAIRNESS_BEFORE,
    DP2DPI_MEASURES
} dp2dpi_measure;

/* A point of a sweep: all runs with the same settings. */
typedef struct dp2dpi_point {
    char method[DP2DPI_REPORT_WORD], solver[DP2DPI_REPORT_WORD];
    double rho, epsilon, delta; /* epsilon is NAN if the cell of the sweep is empty, and INFINITY if
                                   the cell is "inf"; both values mean no noise */
    double holds, claimed;      /* the sweep's epsilon_holds and epsilon_claimed; NAN if empty */
    uint64_t runs;
    dp2dpi_average measures[DP2DPI_MEASURES];
} dp2dpi_point;

typedef struct dp2dpi_sweep {
    int protects_rows; /* 1: each epsilon protects some rows of a person, not the whole person */
    dp2dpi_point *points;
    size_t count, capacity;
    char *data;       /* the sweep's name for the data; "" if it has none */
    uint64_t records; /* rows of the table that the sweep used */
} dp2dpi_sweep;

/* People of one group whose decision the rule changes from class `before` to class `after`. */
typedef struct dp2dpi_move {
    size_t group, before, after;
    int64_t people, worse, better; /* worse: people whose decision is right only without the rule;
                                      better: people whose decision is right only with the rule */
} dp2dpi_move;

/* What was measured on the test people. */
typedef struct dp2dpi_measured {
    dp2dp_evaluation *before, *after; /* without and with the rule; NULL without test people */
    /* changes[(g K + a) K + b] people of group g get class a before the rule and class b after it,
     * where K is the number of classes. NULL if there would be too many numbers. */
    int64_t *changes;
    int64_t *worse_by, *better_by; /* the people in `changes` whose decision is right only before
                                      the rule (worse_by), or only after the rule (better_by) */
    dp2dpi_move *moves;            /* changes of decision, the most frequent first */
    size_t move_count;
    int64_t changed;       /* number of people who get another class */
    int64_t worse, better; /* number of these people whose decision is right only before the rule
                              (worse), or only after the rule (better) */
    unsigned warnings;     /* dp2dp_warning bits about labels and decisions */
    int64_t *people, *ties, *by_lot; /* one number for each group: all people, people with a tie,
                                        and people whose decision the dither can change */
} dp2dpi_measured;

typedef struct dp2dpi_report {
    const dp2dp_model *model;
    const dp2dp_model_info *info;
    dp2dp_report_options options;
    dp2dp_certificate_file *certificate; /* NULL if no certificate was given */
    dp2dpi_statistics statistics;        /* statistics of the model's criterion */
    dp2dpi_measured measured;
    dp2dpi_sweep sweep; /* sweep.points is NULL if there is no sweep */
    char checksum[DP2DPI_HASH_SIZE];
    char *schema_name; /* name of the classifier's schema; NULL if there is none */
    json_t *data;
} dp2dpi_report;

/* Decides about the test people and counts what changes. Ownership: free with dp2dpi_measured_free,
 * also after failure. */
dp2dp_status dp2dpi_report_measure(const dp2dpi_report *r, dp2dpi_measured *out,
                                   dp2dp_error *error);
void dp2dpi_measured_free(dp2dpi_measured *m);
/* Returns how many people of the test table are left out. */
uint64_t dp2dpi_report_left_out(const dp2dpi_report *r);
/* Returns the warnings (dp2dp_warning bits) about the test people for which the page has a sentence
 * of its own. The list of warnings leaves these out. */
unsigned dp2dpi_report_said(const dp2dpi_report *r);

/* Reads the rows of a sweep that are about the model's criterion, positive class and kind of rule.
 * Refuses a sweep about other data than the model's. Ownership: free with dp2dpi_sweep_free, also
 * after failure. */
dp2dp_status dp2dpi_sweep_read(const dp2dpi_report *r, dp2dpi_sweep *out, dp2dp_error *error);
void dp2dpi_sweep_free(dp2dpi_sweep *sweep);

/* Returns 1 if this page shows a sweep on the people that the model was made from. These people
 * then lose their protection. */
int dp2dpi_report_exposes(const dp2dpi_report *r);
int dp2dpi_report_is_private(const dp2dpi_report *r);
/* Returns 1 if the page shows exact counts about people. */
int dp2dpi_report_is_exact(const dp2dpi_report *r);

/* Makes the page's data (docs/report.md). Returns NULL if memory runs out. Ownership: the caller
 * drops the reference with json_decref. */
json_t *dp2dpi_report_data(const dp2dpi_report *r);
/* Makes a JSON number, or null if x is not finite. */
json_t *dp2dpi_finite_json(double x);
json_t *dp2dpi_interval_json(double value, double low, double high);
/* Makes a JSON array of the words of all bits that are set. If `another` is not NULL, it becomes
 * the first word. */
json_t *dp2dpi_words_json(dp2dp_word_table table, unsigned bits, const char *another);
/* Adds all members about measured rates to the page's data. */
int dp2dpi_report_add_rates(const dp2dpi_report *r, json_t *data);

/* Returns the last part of a path, or `fallback` if there is none. */
const char *dp2dpi_report_file(const char *path, const char *fallback);
/* Appends the last part of a path as one word of a shell command. */
void dp2dpi_report_argument(dp2dpi_html *h, const char *path, const char *fallback);
/* Appends words for a set of people the model was made from, such as "the 900 people the rule was
 * learned from"; `path` leads to an entry of the arrays covers or not_covered in the page's
 * data. */
void dp2dpi_report_people(dp2dpi_html *h, const char *path);
/* Appends the inequality of differential privacy with the epsilon and delta at these paths. */
void dp2dpi_report_inequality(dp2dpi_html *h, const char *epsilon, const char *delta);
typedef enum dp2dpi_as {
    DP2DPI_AS_HTML,
    DP2DPI_AS_TEXT
} dp2dpi_as;
/* Appends words for a statistic: "gets X", or "gets X among people labelled Y". */
void dp2dpi_report_statistic(const dp2dpi_report *r, dp2dpi_html *h, size_t s, dp2dpi_as as);
/* Appends the labels of a statistic: "X", "X or Y", or "anything but X". */
void dp2dpi_report_labels(const dp2dpi_report *r, dp2dpi_html *h, size_t s, dp2dpi_as as);
/* Appends the title as plain text. */
void dp2dpi_report_title(const dp2dpi_report *r, dp2dpi_html *h);
/* Appends a sentence for every bit that is set, each as an <li>. */
void dp2dpi_report_words(dp2dpi_html *h, dp2dp_word_table table, unsigned bits);
/* Appends the help text of a word (dp2dp_word) as a sentence, with a capital letter and a full
 * stop. */
void dp2dpi_report_sentence(dp2dpi_html *h, const char *words);
/* Appends the names as a list: "a, b or c" if `last` is " or ". */
void dp2dpi_report_list(dp2dpi_html *h, const char *const *names, size_t count, const char *last);
/* Returns 1 if the criterion compares too many rates for the page. */
int dp2dpi_report_is_crowded(const dp2dpi_report *r);
/* Returns the index of the rate (statistic) that the page speaks about first: the rate that
 * differed most between groups before the rule. */
size_t dp2dpi_report_first(const dp2dpi_report *r);

/* Appends an <li> for each set of people who are promised nothing. */
void dp2dpi_report_uncovered(const dp2dpi_report *r, dp2dpi_html *h);
/* Appends cautions for the reader of a sweep. */
void dp2dpi_report_sweep_cautions(const dp2dpi_report *r, dp2dpi_html *h);
/* Returns 1 if the sweep is said to be about other people, but has exactly as many rows as the
 * model was learned from. */
int dp2dpi_report_sweep_is_as_many(const dp2dpi_report *r);
/* Returns 1 if there is a sweep, and neither the model nor the caller names the model's data. */
int dp2dpi_report_sweep_is_unchecked(const dp2dpi_report *r);
/* Appends the model's warnings, except the warning about the origin of the scores, which
 * dp2dpi_report_uncovered appends. */
void dp2dpi_report_cautions(const dp2dpi_report *r, dp2dpi_html *h);
/* Appends a list of warnings; nothing if no bit is set. */
void dp2dpi_report_caution_list(dp2dpi_html *h, unsigned warnings);

/* Writes the path of the rate of group g in statistic s. `when` is "before" or "after". */
void dp2dpi_report_rate_path(const dp2dpi_report *r, const char *when, size_t g, size_t s,
                             char path[DP2DPI_REPORT_PATH]);
/* Append the cards about what the rule changes, and about what the rule costs. */
void dp2dpi_report_card_change(const dp2dpi_report *r, dp2dpi_html *h);
void dp2dpi_report_card_cost(const dp2dpi_report *r, dp2dpi_html *h);

/* Append the parts of the page. */
void dp2dpi_report_banner(const dp2dpi_report *r, dp2dpi_html *h);
void dp2dpi_report_decide(const dp2dpi_report *r, dp2dpi_html *h);
void dp2dpi_report_explore(const dp2dpi_report *r, dp2dpi_html *h);
void dp2dpi_report_rule(const dp2dpi_report *r, dp2dpi_html *h);
void dp2dpi_report_tradeoff(const dp2dpi_report *r, dp2dpi_html *h);
void dp2dpi_report_audit(const dp2dpi_report *r, dp2dpi_html *h);

#endif
