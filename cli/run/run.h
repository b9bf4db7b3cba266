/* The pieces of `dp2dp run`: rows in memory, one run, the report, and the files of --save. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include <stdint.h>

#include "args/args.h"
#include "common/out.h"
#include "common/progress.h"
#include "input/criterion.h"
#include "input/encoded.h"
#include "input/scores.h"
#include "privacy/privacy.h"

/* The columns of a batch from dp2dp_schema_encode with all parts, in this order. */
typedef enum cli_field {
    CLI_FIELD_ROW,      /* int64_t */
    CLI_FIELD_NUMBERS,  /* list of float */
    CLI_FIELD_LEVELS,   /* list of int32_t */
    CLI_FIELD_SCALE,    /* float */
    CLI_FIELD_LABEL,    /* int32_t */
    CLI_FIELD_GROUP,    /* int32_t */
    CLI_FIELD_LEFT_OUT, /* int8_t; only if rows may be left out */
    CLI_FIELDS
} cli_field;

/* Encoded rows in memory: they are read and encoded once, then split many times. */
typedef struct cli_people {
    size_t count, capacity;    /* rows stored, and rows that fit into the allocated memory */
    size_t fields;             /* CLI_FIELDS, or one less if no row can be left out */
    size_t each[CLI_FIELDS];   /* number of values in one row */
    void *values[CLI_FIELDS];  /* the values of all rows, row after row */
    struct ArrowSchema schema; /* schema of the batches that were read, and of the batches that
                                  cli_people_stream gives */
    size_t *person;            /* index of each row's person, from 0; NULL without --person */
    size_t person_count, rows_of_one_person; /* number of persons; most rows of any one person */
} cli_people;

/* Reads the stream to its end and releases it. Ownership: the caller frees the people, even after a
 * failure. */
dp2dp_status cli_people_load(const dp2dp_schema *schema, struct ArrowArrayStream *stream,
                             cli_people *out, dp2dp_error *error);
void cli_people_free(cli_people *people);
/* Returns whether row i is left out: it counts as a record, but nothing is decided or measured for
 * it. */
int cli_people_is_left_out(const cli_people *people, size_t i);

/* Streams the rows i with parts[i] = part, in order, or all rows if parts is NULL. The batches have
 * the columns of cli_field. Ownership: people and parts are borrowed until the stream is released;
 * on failure out->release is NULL. */
dp2dp_status cli_people_stream(const cli_people *people, const uint8_t *parts, uint8_t part,
                               struct ArrowArrayStream *out, dp2dp_error *error);

/* Reads the table a second time, for the column of --person. Rows with the same text in that column
 * belong to the same person. */
dp2dp_status cli_persons_read(const cli_args *args, const cli_labelled *table, cli_people *people,
                              dp2dp_error *error);

/* One run: split, train, fit, test. */

typedef enum cli_part {
    CLI_PART_TRAIN,
    CLI_PART_POOL,
    CLI_PART_TEST,
    CLI_PARTS
} cli_part;

/* What all runs share. All pointers are borrowed. */
typedef struct cli_pipeline {
    const cli_labelled *table;  /* where the people come from; NULL for a table of scores */
    const cli_people *people;   /* raw rows; NULL for a table of scores */
    const cli_rows *scored;     /* the rows of a table of scores; NULL for raw rows */
    const dp2dp_schema *schema; /* schema of the raw rows; NULL for a table of scores */
    size_t count;               /* rows of the table */
    size_t groups, classes;     /* number of groups and of classes */
    const char *const *group_names;
    dp2dp_train_options train; /* each run sets the seed */
    dp2dp_fit_options fit;     /* each run sets the seed */
    cli_criterion criterion;
    int32_t positive;        /* the class whose rates are measured, or DP2DP_POSITIVE_DEFAULT */
    dp2dp_row_sums row_sums; /* how to treat rows of a table of scores that do not sum to 1 */
    size_t sizes[CLI_PARTS]; /* rows of each part; a table of scores has no train part. With
                                --person, the sizes of a run are only near these; see cli_trial */
    int one_set;  /* 1: with --pool same, the train part and the pool part hold the same people */
    int has_seed; /* 0: random numbers come from the operating system */
    uint64_t seed;
    int keep;              /* 1: keep the part and the decisions of each row, for --save */
    cli_progress *watcher; /* progress bar for the training steps; NULL: none */
} cli_pipeline;

