/* --dry-run: what a command would charge. The library itself charges a ledger in memory and is
 * stopped there: no entropy is read, nothing is written, and what the people are is not looked at,
 * only how many. */
#ifndef CLI_DRY_H
#define CLI_DRY_H

#include "args/args.h"
#include "common/out.h"

/* Everything that was charged so far. Ownership: dp2dp_ledger_free; NULL before the first. */
typedef dp2dp_ledger cli_dry;

/* Each charges *dry, making it if it is not there, as the library's function of that name would
 * charge its ledger. Training reads `rows` to the end and releases them. */
dp2dp_status cli_dry_train(const dp2dp_schema *schema, struct ArrowArrayStream *rows,
                           const dp2dp_train_options *options, cli_dry **dry, dp2dp_error *error);
dp2dp_status cli_dry_fit(uint64_t records, size_t groups, size_t classes,
                         const dp2dp_fit_options *options, cli_dry **dry, dp2dp_error *error);
dp2dp_status cli_dry_certify(const dp2dp_source *like, const dp2dp_model *model,
                             const dp2dp_certify_options *options, cli_dry **dry,
                             dp2dp_error *error);

/* What was charged, what it costs at --delta, and what --ledger and --budget would say to it. */
dp2dp_status cli_dry_print(const cli_args *args, const cli_dry *dry, cli_out *out,
                           dp2dp_error *error);

#endif
