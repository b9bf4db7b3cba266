/* Explains the rules that multiply offsets by probabilities. */
#ifndef CLI_CHANGES_H
#define CLI_CHANGES_H

#include <dp2dp/dp2dp.h>

#include "common/out.h"

/* Prints which class becomes easier to get for each group, and by how much at typical scores. */
void cli_changes_text(const dp2dp_model_info *info, cli_out *out);

/* Returns the approximate standard deviation that the noise of the fit gives to the rate of a class
 * in the stratum, or NAN if the fit has no such noise. */
double cli_rate_noise(const dp2dp_model_info *info, size_t stratum);
/* Prints the people and the noise of each stratum, and which rho the noise allows. */
void cli_noise_text(const dp2dp_model_info *info, cli_out *out);

#endif
