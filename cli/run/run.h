/* The pipeline that `run` repeats: its people, one run of it, and what becomes of the results. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include <stdint.h>

#include "args/args.h"
#include "common/out.h"
#include "common/progress.h"

/* Encoded rows in memory, and parts of them as streams: what is split again and again is read and
 * encoded once. */

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

/* Those i with parts[i] = part, in order; parts NULL: everybody. Batches are those of
 * dp2dp_schema_encode. Ownership: people and parts are borrowed until the stream is released; on
 * failure out->release is NULL. */
dp2dp_status cli_people_stream(const cli_people *people, const uint8_t *parts, uint8_t part,
                               struct ArrowArrayStream *out, dp2dp_error *error);

/* Split, train, fit, test: one run of it. */

typedef enum cli_part {
    CLI_PART_TRAIN,
    CLI_PART_POOL,
    CLI_PART_TEST,
    CLI_PARTS
} cli_part;

typedef struct cli_pipeline {
    const cli_people *people;
    const dp2dp_schema *schema;
    dp2dp_train_options train; /* but the seed, which is that of each run */
    dp2dp_fit_options fit;     /* likewise */
    size_t sizes[CLI_PARTS];   /* rows of each part */
    int has_seed;              /* 0: splits and noise are secret */
    uint64_t seed;
    int keep;              /* what cli_run keeps of each row */
    cli_progress *watcher; /* of the steps of training; NULL: nobody */
} cli_pipeline;

/* What is counted on the test part, with the plain argmax and with the fair rule. */
typedef enum cli_measure {
    CLI_ERROR_BEFORE,
    CLI_UNFAIRNESS_BEFORE,
    CLI_ERROR_AFTER,
    CLI_UNFAIRNESS_AFTER,
    CLI_MEASURES
} cli_measure;

typedef struct cli_run {
    dp2dp_status status;
    dp2dp_error error;
    double measures[CLI_MEASURES];
    double epsilon, delta;        /* of the model, NAN where nothing is promised */
    unsigned not_private_because; /* of the model */
    double noise;                 /* as cli_classifier_noise */
    uint8_t *parts;               /* of each row, and its decisions; NULL unless kept */
    int32_t *unfair, *fair;
} cli_run;

/* Deterministic where there is a seed, whatever the number of threads. Ownership:
 * cli_run_drop_rows, whatever the status. */
void cli_pipeline_run(const cli_pipeline *pipeline, uint64_t index, cli_run *out);
void cli_run_drop_rows(cli_run *run);

/* What the runs gave, in words and in JSON. */

void cli_run_report(const cli_args *args, const cli_pipeline *pipeline, const cli_run *runs,
                    size_t count, cli_out *out);

/* --save: one CSV table for each run. */

/* Refuses a folder that cannot be made or written to, files that are already there without --force,
 * and inputs. Call it before the work. */
dp2dp_status cli_save_check(const cli_args *args, dp2dp_error *error);
/* Makes the folder if it is not there; *created: it was not. */
dp2dp_status cli_save_begin(const cli_args *args, int *created, dp2dp_error *error);
/* Each file is replaced all at once. Privacy: none, these are the records' own labels and groups.
 */
dp2dp_status cli_save_runs(const cli_args *args, const cli_pipeline *pipeline, const cli_run *runs,
                           size_t count, dp2dp_error *error);

#endif
