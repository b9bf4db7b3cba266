/* The pipeline that `run` repeats: its people, one run, and its results. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include <stdint.h>

#include "args/args.h"
#include "common/out.h"
#include "common/progress.h"

/* Encoded rows in memory, and parts of them as streams: rows are read and encoded once, then split
 * many times. */

/* The children of a batch of dp2dp_schema_encode with all parts, in its order. */
typedef enum cli_field {
    CLI_FIELD_ROW,     /* int64_t */
    CLI_FIELD_NUMBERS, /* float, a list */
    CLI_FIELD_LEVELS,  /* int32_t, a list */
    CLI_FIELD_SCALE,   /* float */
    CLI_FIELD_LABEL,   /* int32_t */
    CLI_FIELD_GROUP,   /* int32_t */
    CLI_FIELDS
} cli_field;

typedef struct cli_people {
    size_t count, capacity;
    size_t each[CLI_FIELDS];   /* values of a row */
    void *values[CLI_FIELDS];  /* of all rows */
    struct ArrowSchema schema; /* of the batches they came in, and of those they go in */
} cli_people;

/* Reads the stream to its end and releases it. Ownership: the caller frees the people, even after a
 * failure. */
dp2dp_status cli_people_load(const dp2dp_schema *schema, struct ArrowArrayStream *stream,
                             cli_people *out, dp2dp_error *error);
void cli_people_free(cli_people *people);

/* The rows i with parts[i] = part, in order; parts NULL: all rows. Batches look like those of
 * dp2dp_schema_encode. Ownership: people and parts are borrowed until the stream is released; on
 * failure out->release is NULL. */
dp2dp_status cli_people_stream(const cli_people *people, const uint8_t *parts, uint8_t part,
                               struct ArrowArrayStream *out, dp2dp_error *error);

/* One run: split, train, fit, test. */

typedef enum cli_part {
    CLI_PART_TRAIN,
    CLI_PART_POOL,
    CLI_PART_TEST,
    CLI_PARTS
} cli_part;

typedef struct cli_pipeline {
    const cli_people *people;
    const dp2dp_schema *schema;
    dp2dp_train_options train; /* except the seed, which each run sets */
    dp2dp_fit_options fit;     /* also without the seed */
    size_t sizes[CLI_PARTS];   /* rows of each part */
    int has_seed;              /* 0: splits and noise come from the system */
    uint64_t seed;
    int keep;              /* which columns cli_run keeps for each row */
    cli_progress *watcher; /* called at each training step; NULL: none */
} cli_pipeline;

/* Counts on the test part, before (plain argmax) and after the fair rule; in the order of
 * cli_out_before_after. */
typedef enum cli_measure {
    CLI_ERROR_BEFORE,
    CLI_ERROR_AFTER,
    CLI_UNFAIRNESS_BEFORE,
    CLI_UNFAIRNESS_AFTER,
    CLI_MEASURES
} cli_measure;

typedef struct cli_run {
    dp2dp_status status;
    dp2dp_error error;
    double measures[CLI_MEASURES];
    double epsilon, delta;        /* of the model, NAN if nothing is promised */
    unsigned not_private_because; /* of the model */
    double noise;                 /* as cli_classifier_noise */
    uint8_t *parts;               /* of each row, and its decisions; NULL unless kept */
    int32_t *unfair, *fair;
} cli_run;

/* Deterministic with a seed, for any number of threads. Ownership: cli_run_drop_rows, whatever the
 * status. */
void cli_pipeline_run(const cli_pipeline *pipeline, uint64_t index, cli_run *out);
void cli_run_drop_rows(cli_run *run);

/* The results of the runs, as text and JSON. */

void cli_run_report(const cli_args *args, const cli_pipeline *pipeline, const cli_run *runs,
                    size_t count, cli_out *out);

/* --save: one CSV table for each run. */

/* Refuses a folder that cannot be created or written to, existing files without --force, and
 * inputs. Call it before the work. */
dp2dp_status cli_save_check(const cli_args *args, dp2dp_error *error);
/* Creates the folder if it is missing; *created says so. */
dp2dp_status cli_save_begin(const cli_args *args, int *created, dp2dp_error *error);
/* Each file is replaced in one step. Privacy: none, the files hold the records' own labels and
 * groups. */
dp2dp_status cli_save_runs(const cli_args *args, const cli_pipeline *pipeline, const cli_run *runs,
                           size_t count, dp2dp_error *error);

#endif
