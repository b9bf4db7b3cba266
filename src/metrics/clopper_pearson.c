#include "metrics/clopper_pearson.h"

#include "num/beta.h"

/* Let c = successes and n = successes + failures. Finds the rate p at which n trials have c or more
 * successes with probability `tail`. This probability is I_p(c, n − c + 1), where I is the
 * regularised incomplete beta function. */
double dp2dpi_interval_low(double successes, double failures, double tail) {
    return successes > 0.0 ? dp2dpi_beta_quantile(successes, failures + 1.0, tail) : 0.0;
}

/* The upper limit of p is 1 minus the lower limit of 1 − p, the rate of failures. */
double dp2dpi_interval_high(double successes, double failures, double tail) {
    return 1.0 - dp2dpi_interval_low(failures, successes, tail);
}
