/* A privacy budget: how much noise it buys, and how charges beyond it are refused. */
#include <stdio.h>

#include <dp2dp/dp2dp.h>

/* Eighty tables of counts about the same people. Replacing one person moves two cells by one. */
static const dp2dp_event tables = {
    .struct_size = sizeof(dp2dp_event),
    .mechanism = DP2DP_GAUSSIAN,
    .sensitivity = 1.4142135623730951,
    .count = 80,
    .rows_per_person = 1,
    .label = "decision tables",
};

/* Finds the smallest noise that keeps the tables within (epsilon, delta). */
static dp2dp_status find_noise(double epsilon, double delta, dp2dp_event *event,
                               dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    *event = tables;
    dp2dp_status status = dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, error);
    if (!status)
        status = dp2dp_accountant_calibrate(accountant, DP2DP_BACKEND_AUTO, DP2DP_FIND_SIGMA,
                                            epsilon, delta, event, NULL, error);
    dp2dp_accountant_free(accountant);
    return status;
}

/* The total cost of everything charged so far. */
static dp2dp_status spent(const dp2dp_ledger *ledger, double delta, double *epsilon,
                          dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    dp2dp_status status = dp2dp_ledger_account(ledger, &accountant, error);
    if (!status)
        status =
            dp2dp_accountant_epsilon(accountant, delta, DP2DP_BACKEND_AUTO, epsilon, NULL, error);
    dp2dp_accountant_free(accountant);
    return status;
}

/* Charges the tables until the budget refuses. */
static dp2dp_status spend(dp2dp_ledger *ledger, const dp2dp_event *event, dp2dp_error *error) {
    dp2dp_status status;
    double epsilon = 0;
    unsigned charges = 0;
    while (!(status = dp2dp_ledger_charge(ledger, event, DP2DP_RNG_SECURE, error))) {
        /* Draw the noise here, after the charge. */
        if ((status = spent(ledger, 1e-5, &epsilon, error)))
            return status;
        printf("charged %u times, epsilon %.4f\n", ++charges, epsilon);
    }
    if (status != DP2DP_STATUS_BUDGET)
        return status;
    printf("refused: %s\n", error->message);
    return DP2DP_STATUS_OK;
}

int main(void) {
    dp2dp_ledger *ledger = NULL;
    dp2dp_event event;
    dp2dp_error error;
    dp2dp_status status = find_noise(0.5, 1e-5, &event, &error);
    if (!status) {
        printf("standard deviation %.2f on every count\n", event.sigma);
        status = dp2dp_ledger_new(DP2DP_REPLACE_ONE, &ledger, &error);
    }
    if (!status)
        status = dp2dp_ledger_set_budget(ledger, 1, 1e-5, &error);
    if (!status)
        status = spend(ledger, &event, &error);
    if (status)
        fprintf(stderr, "account: %s\n", error.message);
    dp2dp_ledger_free(ledger);
    return dp2dp_status_exit_code(status);
}
