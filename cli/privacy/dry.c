#include "privacy/privacy.h"

#include <math.h>
#include <stdlib.h>

#include "common/number.h"

/* Charges all that is in `from` to `to`. */
static dp2dp_status charge_all(const dp2dp_ledger *from, dp2dp_rng_kind rng, dp2dp_ledger *to,
                               dp2dp_error *error) {
    for (size_t i = 0; i < dp2dp_ledger_size(from); i++) {
        dp2dp_event event = DP2DP_EVENT_INIT;
        dp2dp_rng_kind ignored;
        CLI_TRY(dp2dp_ledger_entry(from, i, &event, &ignored, error));
        CLI_TRY(dp2dp_ledger_charge(to, &event, rng, error));
    }
    return DP2DP_STATUS_OK;
}

/* The charge comes first: cancelling after it leaves its entries in a scratch ledger. They go to
 * *dry as the command's own noise would have it. Frees scratch. */
static dp2dp_status keep(dp2dp_ledger *scratch, dp2dp_status cancelled, dp2dp_rng_kind rng,
                         cli_dry **dry, dp2dp_error *error) {
    dp2dp_status status = cancelled == DP2DP_STATUS_CANCELLED ? DP2DP_STATUS_OK : cancelled;
    CLI_TRY_OR_DONE(status);
    if (*dry == NULL) {
        CLI_TRY_OR_DONE(dp2dp_ledger_new(DP2DP_REPLACE_ONE, dry, error));
    }
    status = charge_all(scratch, rng, *dry, error);
done:
    dp2dp_ledger_free(scratch);
    return status;
}

static int stop(void *context, uint64_t step, uint64_t total) {
    (void)context;
    (void)step;
    (void)total;
    return 1;
}

static dp2dp_status count_nobody(void *context, const float *offsets, int64_t *table,
                                 dp2dp_error *error) {
    (void)context;
    (void)offsets;
    (void)table;
    return cli_fail(error, DP2DP_STATUS_CANCELLED, "a dry run counts nobody");
}

dp2dp_status cli_dry_train(const dp2dp_schema *schema, struct ArrowArrayStream *rows,
                           const dp2dp_train_options *options, cli_dry **dry, dp2dp_error *error) {
    dp2dp_train_options used = *options;
    dp2dp_model *model = NULL;
    dp2dp_status status = dp2dp_ledger_new(DP2DP_REPLACE_ONE, &used.ledger, error);
    if (status != DP2DP_STATUS_OK) {
        rows->release(rows);
        return status;
    }
    used.rng = DP2DP_RNG_INSECURE;
    used.progress = stop;
    status = dp2dp_train(schema, rows, &used, &model, error);
    dp2dp_model_free(model);
    return keep(used.ledger, status, options->rng, dry, error);
}

/* So many people without any property: the solvers that want records get these. */
static dp2dp_status make_nobody(uint64_t records, size_t groups, size_t classes, dp2dp_pool **out,
                                dp2dp_error *error) {
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    float *row = calloc(classes, sizeof *row);
    int32_t *codes = calloc(records, sizeof *codes);
    dp2dp_status status = DP2DP_STATUS_MEMORY;
    if (row == NULL || codes == NULL) {
        (void)cli_fail(error, status, "out of memory for %zu rows", (size_t)records);
    } else {
        row[0] = 1;
        for (uint64_t i = 0; i < records; i++) {
            codes[i] = (int32_t)(i % groups);
        }
        dp2dp_matrix scores = {.data = row,
                               .type = DP2DP_FLOAT32,
                               .rows = records,
                               .columns = classes,
                               .row_stride = 0,
                               .column_stride = sizeof *row};
        dp2dp_column strata = {
            .data = codes, .type = DP2DP_INT32, .rows = records, .stride = sizeof *codes};
        options.strata = groups;
        status = dp2dp_pool_new(&scores, &strata, &options, out, error);
    }
    free(row);
    free(codes);
    return status;
}

dp2dp_status cli_dry_fit(uint64_t records, size_t groups, size_t classes,
                         const dp2dp_fit_options *options, cli_dry **dry, dp2dp_error *error) {
    dp2dp_fit_options used = *options;
    dp2dp_model *model = NULL;
    dp2dp_pool *pool = NULL;
    dp2dp_source source = {.struct_size = sizeof source,
                           .records = records,
                           .strata = groups,
                           .classes = classes,
                           .row_sums = DP2DP_ROW_SUMS_CHECK,
                           .count = count_nobody};
    if (used.solver != DP2DP_SOLVER_COUNTS) {
        CLI_TRY(make_nobody(records, groups, classes, &pool, error));
        source = dp2dp_pool_source(pool);
    }
    used.rng = DP2DP_RNG_INSECURE;
    used.progress = stop;
    dp2dp_status status = dp2dp_ledger_new(DP2DP_REPLACE_ONE, &used.ledger, error);
    CLI_TRY_OR_DONE(status);
    status = dp2dp_fit(&source, &used, &model, error);
    status = keep(used.ledger, status, options->rng, dry, error);
done:
    dp2dp_model_free(model);
    dp2dp_pool_free(pool);
    return status;
}

