/* The commands of --source. All commands are asked in parallel; the sum of their tables is the
 * table that the fit gets. */
#ifndef CLI_SITES_H
#define CLI_SITES_H

#include "source/line.h"
#include "source/process.h"
#include "source/protocol.h"

/* What a site must answer next. */
typedef enum cli_stage {
    CLI_STAGE_IDLE,
    CLI_STAGE_HELLO,
    CLI_STAGE_FIRST, /* question 1; a restarted command is asked question 1 again */
    CLI_STAGE_LATER  /* the current question, if it is not question 1 */
} cli_stage;

typedef struct cli_site {
    const char *command;
    size_t number; /* position among the commands, from 1 */
    cli_process process;
    cli_line answer;
    cli_stage stage;
    const char *question; /* the part of the question that is still to be sent; borrowed */
    unsigned lost;        /* how often the command ended without an answer */
    int greeted;          /* 1: the command has answered the hello, and `promise` is the answer */
    cli_promise promise;
    int counted;    /* 1: the command has answered question 1, and `first` is the answer */
    int64_t *first; /* strata × classes counts, and the number of records left out */
    int64_t *table; /* the answer to the present question, as large as `first` */
    int left_alone; /* 1: the command has ended with exit code 0, but processes that it started keep
                       its output open */
    int refused;    /* 1: the command said that it cannot answer; it may still print the reason to
                       standard error */
} cli_site;

typedef struct cli_sites {
    cli_site *sites;
    size_t count;
    size_t strata, classes;
    int leaves_out;        /* 1: a site may leave records out */
    char *hello;           /* the line of the hello */
    char *first, *present; /* the lines of question 1 and of the present question; while the present
                              question is question 1, `present` is NULL */
    uint64_t number;       /* number of the present question; 0: the hello */
    int dismissed;         /* 1: all commands were told that no more questions come */
    dp2dp_error error;     /* the first failure; its status is OK if there is none */
} cli_sites;

/* Starts the commands and sends the hello to all of them. Makes *source a source that asks all
 * sites for tables and adds up the answers; *sites must outlive *source. Fails with DATA or IO if a
 * command breaks the protocol, or if the answers do not agree. Ownership: call cli_sites_free, even
 * after a failure. */
dp2dp_status cli_sites_open(const char *const *commands, size_t count, const cli_hello *hello,
                            cli_sites *sites, dp2dp_source *source, dp2dp_error *error);
/* Tells the commands that no more questions come. */
void cli_sites_dismiss(cli_sites *sites);
/* Ends the commands. Gives them time to end by themselves if they were dismissed, or if a command
 * refused and may still print the reason. Wipes the tables. */
void cli_sites_free(cli_sites *sites);

#endif
