#include "common/faults.h"

#include <stdio.h>
#include <string.h>

void cli_faults_note(cli_faults *faults, dp2dp_status status, const dp2dp_error *error) {
    if (status == DP2DP_STATUS_OK) {
        return;
    }
    for (size_t i = 0; i < faults->count; i++) {
        if (strcmp(faults->messages[i], error->message) == 0) {
            return;
        }
    }
    if (faults->count == CLI_FAULTS_MAX) {
        snprintf(faults->messages[CLI_FAULTS_MAX - 1], sizeof faults->messages[0],
                 "there are more mistakes");
        return;
    }
    memcpy(faults->messages[faults->count++], error->message, sizeof error->message);
}

dp2dp_status cli_faults_refuse(const cli_faults *faults, dp2dp_error *error) {
    return faults->count > 0 ? cli_refuse(error, "%s", faults->messages[0]) : DP2DP_STATUS_OK;
}
