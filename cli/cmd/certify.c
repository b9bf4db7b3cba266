#include <stdlib.h>

#include "cmd/cmd.h"
#include "common/number.h"
#include "input/kind.h"
#include "input/scores.h"
#include "privacy/privacy.h"
#include "show/show.h"

/* Everything that certify allocates; cmd_certify frees it. */
typedef struct proof {
    dp2dp_model *model;
    const dp2dp_model_info *info;
    dp2dp_pool *pool;
    dp2dp_ledger *ledger; /* the file of --ledger; without it, a ledger in memory */
    dp2dp_certify_options options;
    dp2dp_certificate certificate;
    double epsilon; /* cost of this certificate, at --delta */
    cli_spent spent;
} proof;

static dp2dp_status read_people(const cli_args *args, proof *p, dp2dp_error *error) {
    cli_columns columns = {0};
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_kind_model(args, &p->model, error));
    p->info = dp2dp_model_view(p->model);
    if (p->info->strata == 0) {
        CLI_TRY_OR_DONE(cli_refuse(
            error, "the model has no fair rule yet: learn one with dp2dp fit TABLE --model %.120s",
            args->operands[0]));
    }
    CLI_TRY_OR_DONE(cli_columns_of_model(args, p->model, 0, &columns, error));
    options.strata = p->info->strata;
    options.row_sums = p->info->row_sums;
    options.dither = p->info->dither;
    options.threads = (unsigned)cli_count(args, "threads");
    status = cli_scores_pool(&columns, &options, &p->pool, error);
done:
    cli_columns_free(&columns);
    return status;
}

/* Assumes at most as many rows per person in TABLE as the model's ledger states. */
static void read_settings(const cli_args *args, proof *p) {
    p->options = DP2DP_CERTIFY_OPTIONS_INIT;
    p->options.epsilon = cli_real(args, "epsilon");
    p->options.delta = cli_real(args, "delta");
    p->options.confidence = cli_real(args, "confidence");
    if (cli_given(args, "insecure-seed")) {
        p->options.rng = DP2DP_RNG_INSECURE;
        p->options.insecure_seed = cli_count(args, "insecure-seed");
    }
    for (size_t i = 0; i < dp2dp_ledger_size(p->info->ledger); i++) {
        uint64_t rows = cli_entry(p->info->ledger, i, NULL).rows_per_person;
        if (rows > p->options.rows_per_person) {
            p->options.rows_per_person = rows;
        }
    }
}

static dp2dp_status rehearse(const cli_args *args, proof *p, cli_out *out, dp2dp_error *error) {
    dp2dp_source source = dp2dp_pool_source(p->pool);
    CLI_TRY(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &p->ledger, error));
    CLI_TRY(dp2dp_certify_plan(&source, p->model, &p->options, p->ledger, error));
    return cli_dry_print(args, p->ledger, out, error);
}

static dp2dp_status certify(const cli_args *args, proof *p, dp2dp_error *error) {
    dp2dp_source source = dp2dp_pool_source(p->pool);
    CLI_TRY(cli_spend_open(args, CLI_SPEND_FILE, &p->ledger, error));
    if (p->ledger == NULL) {
        CLI_TRY(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &p->ledger, error));
    }
    p->options.ledger = p->ledger;
    p->certificate = DP2DP_CERTIFICATE_INIT;
    p->certificate.table = calloc(p->info->strata * p->info->classes, sizeof(double));
    CLI_TRY(cli_check_memory(p->certificate.table, "the table", error));
    dp2dp_status status = dp2dp_certify(&source, p->model, &p->options, &p->certificate, error);
    return cli_spend_failure(args, status, error);
}

/* A certificate is one entry, the last of the ledger. */
static dp2dp_status account(const cli_args *args, proof *p, dp2dp_error *error) {
    cli_entries own = {.ledger = p->ledger, .first = dp2dp_ledger_size(p->ledger) - 1};
    CLI_TRY(cli_spend_of(&own, NULL, cli_real(args, "delta"), &p->epsilon, error));
    return cli_spend_total(args, p->ledger, &p->spent, error);
}

