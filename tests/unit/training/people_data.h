/* Classifiers and fits of people with and without a name. */
#ifndef DP2DP_TESTS_UNIT_TRAINING_PEOPLE_DATA_H
#define DP2DP_TESTS_UNIT_TRAINING_PEOPLE_DATA_H

#include "unit/training/data.h"

static inline const dp2dp_model_info *view(const dp2dp_model *model) {
    return dp2dp_model_view(model);
}

/* A classifier of 2,000 people, and their scores. */
static inline dp2dp_model *train(dp2dp_train_method method, const char *name,
                                 dp2dp_ledger *ledger) {
    dp2dp_train_options options = api_options(method);
    options.people_name = name;
    options.ledger = ledger;
    write_people(API_ROWS, 7);
    return train_people(api_schema, &options, API_CHUNK);
}

static inline dp2dp_fit_options fit_of(double epsilon, dp2dp_people whom, dp2dp_ledger *ledger) {
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    options.epsilon = epsilon;
    options.delta = 1e-6;
    options.steps = 5;
    options.people = whom;
    options.ledger = ledger;
    return options;
}

#endif