/* Reads --split: `parts` shares, each above 0, that sum to 1. If `parts` is 2, the share of the
 * train part is 0. */
dp2dp_status cli_split_read(const char *text, size_t parts, double shares[CLI_PARTS],
                            dp2dp_error *error);
/* Sets the sizes of the parts. Fails with DATA if there are too few rows. `text` is the value of
 * --split. */
dp2dp_status cli_split_size(const char *text, const double shares[CLI_PARTS], cli_pipeline *p,
                            dp2dp_error *error);
/* Reads labelled rows with groups into memory, and fills in the fields of *p that describe them.
 * Ownership: the caller closes the table and frees the people, even after a failure. */
dp2dp_status cli_pipeline_read(const cli_args *args, cli_labelled *table, cli_people *people,
                               cli_pipeline *p, dp2dp_error *error);
/* Reads --pool and --train-share. Sets p->fit.people to say whether somebody may be both in the
 * train part and in the pool part. */
dp2dp_status cli_pool_read(const cli_args *args, cli_pipeline *p, dp2dp_error *error);
/* Sets the budgets of training and fit. Call this after cli_pool_read, and after p->train.method is
 * set. */
void cli_pool_budget(double epsilon, cli_pipeline *p);
/* Returns the planned number of rows in a part. With --person, a part of a run may have a few rows
 * more or fewer. */
size_t cli_part_size(const cli_pipeline *p, cli_part part);
/* Records in the ledger that the people of the table are exposed (not protected), since error and
 * unfairness are measured on these people without noise. */
dp2dp_status cli_run_expose(const cli_args *args, dp2dp_ledger *ledger, const char *id,
                            dp2dp_error *error);

/* The first half of a run: which row is in which part, and the scores of the pool and test parts.
 * Many fair rules, with different settings, can be learned from one trial. Ownership: the caller
 * calls cli_trial_free, even after a failure. */
typedef struct cli_trial {
    uint64_t index; /* number of the run, from 0 */
    uint8_t
        *parts; /* cli_part of each row; with --pool same, rows of the pool are marked as train */
    size_t sizes[CLI_PARTS]; /* rows of each part; with --pool same, train and pool have the same
                                number */
    dp2dp_model *classifier; /* NULL for a table of scores */
    cli_rows pool, test;     /* rows of these parts; `test` has no rows that are left out */
} cli_trial;

/* Splits the rows and trains the classifier. With a seed, the result depends only on the seed and
 * the index. */
dp2dp_status cli_trial_train(const cli_pipeline *p, uint64_t index, cli_trial *out,
                             dp2dp_error *error);
/* Fills in `pool` and `test`, with the weights that p->criterion needs. */
dp2dp_status cli_trial_score(const cli_pipeline *p, cli_trial *t, dp2dp_error *error);
void cli_trial_free(cli_trial *t);
/* Derives a seed below 2^53 for one purpose of a run. */
uint64_t cli_trial_seed(const cli_pipeline *p, uint64_t index, const char *purpose);
/* Scores all rows, in the order of the table. Ownership: the caller frees *out, even after a
 * failure. */
dp2dp_status cli_trial_score_all(const cli_pipeline *p, const cli_trial *t, cli_rows *out,
                                 dp2dp_error *error);

/* The second half of a run: makes the pool, learns the rule, decides and measures. */

/* Makes the pool that p->criterion needs. Ownership: the caller frees *out. */
dp2dp_status cli_trial_pool(const cli_pipeline *p, const cli_trial *t, dp2dp_pool **out,
                            dp2dp_error *error);
/* Learns a rule with p->fit. Ownership: the caller frees *out. */
dp2dp_status cli_trial_fit(const cli_pipeline *p, const cli_trial *t, const dp2dp_pool *pool,
                           dp2dp_model **out, dp2dp_error *error);
/* Decides for each row with the model or, if model is NULL, by the largest score. */
dp2dp_status cli_trial_decide(const cli_pipeline *p, const dp2dp_model *model, const cli_rows *rows,
                              int32_t *out, dp2dp_error *error);
/* Measures decisions on the test part: the model's decisions or, if model is NULL, the classes with
 * the largest score. The result is not private. Ownership: the caller frees *out. */
dp2dp_status cli_trial_test(const cli_pipeline *p, const cli_trial *t, const dp2dp_model *model,
                            dp2dp_evaluation **out, dp2dp_error *error);

