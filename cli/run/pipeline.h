/* Split, train, fit, test: one run of it. */
#ifndef CLI_PIPELINE_H
#define CLI_PIPELINE_H

#include "common/progress.h"
#include "run/people.h"

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

typedef struct cli_measure {
    double error, unfairness;
} cli_measure;

typedef struct cli_run {
    dp2dp_status status;
    dp2dp_error error;
    cli_measure before, after; /* on the test part: the plain argmax, and the fair rule */
    double epsilon, delta;     /* of the model, NAN where nothing is promised */
    unsigned leaks;            /* of the model */
    double noise;              /* as cli_classifier_noise */
    uint8_t *parts;            /* of each row, and its decisions; NULL unless kept */
    int32_t *unfair, *fair;
} cli_run;

/* Deterministic where there is a seed, whatever the number of threads. Ownership:
 * cli_run_drop_rows, whatever the status. */
void cli_pipeline_run(const cli_pipeline *pipeline, uint64_t index, cli_run *out);
void cli_run_drop_rows(cli_run *run);

#endif
