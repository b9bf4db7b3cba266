/* What the runs gave, in words and in JSON. */
#ifndef CLI_RUN_REPORT_H
#define CLI_RUN_REPORT_H

#include "common/out.h"
#include "run/pipeline.h"

void cli_run_report(const cli_args *args, const cli_pipeline *pipeline, const cli_run *runs,
                    size_t count, cli_out *out);

#endif
