/* The mistakes of a command line, collected so that they are reported together. */
#ifndef CLI_FAULTS_H
#define CLI_FAULTS_H

#include "common/error.h"

enum {
    CLI_FAULTS_MAX = 24
};
typedef struct cli_faults {
    size_t count;
    char messages[CLI_FAULTS_MAX][DP2DP_ERROR_MESSAGE_SIZE];
} cli_faults;

/* Adds the message of a check that failed; does nothing if status is OK, or if the same message is
 * there already. If there is no more room, the last message says that there are more mistakes. */
void cli_faults_note(cli_faults *faults, dp2dp_status status, const dp2dp_error *error);

/* Refuses the command with the message of the first mistake. Returns OK if there is none. */
dp2dp_status cli_faults_refuse(const cli_faults *faults, dp2dp_error *error);

#endif
