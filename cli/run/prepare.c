/* What comes before the runs: the rows, their split, and the ledger. */
#include "run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/show.h"

dp2dp_status cli_split_read(const char *text, size_t parts, double shares[CLI_PARTS],
                            dp2dp_error *error) {
    const char *at = text;
    double sum = 0;
    size_t count = CLI_PARTS - parts; /* with two parts, there is no train part */
    shares[CLI_PART_TRAIN] = 0;
    while (count < CLI_PARTS) {
        char *end;
        shares[count] = strtod(at, &end);
        if (!(shares[count] > 0) || *end != (count + 1 < CLI_PARTS ? ',' : '\0')) {
            break;
        }
        sum += shares[count++];
        at = end + 1;
    }
    return count == CLI_PARTS && fabs(sum - 1) <= 1e-9
               ? DP2DP_STATUS_OK
               : cli_refuse(error,
                            "--split '%.60s' is not %s numbers above 0 that sum to 1, such as %s",
                            text, parts == CLI_PARTS ? "three" : "two",
                            parts == CLI_PARTS ? "0.55,0.20,0.25" : "0.5,0.5");
}

/* Rounds the sizes of the first two parts down to whole rows; the last part gets the other rows. A
 * size less than 1e-9 below a whole number counts as that number. */
dp2dp_status cli_split_size(const char *text, const double shares[CLI_PARTS], cli_pipeline *p,
                            dp2dp_error *error) {
    int trains = shares[CLI_PART_TRAIN] > 0;
    for (int i = 0; i < 2; i++) {
        p->sizes[i] = (size_t)floor(shares[i] * (double)p->count + 1e-9);
    }
    size_t both = p->sizes[CLI_PART_TRAIN] + p->sizes[CLI_PART_POOL];
    p->sizes[CLI_PART_TEST] = p->count > both ? p->count - both : 0;
    return (p->sizes[CLI_PART_TRAIN] > 0 || !trains) && p->sizes[CLI_PART_POOL] > 1 &&
                   p->sizes[CLI_PART_TEST] > 0
               ? DP2DP_STATUS_OK
               : cli_fail(error, DP2DP_STATUS_DATA,
                          "%zu rows are too few for --split %.60s: the parts need at least %s2 "
                          "and 1 rows",
                          p->count, text, trains ? "1, " : "");
}

dp2dp_status cli_pipeline_read(const cli_args *args, cli_labelled *table, cli_people *people,
                               cli_pipeline *p, dp2dp_error *error) {
    CLI_TRY(cli_labelled_schema(args, DP2DP_PART_LABEL, table, error));
    if (table->info->group_count == 0) {
        return cli_fail(error, DP2DP_STATUS_DATA,
                        "%.120s: the schema has no sensitive column, so there are no groups",
                        cli_word(args, "schema"));
    }
    table->watch.hides_group = cli_given(args, "unaware");
    table->watch.is_training = 1;
    table->watch.seeks_copies =
        !cli_given(args, "person") && cli_count(args, "rows-per-person") <= 1;
    CLI_TRY(cli_labelled_open(args, DP2DP_PART_FEATURES | DP2DP_PART_LABEL | DP2DP_PART_GROUP,
                              table, error));
    CLI_TRY(cli_people_load(table->schema, &table->stream, people, error));
    if (cli_given(args, "person")) {
        CLI_TRY(cli_persons_read(args, table, people, error));
    }
    p->table = table;
    p->people = people;
    p->schema = table->schema;
    p->count = people->count;
    p->groups = table->info->group_count;
    p->classes = table->info->class_count;
    p->group_names = table->info->groups;
    return DP2DP_STATUS_OK;
}

/* Sets p->fit.people to SAME if somebody may be both in the train part and in the pool part.
 * Without --person, rows are assigned to parts one by one, so a person with several rows may be in
 * both parts. With --person, nobody is in two parts, except with --pool same. */
dp2dp_status cli_pool_read(const cli_args *args, cli_pipeline *p, dp2dp_error *error) {
    int shares_rows = cli_count(args, "rows-per-person") > 1 && !cli_given(args, "person");
    p->one_set = strcmp(cli_word(args, "pool"), "same") == 0;
    p->fit.people = p->one_set || shares_rows ? DP2DP_PEOPLE_SAME : DP2DP_PEOPLE_OTHER;
    p->train.train_share = p->one_set ? cli_real(args, "train-share") : 0;
    if (cli_given(args, "train-share") && !p->one_set) {
        return cli_refuse(error, "--train-share needs --pool same: otherwise training and rule "
                                 "each have the whole budget");
    }
    if (p->one_set && strstr(cli_word(args, "solver"), "sgd-as-published")) {
        return cli_refuse(error, "--pool same does not work with --solver sgd-as-published: "
                                 "training and rule share one budget, but the noise of this solver "
                                 "does not follow a budget. Use --solver counts or --solver sgd");
    }
    return DP2DP_STATUS_OK;
}

/* With --pool same, training and rule share the budget. But if training draws no noise, their total
 * epsilon would be infinite, so the rule alone gets the budget. */
void cli_pool_budget(double epsilon, cli_pipeline *p) {
    p->train.epsilon = epsilon;
    int total = p->one_set && cli_classifier_is_noisy(&p->train);
    p->fit.epsilon = total ? NAN : epsilon;
    p->fit.total_epsilon = total ? epsilon : 0;
}

size_t cli_part_size(const cli_pipeline *p, cli_part part) {
    return p->one_set && part != CLI_PART_TEST ? p->sizes[CLI_PART_TRAIN] + p->sizes[CLI_PART_POOL]
                                               : p->sizes[part];
}

dp2dp_status cli_run_expose(const cli_args *args, dp2dp_ledger *ledger, const char *id,
                            dp2dp_error *error) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = DP2DP_EXPOSED;
    event.label = "error and unfairness, counted as they are";
    event.set = cli_word(args, "people");
    event.release_id = id;
    return cli_spend_failure(args, dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, error),
                             error);
}
