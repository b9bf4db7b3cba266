/* Phase 1 on the command line: its options in, and a trained classifier in words and in JSON. */
#ifndef CLI_CLASSIFIER_H
#define CLI_CLASSIFIER_H

#include "args/args.h"
#include "common/json.h"
#include "common/out.h"

/* --method, --epsilon, --delta, --rows-per-person and --insecure-seed, over the library's defaults.
 */
void cli_classifier_options(const cli_args *args, dp2dp_train_options *options);
/* Does the method add noise, at an epsilon that is finite? */
int cli_classifier_is_noisy(const dp2dp_train_options *options);

const char *cli_classifier_word(dp2dp_train_method method);

/* How much of a model that was just trained is noise, from public numbers alone: about 0 is little,
 * 1 and more is nothing else. NAN where no noise was added. */
double cli_classifier_noise(const dp2dp_model_info *info);
/* Says so where it is much. */
void cli_classifier_caution(double noise, cli_out *out);

void cli_classifier_json(const dp2dp_model_info *info, cli_json *json);
void cli_classifier_text(const dp2dp_model_info *info, cli_out *out);

#endif
