/* The pieces of `dp2dp sweep`: the input, the grid of points, the file of finished points, the work
 * and the results. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include <stdint.h>

#include "args/args.h"
#include "common/out.h"
#include "input/names.h"
#include "output/sink.h"
#include "run/run.h"
#include "show/show.h"

/* A training method that only `sweep` has. */
#define CLI_SWEEP_AS_PUBLISHED "probabilities-as-published"

/* The last cell of every row of the table. */
#define CLI_SWEEP_NOT_PRIVATE "exact numbers about real people: do not publish"

/* What is measured on the test part. If the name of a value ends with BEFORE, the value is about
 * the decisions before the fair rule; otherwise about those after it. */
typedef enum cli_sweep_value {
    CLI_SWEEP_ERROR,
    CLI_SWEEP_UNFAIRNESS, /* unfairness under the criterion of the point */
    CLI_SWEEP_ERROR_BEFORE,
    CLI_SWEEP_UNFAIRNESS_BEFORE,
    CLI_SWEEP_BALANCED_ACCURACY,
    CLI_SWEEP_DISPARATE_IMPACT,
    CLI_SWEEP_CRITERIA, /* unfairness under each criterion */
    CLI_SWEEP_MEASURES = CLI_SWEEP_CRITERIA + CLI_CRITERIA,
    /* The next two values are for warnings to the user. They are not in the table. */
    CLI_SWEEP_WARNINGS = CLI_SWEEP_MEASURES, /* the warning bits of the model, as a whole number */
    CLI_SWEEP_NOISE, /* the classifier's dp2dp_model_info.classifier_noise */
    /* EPSILON_HOLDS is for training and fit together: the epsilon that a model with these settings
     * and secure noise promises to each of its people. EPSILON_CLAIMED is the epsilon that the
     * paper claims for the rule. Each is NAN if there is no such epsilon. */
    CLI_SWEEP_EPSILON_HOLDS,
    CLI_SWEEP_EPSILON_CLAIMED,
    CLI_SWEEP_RECORDS, /* number of rows in each part */
    CLI_SWEEP_RECORDS_END = CLI_SWEEP_RECORDS + CLI_PARTS - 1,
    CLI_SWEEP_VALUES
} cli_sweep_value;

enum {
    CLI_SWEEP_WORDS_MAX = 8, /* largest number of criteria, methods or solvers */
    CLI_SWEEP_NO_EPSILON =
        -1, /* the point has no epsilon, because neither training nor fit adds noise */
    CLI_SWEEP_POINTS_MAX = 1000000
};

/* One row of the table. The settings are positions in the lists of the grid. */
typedef struct cli_point {
    int criterion, method, solver, rho;
    int epsilon; /* position in the list of epsilons, or CLI_SWEEP_NO_EPSILON */
    size_t run;
    size_t unit; /* points of the same unit share a split and a classifier */
    int done;
    double values[CLI_SWEEP_VALUES]; /* NAN: not measured */
} cli_point;

/* The points, in the order of the table. */
typedef struct cli_grid {
    dp2dp_train_method methods[CLI_SWEEP_WORDS_MAX]; /* 0 for a table of scores */
    int as_published[CLI_SWEEP_WORDS_MAX]; /* 1: noise is added to the probabilities of this method
                                              (probabilities-as-published) */
    dp2dp_solver solvers[CLI_SWEEP_WORDS_MAX];
    cli_criterion criteria[CLI_SWEEP_WORDS_MAX];
    int32_t positives[CLI_SWEEP_WORDS_MAX]; /* dp2dp_fit_options.positive for each criterion */
    size_t method_count, solver_count, criterion_count;
    double *epsilons, *rhos;
    size_t epsilon_count, rho_count, runs;
    cli_point *points;
    size_t count;
    size_t units;
    size_t *order; /* indices of the points, sorted by unit; the points of unit u are at
                      order[starts[u]] to order[starts[u + 1] - 1] */
    size_t *starts;
} cli_grid;