static void print_json(const cli_args *args, const proof *p, cli_out *out) {
    const dp2dp_certificate *c = &p->certificate;
    cli_json json = cli_json_begin(out->stream);
    cli_json_real(&json, "unfairness_upper", c->unfairness_upper);
    cli_json_real(&json, "unfairness_upper_strict", c->unfairness_upper_strict);
    cli_json_real(&json, "confidence", c->confidence);
    cli_json_truth(&json, "group_too_small", c->group_too_small);
    cli_cost_json(p->epsilon, cli_real(args, "delta"), DP2DP_REPLACE_ONE, &json);
    cli_json_count(&json, "rows_per_person", p->options.rows_per_person);
    cli_json_truth(&json, "private", c->is_private);
    cli_json_real(&json, "sigma", c->sigma);
    cli_json_texts(&json, "groups", p->info->names.groups, p->info->strata);
    cli_json_texts(&json, "classes", p->info->names.classes, p->info->classes);
    cli_json_table(&json, "table", c->table, p->info->strata, p->info->classes);
    cli_spent_json(&p->spent, &json);
    if (p->spent.path == NULL) {
        cli_entries_json(p->ledger, &json);
    }
    cli_json_end(&json);
}

static void print_text(const cli_args *args, const proof *p, cli_out *out) {
    const dp2dp_certificate *c = &p->certificate;
    cli_reasons_text(c->is_private ? 0 : DP2DP_NOT_PRIVATE_INSECURE_NOISE, out);
    fprintf(out->stream, "%sUnfairness is at most %s, with confidence %s%s\n", cli_bold(out),
            cli_number_up(c->unfairness_upper, 3).text, cli_number_exact(c->confidence).text,
            cli_plain(out));
    if (c->group_too_small) {
        cli_out_row(out, "too small",
                    "a group is lost in the noise, so nothing is known about it. More people or a "
                    "larger epsilon would help");
    }
    cli_out_row(out, "strict", "at most %s, for any sample size (no approximation)",
                cli_number_up(c->unfairness_upper_strict, 3).text);
    cli_protects_text(DP2DP_REPLACE_ONE, p->options.rows_per_person, out);
    cli_out_row(out, "epsilon", "%s", cli_number_up(p->epsilon, 4).text);
    cli_out_row(out, "delta", "%s", cli_number_up(cli_real(args, "delta"), 4).text);
    cli_out_row(out, "noise", "standard deviation %s on each count",
                cli_number_up(c->sigma, 4).text);
    cli_spent_text(&p->spent, out);
    if (p->spent.path == NULL) {
        cli_out_row(out, "ledger", "not kept; use --ledger FILE to record this release");
    }
    cli_out_section(out, "Decisions counted, with noise");
    cli_out_table(out, &(cli_table) {p->info->strata, p->info->classes, p->info->names.groups,
                                     p->info->names.classes, c->table, 0});
    cli_out_section(out, "What it means");
    cli_out_prose(out,
                  "In the population these people were drawn from, the rate of any class differs "
                  "between two groups by at most the bound. If people were drawn and noise added "
                  "again and again, the bound would fail in at most %.3g %% of all cases. The "
                  "bound holds only if the model was learned from other people.",
                  100 * (1 - c->confidence));
    if (c->is_private) {
        cli_explain_odds(p->epsilon, cli_real(args, "delta"), out);
        cli_caution_delta(cli_real(args, "delta"), dp2dp_pool_source(p->pool).records, out);
    }
}

dp2dp_status cmd_certify(const cli_args *args, cli_out *out, dp2dp_error *error) {
    proof p = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(read_people(args, &p, error));
    read_settings(args, &p);
    if (cli_given(args, "dry-run")) {
        CLI_TRY_OR_DONE(rehearse(args, &p, out, error));
    } else {
        CLI_TRY_OR_DONE(certify(args, &p, error));
        CLI_TRY_OR_DONE(account(args, &p, error));
        (cli_given(args, "json") ? print_json : print_text)(args, &p, out);
    }
done:
    free(p.certificate.table);
    dp2dp_ledger_free(p.ledger);
    dp2dp_pool_free(p.pool);
    dp2dp_model_free(p.model);
    return status;
}