dp2dp_status cli_dry_certify(const dp2dp_source *like, const dp2dp_model *model,
                             const dp2dp_certify_options *options, cli_dry **dry,
                             dp2dp_error *error) {
    dp2dp_certify_options used = *options;
    dp2dp_certificate certificate = DP2DP_CERTIFICATE_INIT;
    dp2dp_source source = *like;
    CLI_TRY(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &used.ledger, error));
    source.count = count_nobody;
    used.rng = DP2DP_RNG_INSECURE;
    dp2dp_status status = dp2dp_certify(&source, model, &used, &certificate, error);
    return keep(used.ledger, status, options->rng, dry, error);
}

/* What the ledger file would be like. */
typedef struct outlook {
    double epsilon;   /* of this command alone; NAN: no noise */
    cli_spent before; /* of --ledger; path NULL: there is none */
    double after;
    int allowed;
} outlook;

/* Charges a copy: its budget decides, as that of the file would. */
static dp2dp_status ask_ledger(const cli_args *args, const cli_dry *dry, outlook *out,
                               dp2dp_error *error) {
    dp2dp_ledger *copy = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY(cli_spend_copy(args, &copy, error));
    if (copy == NULL) {
        return DP2DP_STATUS_OK;
    }
    CLI_TRY_OR_DONE(cli_spend_total(args, copy, &out->before, error));
    CLI_TRY_OR_DONE(cli_spend_together(copy, dry, out->before.delta, &out->after, error));
    status = charge_all(dry, DP2DP_RNG_SECURE, copy, error);
    if (status == DP2DP_STATUS_BUDGET) {
        out->allowed = 0;
        status = DP2DP_STATUS_OK;
    }
done:
    dp2dp_ledger_free(copy);
    return status;
}

static dp2dp_status print_json(const cli_args *args, const cli_dry *dry, const outlook *o,
                               cli_out *out, dp2dp_error *error) {
    cli_json json = cli_json_begin(out->stream);
    cli_json_truth(&json, "dry_run", 1);
    cli_json_real(&json, "epsilon", o->epsilon);
    cli_json_real(&json, "delta", isnan(o->epsilon) ? NAN : cli_real(args, "delta"));
    cli_json_text(&json, "adjacency", dp2dp_adjacency_name(DP2DP_REPLACE_ONE));
    cli_spent_json(&o->before, &json);
    cli_json_real(&json, "spent_after", o->before.path ? o->after : NAN);
    cli_json_truth(&json, "allowed", o->allowed);
    if (dry) {
        CLI_TRY(cli_entries_json(dry, &json, error));
    } else {
        cli_json_open_array(&json, "entries");
        cli_json_close_array(&json);
    }
    cli_json_end(&json);
    return DP2DP_STATUS_OK;
}

/* Weights that were trained elsewhere may come with what their makers promise. */
static int is_declared(const cli_args *args) {
    return cli_option_find(args->verb, "weights") && cli_given(args, "weights") &&
           cli_given(args, "epsilon");
}

static dp2dp_status print_text(const cli_args *args, const cli_dry *dry, const outlook *o,
                               cli_out *out, dp2dp_error *error) {
    fprintf(out->stream, "%sDry run%s: nothing was charged, drawn or written\n", cli_bold(out),
            cli_plain(out));
    if (dry == NULL) {
        cli_out_row(out, "would charge", "nothing: no noise is added%s",
                    is_declared(args) ? "" : ", and nothing is promised");
        return DP2DP_STATUS_OK;
    }
    cli_out_row(out, "would charge", "epsilon %s at delta %s", cli_number_up(o->epsilon, 4).text,
                cli_number_up(cli_real(args, "delta"), 4).text);
    cli_spent_text(&o->before, out);
    if (o->before.path) {
        cli_out_row(out, "afterwards", "epsilon %s%s%s in all: %s", cli_number_up(o->after, 4).text,
                    o->before.has_budget ? " of " : "",
                    o->before.has_budget ? cli_number_exact(o->before.budget).text : "",
                    o->allowed ? "allowed"
                               : "NOT allowed by the budget, the command would end with 3");
    }
    return cli_entries_text(dry, out, error);
}

dp2dp_status cli_dry_print(const cli_args *args, const cli_dry *dry, cli_out *out,
                           dp2dp_error *error) {
    outlook o = {.epsilon = NAN, .allowed = 1};
    if (dry) {
        CLI_TRY(cli_spend_together(dry, NULL, cli_real(args, "delta"), &o.epsilon, error));
    }
    if (cli_option_find(args->verb, "ledger")) {
        CLI_TRY(ask_ledger(args, dry, &o, error));
    }
    return (cli_given(args, "json") ? print_json : print_text)(args, dry, &o, out, error);
}