/* Returns whether somebody has more rows than --rows-per-person allows. Returns 0 without --person.
 */
int cli_persons_exceed(const cli_pipeline *p);
/* Writes how many persons there are, and whether epsilon protects all rows of a person or only some
 * (see cli_persons_exceed). The JSON member is an object, or null without --person. */
void cli_persons_json(const cli_args *args, const cli_pipeline *p, cli_json *json);
/* Returns what is assumed about the rows of one person, or NULL if the options already state it. */
const char *cli_persons_assumption(const cli_pipeline *p);
void cli_persons_text(const cli_args *args, const cli_pipeline *p, cli_out *out);
void cli_persons_caution(const cli_pipeline *p, cli_out *out);

enum {
    CLI_CRITERIA = DP2DP_EQUALIZED_ODDS + 1 /* every run measures all criteria except CUSTOM */
};

/* What is measured on the test part, before the fair rule (each person gets the class with the
 * largest score) and after it. The first four measures have the order of the arguments of
 * cli_out_before_after. */
typedef enum cli_measure {
    CLI_ERROR_BEFORE,
    CLI_ERROR_AFTER,
    CLI_UNFAIRNESS_BEFORE,
    CLI_UNFAIRNESS_AFTER,
    CLI_CRITERIA_BEFORE, /* unfairness under each criterion */
    CLI_CRITERIA_AFTER =
        CLI_CRITERIA_BEFORE + CLI_CRITERIA, /* unfairness under each criterion, after the rule */
    CLI_MEASURES = CLI_CRITERIA_AFTER + CLI_CRITERIA
} cli_measure;

typedef struct cli_run {
    size_t sizes[CLI_PARTS]; /* rows of each part */
    size_t left_out;         /* rows of the test part that are left out */
    dp2dp_status status;
    dp2dp_error error;
    double measures[CLI_MEASURES];
    double epsilon, delta;        /* promise of the fitted model; NAN: nothing is promised */
    unsigned not_private_because; /* dp2dp_not_private bits of the fitted model */
    unsigned
        warnings; /* dp2dp_warning bits about the fitted model and the labels of the test part */
    dp2dp_cover covers[2]; /* the sets of people that the fitted model was made from, and the
                            * model's guarantee to each set */
    size_t cover_count;
    double noise;     /* the classifier's dp2dp_model_info.classifier_noise */
    double phases[2]; /* epsilon of training alone, and of the rule alone; used with --pool same */
    uint8_t
        *parts; /* cli_part of each row; parts, unfair and fair are NULL unless `keep` was set */
    int32_t *unfair, *fair; /* decisions for each row, before and after the rule */
} cli_run;

/* Returns the epsilon that a model would promise if its noise were secure instead of seeded.
 * Returns NAN if the model promises nothing to some of its people. */
double cli_epsilon_holds(const dp2dp_model_info *info);

/* Does the run with number `index`, counted from 0. With a seed, the result depends only on the
 * seed and the index. Ownership: the caller calls cli_run_drop_rows, even after a failure. */
void cli_pipeline_run(const cli_pipeline *pipeline, uint64_t index, cli_run *out);
void cli_run_drop_rows(cli_run *run);

/* Prints the row "rows": how many rows each part has. `about` is written before the numbers. */
void cli_parts_text(const cli_pipeline *p, const char *about, const size_t sizes[CLI_PARTS],
                    cli_out *out);
/* With --pool same, writes that the train part and the pool part are the same people, and the share
 * of the budget that training takes. */
void cli_pool_json(const cli_pipeline *p, cli_json *json);
/* Prints the results of the runs, as text or JSON, and what --ledger holds. */
void cli_run_report(const cli_args *args, const cli_pipeline *pipeline, const cli_run *runs,
                    size_t count, const cli_spent *spent, cli_out *out);

/* --save: one CSV table for each run. */

/* Checks, before the runs, where --save writes. Refuses a folder that cannot be created or written
 * to, a file that is an input and, without --force, a file that exists. */
dp2dp_status cli_save_check(const cli_args *args, dp2dp_error *error);
/* Writes the files; creates their folder if it is missing. Each file is replaced in one step. Not
 * private: the files hold the labels and groups of the records. */
dp2dp_status cli_save_runs(const cli_args *args, const cli_pipeline *pipeline, const cli_run *runs,
                           size_t count, dp2dp_error *error);

#endif
