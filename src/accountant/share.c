#include "accountant/share.h"

#include <math.h>

#include "base/error.h"

/* A release of sensitivity 1 has μ = 1/σ, so dividing σ by √share multiplies μ² by share. */
dp2dp_status dp2dpi_share_of_epsilon(double epsilon, double delta, double share, double *part,
                                     dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_status status = DP2DP_STATUS_OK;
    event.mechanism = DP2DP_GAUSSIAN;
    event.sensitivity = 1.0;
    DP2DPI_TRY(dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, error));
    DP2DPI_TRY_OR_DONE(dp2dp_accountant_calibrate(
        accountant, DP2DP_BACKEND_ANALYTIC, DP2DP_FIND_SIGMA, epsilon, delta, &event, NULL, error));
    event.sigma /= sqrt(share);
    DP2DPI_TRY_OR_DONE(dp2dp_accountant_add(accountant, &event, error));
    DP2DPI_TRY_OR_DONE(
        dp2dp_accountant_epsilon(accountant, delta, DP2DP_BACKEND_ANALYTIC, part, NULL, error));
done:
    dp2dp_accountant_free(accountant);
    return status;
}