/* Reads the lists of settings. Refuses settings that cannot be combined, before any row is read.
 * Ownership: call cli_grid_free, even after a failure. */
dp2dp_status cli_grid_read(const cli_args *args, cli_grid *out, dp2dp_error *error);
/* Fills in the points, and their order by unit. */
dp2dp_status cli_grid_fill(cli_grid *grid, dp2dp_error *error);
void cli_grid_free(cli_grid *grid);
/* Returns the name of a point's method; "scores" for a table of scores. */
const char *cli_grid_method(const cli_grid *grid, const cli_point *point);
/* Returns the epsilon of a point; NAN if the point has none. */
double cli_grid_epsilon(const cli_grid *grid, const cli_point *point);

/* The rows to sweep over, and their description. Ownership: call cli_sweep_input_free, even after a
 * failure. */
typedef struct cli_sweep_input {
    cli_pipeline pipeline;
    /* Only for raw rows: */
    cli_labelled table;
    cli_people people;
    /* Only for a table of scores: */
    cli_names names;
    cli_rows rows;
    unsigned warnings; /* about the table as a whole, from cli_pool_warnings */
    const char *data;  /* the name of the data; may be "" */
    const char *split; /* the shares, as typed */
    const char *const *class_names;
} cli_sweep_input;

/* Reads the table, and fills in those settings of the grid that depend on the classes of the table.
 */
dp2dp_status cli_sweep_read(const cli_args *args, cli_grid *grid, cli_sweep_input *out,
                            dp2dp_error *error);
void cli_sweep_input_free(cli_sweep_input *input);

/* The file FILE.part: the finished points of a sweep that is not complete. The first line has the
 * settings. Every other line has a point and a check sum, which shows whether a crash cut the line
 * off. No hash of the table's rows is stored. One process at a time can use the file. */
typedef struct cli_part_file {
    char *path;
    int fd;       /* -1: not open */
    size_t found; /* points that were in the file when it was opened */
    int resumed;  /* 1: an earlier process with these settings began the file */
    char id[33];  /* id of the sweep: a hash of its settings and seed, in hexadecimal digits */
} cli_part_file;

/* Opens the part file of `target`, the file of --out, and marks the points in the part file as
 * done. Refuses a part file with other settings, unless --force is given. Takes the seed of the
 * pipeline from the part file; a new part file gets the seed --insecure-seed or a random seed.
 * Ownership: call cli_part_close, even after a failure. */
dp2dp_status cli_part_open(const cli_args *args, const char *target, cli_pipeline *p,
                           cli_grid *grid, cli_part_file *out, dp2dp_error *error);
/* Appends a point. Use from one thread at a time. */
dp2dp_status cli_part_add(cli_part_file *part, const cli_grid *grid, size_t point,
                          dp2dp_error *error);
void cli_part_remove(const cli_part_file *part);
void cli_part_close(cli_part_file *part);

/* Computes all points that are not done. Writes each finished point to the part file at once, so
 * that the file has all finished points even after a failure. */
dp2dp_status cli_sweep_work(const cli_pipeline *p, cli_grid *grid, cli_part_file *part,
                            size_t threads, dp2dp_error *error);

/* Adds noise for p->fit.epsilon to the scores of the pool and the test part, as the paper's
 * experiments do. Adds no noise if p->fit.epsilon is infinite. Call this after cli_trial_score. Not
 * private: every noisy probability is a release of its own. */
dp2dp_status cli_sweep_perturb(const cli_pipeline *p, cli_trial *t, dp2dp_error *error);

/* Returns the positive class, which is the same for all criteria of the grid that have one. */
cli_positive cli_sweep_positive(const cli_sweep_input *input, const cli_grid *grid);
/* Writes the table, which is not private. */
void cli_sweep_table(const cli_sweep_input *input, const cli_grid *grid, FILE *stream);

/* Prints a summary as text or JSON: mean and standard deviation of each point over the runs. */
void cli_sweep_report(const cli_args *args, const cli_sweep_input *input, const cli_grid *grid,
                      size_t resumed, const cli_spent *spent, cli_out *out);

#endif
