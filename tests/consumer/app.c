/* A program outside this tree: it uses the installed headers and library only. */
#include <dp2dp/dp2dp.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    dp2dp_error error;
    dp2dp_accountant *accountant = NULL;
    double epsilon;

    dp2dp_event counts = DP2DP_EVENT_INIT; /* 80 noisy tables of counts */
    counts.mechanism = DP2DP_GAUSSIAN;
    counts.sensitivity = 1.4142135623730951; /* one person moves two cells by one: sqrt(2) */
    counts.sigma = 100;
    counts.count = 80;

    dp2dp_status status = dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, &error);
    if (!status)
        status = dp2dp_accountant_add(accountant, &counts, &error);
    if (!status)
        status =
            dp2dp_accountant_epsilon(accountant, 1e-5, DP2DP_BACKEND_AUTO, &epsilon, NULL, &error);
    dp2dp_accountant_free(accountant);
    if (status) {
        fprintf(stderr, "%s\n", error.message);
        return dp2dp_status_exit_code(status);
    }
    printf("version %s, epsilon %.4f at delta 1e-5\n", dp2dp_version(), epsilon);
    return strcmp(dp2dp_version(), DP2DP_VERSION) != 0;
}
