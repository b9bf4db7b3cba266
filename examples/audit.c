/* Prints what a model promises and checks it against its own ledger: audit MODEL. */
#include <stdio.h>

#include <dp2dp/dp2dp.h>

static void print_reasons(unsigned reasons) {
    size_t count;
    const dp2dp_word *words = dp2dp_words(DP2DP_WORDS_NOT_PRIVATE, &count);
    for (size_t i = 0; i < count; i++)
        if (reasons & (unsigned)words[i].value)
            printf("NOT PRIVATE: %s\n", words[i].help);
}

static dp2dp_status print_ledger(const dp2dp_ledger *ledger, dp2dp_error *error) {
    for (size_t i = 0; i < dp2dp_ledger_size(ledger); i++) {
        dp2dp_event event = DP2DP_EVENT_INIT;
        dp2dp_rng_kind rng;
        dp2dp_status status = dp2dp_ledger_entry(ledger, i, &event, &rng, error);
        if (status)
            return status;
        printf("released: %s (%s), %llu times, noise %g for sensitivity %g\n",
               event.label ? event.label : "unnamed", dp2dp_mechanism_name(event.mechanism),
               (unsigned long long)event.count, event.sigma, event.sensitivity);
    }
    return DP2DP_STATUS_OK;
}

/* Recomputes the cost from the ledger entries alone. */
static dp2dp_status account(const dp2dp_model_info *info, double *epsilon, dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    dp2dp_status status = dp2dp_ledger_account(info->ledger, &accountant, error);
    if (!status)
        status = dp2dp_accountant_epsilon(accountant, info->delta, DP2DP_BACKEND_AUTO, epsilon,
                                          NULL, error);
    dp2dp_accountant_free(accountant);
    return status;
}

static dp2dp_status audit(const dp2dp_model_info *info, dp2dp_error *error) {
    double epsilon;
    printf("a rule for %zu groups and %zu classes, learned from %llu people\n", info->strata,
           info->classes, (unsigned long long)info->records);
    print_reasons(info->not_private_because);
    dp2dp_status status = print_ledger(info->ledger, error);
    if (status || info->epsilon != info->epsilon) /* NaN: no promise */
        return status;
    printf("promised: epsilon %.4f at delta %g\n", info->epsilon, info->delta);
    if (!(status = account(info, &epsilon, error)))
        printf("accounted anew: %.4f, %s\n", epsilon,
               epsilon <= info->epsilon ? "within what is promised" : "MORE than is promised");
    return status;
}

int main(int argc, char **argv) {
    dp2dp_model *model = NULL;
    dp2dp_error error;
    if (argc != 2) {
        fprintf(stderr, "usage: audit MODEL\n");
        return 2;
    }
    dp2dp_status status = dp2dp_model_load(argv[1], &model, &error);
    if (!status)
        status = audit(dp2dp_model_view(model), &error);
    if (status)
        fprintf(stderr, "audit: %s\n", error.message);
    dp2dp_model_free(model);
    return dp2dp_status_exit_code(status);
}
