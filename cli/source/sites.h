/* The commands of --source. They are asked in parallel, and the sum of their tables is the table of
 * the fit. */
#ifndef CLI_SITES_H
#define CLI_SITES_H

#include "source/line.h"
#include "source/process.h"
#include "source/protocol.h"

/* What a site is to answer next. */
typedef enum cli_stage {
    CLI_STAGE_IDLE,
    CLI_STAGE_HELLO,
    CLI_STAGE_FIRST, /* question 1, which a restarted command is asked again */
    CLI_STAGE_LATER  /* the present question, if it is not question 1 */
} cli_stage;

typedef struct cli_site {
    const char *command;
    size_t number; /* position among the commands, from 1 */
    cli_process process;
    cli_line answer;
    cli_stage stage;
    const char *question; /* the rest of the line to write to the command; borrowed */
    unsigned lost;        /* how often the command ended before its answer */
    int greeted;          /* 1: the command has answered the hello, and `promise` is the answer */
    cli_promise promise;
    int counted;    /* 1: the command has answered question 1, and `first` is the answer */
    int64_t *first; /* strata × classes counts, and the number of records left out */
    int64_t *table; /* the answer to the present question, as large as `first` */
    int left_alone; /* 1: the command has ended with exit code 0, but processes that it started keep
                       its output open */
    int refused;    /* 1: the command said that it cannot answer, and may be saying why on standard
                       error */
} cli_site;

typedef struct cli_sites {
    cli_site *sites;
    size_t count;
    size_t strata, classes;
    int leaves_out;        /* 1: a site may leave records out */
    char *hello;           /* the line of the hello */
    char *first, *present; /* the lines of question 1 and of the present question; `present` is NULL
                              while that is question 1 */
    uint64_t number;       /* number of the present question; 0: the hello */
    int dismissed;         /* 1: all commands were told that no more questions come */
    dp2dp_error error;     /* the first failure; its status is OK if there is none */
} cli_sites;

/* Starts the commands and sends the hello to all of them. Fails with DATA or IO if one of them does
 * not answer as it must, or if they do not agree. Sets records, row_sums and leaves_out of *source
 * to those of all sites together, and its callback to one that asks the sites; *source must live no
 * longer than *sites. Ownership: cli_sites_free, even after a failure. */
dp2dp_status cli_sites_open(const char *const *commands, size_t count, const cli_hello *hello,
                            cli_sites *sites, dp2dp_source *source, dp2dp_error *error);
/* Tells the commands that no more questions come. */
void cli_sites_dismiss(cli_sites *sites);
/* Ends the commands. Gives them time to end by themselves if they were dismissed, or if one of them
 * refused and may be saying why. Wipes the tables. */
void cli_sites_free(cli_sites *sites);

#endif
