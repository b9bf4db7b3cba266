#include "input/criterion.h"

#include <stdlib.h>
#include <string.h>

static dp2dp_status check(const cli_criterion *c, const char *solver, dp2dp_error *error) {
    int plain = !c->labelled && !c->unaware;
    if (!plain && !cli_list_has("counts|exact", solver)) {
        return cli_refuse(error,
                          "--solver %s works only for demographic parity with a rule that sees the "
                          "group: use --solver counts or exact",
                          solver);
    }
    return c->counted == DP2DP_COUNTED_SCORES && plain
               ? cli_refuse(error, "--counted scores works only with --unaware, or with a "
                                   "--criterion other than demographic_parity")
               : DP2DP_STATUS_OK;
}

int cli_criterion_is_rate(const cli_criterion *c) {
    return c->criterion == DP2DP_TRUE_POSITIVE_RATE_PARITY ||
           c->criterion == DP2DP_FALSE_POSITIVE_RATE_PARITY;
}

dp2dp_status cli_criterion_choose(const cli_args *args, const char *criterion, const char *solver,
                                  cli_criterion *out, dp2dp_error *error) {
    *out =
        (cli_criterion) {.unaware = cli_given(args, "unaware"),
                         .counted = (dp2dp_counted)cli_enum(args, "counted", DP2DP_WORDS_COUNTED)};
    CLI_TRY(dp2dp_criterion_parse(criterion, &out->criterion, error));
    out->labelled = out->criterion != DP2DP_DEMOGRAPHIC_PARITY;
    return check(out, solver, error);
}

dp2dp_status cli_criterion_read(const cli_args *args, cli_criterion *out, dp2dp_error *error) {
    CLI_TRY(cli_criterion_choose(args, cli_word(args, "criterion"), cli_word(args, "solver"), out,
                                 error));
    return cli_given(args, "positive") && !cli_criterion_is_rate(out)
               ? cli_refuse(error,
                            "--positive is only for --criterion true_positive_rate_parity or "
                            "false_positive_rate_parity: %s compares every class",
                            dp2dp_criterion_name(out->criterion))
               : DP2DP_STATUS_OK;
}

static dp2dp_status find_positive(const cli_args *args, const char *const *class_names,
                                  size_t classes, int32_t *out, dp2dp_error *error) {
    const char *name = cli_word(args, "positive");
    char number[CLI_NAME_SIZE], words[CLI_WORDS_SIZE];
    for (size_t k = 0; k < classes; k++) {
        snprintf(number, sizeof number, "%zu", k);
        if (strcmp(name, class_names ? class_names[k] : number) == 0) {
            *out = (int32_t)k;
            return DP2DP_STATUS_OK;
        }
    }
    return class_names
               ? cli_refuse(error, "--positive '%.60s' is not a class; the classes are %s", name,
                            cli_listed(class_names, classes, " and ", words, sizeof words))
               : cli_refuse(error,
                            "--positive '%.60s' is not a class; without --classes, the classes are "
                            "0 to %zu",
                            name, classes - 1);
}

dp2dp_status cli_criterion_options(const cli_args *args, const char *const *class_names,
                                   size_t classes, cli_criterion *out, dp2dp_fit_options *options,
                                   dp2dp_error *error) {
    options->criterion = out->criterion;
    if (cli_given(args, "positive")) {
        CLI_TRY(find_positive(args, class_names, classes, &options->positive, error));
    }
    if (out->labelled) {
        out->dither.width = dp2dp_fit_dither(options, classes);
    }
    out->dither_key =
        out->labelled || out->unaware ? DP2DP_DITHER_KEY_SCORES : DP2DP_DITHER_KEY_ROW;
    return DP2DP_STATUS_OK;
}

int cli_criterion_reads_labels(const cli_criterion *c) {
    return c->labelled && c->counted == DP2DP_COUNTED_LABELS;
}

void cli_criterion_pool(const cli_criterion *c, size_t groups, size_t classes,
                        dp2dp_pool_options *options) {
    options->labels = c->labelled ? classes : 0;
    options->strata = groups * (c->labelled ? classes : 1);
    options->counted = c->counted;
    options->dither = c->dither;
    options->dither_key = c->dither.width > 0 ? c->dither_key : DP2DP_DITHER_KEY_ROW;
}
