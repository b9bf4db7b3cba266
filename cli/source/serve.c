#include "source/serve.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/out.h"
#include "common/wipe.h"
#include "source/line.h"

typedef struct conversation {
    const cli_server *server;
    cli_line line;
    cli_hello hello;
    dp2dp_source source;
    float *offsets;
    int64_t *table;
    uint64_t answered; /* number of the question that was answered last; 0: no question was answered
                          yet */
    int about_rows;    /* 1: the error came from reading the table */
} conversation;

/* Waits for a line on standard input. Sets *is_there to 0 if the input ended before a complete
 * line. */
static dp2dp_status wait_for_line(cli_line *line, int *is_there, dp2dp_error *error) {
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    cli_line_state state = cli_line_look(line);
    while (state == CLI_LINE_PART) {
        (void)poll(&in, 1, -1);
        state = cli_line_read(line, STDIN_FILENO);
    }
    *is_there = state == CLI_LINE_WHOLE;
    return state == CLI_LINE_NO_MEMORY ? cli_check_memory(0, "a question", error)
           : state == CLI_LINE_TOO_LONG
               ? cli_fail(error, DP2DP_STATUS_DATA,
                          "standard input has a line that is too long for a question")
               : DP2DP_STATUS_OK;
}

/* Sends a line, wipes and frees it. */
static dp2dp_status say(char *text, dp2dp_error *error) {
    dp2dp_status status = cli_write_all(STDOUT_FILENO, text, strlen(text), error);
    cli_wipe_and_free(text, strlen(text));
    return status;
}

static dp2dp_status fail_line(const char *what, const char *fault, dp2dp_error *error) {
    return cli_fail(error, DP2DP_STATUS_DATA, "%s on standard input %s", what, fault);
}

static dp2dp_status answer_hello(conversation *c, dp2dp_error *error) {
    char *text = NULL;
    const char *fault = cli_hello_read(c->line.text, cli_line_length(&c->line), &c->hello);
    if (fault) {
        return fail_line("the hello", fault, error);
    }
    cli_line_drop(&c->line);
    dp2dp_status status = c->server->open(c->server->context, &c->hello, &c->source, error);
    c->about_rows = status == DP2DP_STATUS_DATA || status == DP2DP_STATUS_IO;
    CLI_TRY(status);
    size_t cells = c->hello.strata * c->hello.class_count;
    c->offsets = calloc(cells, sizeof *c->offsets);
    c->table = calloc(cells + 1, sizeof *c->table);
    CLI_TRY(cli_check_memory(c->offsets && c->table, "a table of counts", error));
    c->line.most = cli_protocol_most(c->hello.strata, c->hello.class_count);
    const cli_promise promise = {.records = c->source.records,
                                 .row_sums = c->source.row_sums,
                                 .leaves_out = c->source.leaves_out};
    CLI_TRY(cli_promise_write(&promise, &text, error));
    return say(text, error);
}

/* Refuses a question that is out of order. Numbers start at 1 and ascend, but may leave gaps. A
 * command that is started again is asked question 1, and then the question whose answer was lost.
 */
static dp2dp_status check_number(const conversation *c, uint64_t number, dp2dp_error *error) {
    if (number > c->hello.questions) {
        return cli_fail(error, DP2DP_STATUS_DATA,
                        "question %" PRIu64 " is refused: the hello announced %" PRIu64
                        " questions",
                        number, c->hello.questions);
    }
    return c->answered == 0 ? number == 1 ? DP2DP_STATUS_OK
                                          : cli_fail(error, DP2DP_STATUS_DATA,
                                                     "the first question must have the number 1")
           : number > c->answered
               ? DP2DP_STATUS_OK
               : cli_fail(error, DP2DP_STATUS_DATA,
                          "question %" PRIu64 " is refused: it was already answered or skipped",
                          number);
}

/* Answers the question in c->line. Sets *goes_on to 0 if the line says that no more questions come.
 */
static dp2dp_status answer_question(conversation *c, int *goes_on, dp2dp_error *error) {
    const cli_hello *h = &c->hello;
    char *text = NULL;
    uint64_t number;
    const char *fault = cli_question_read(c->line.text, cli_line_length(&c->line), h->strata,
                                          h->class_count, &number, c->offsets);
    if (fault) {
        return fail_line("a line", fault, error);
    }
    cli_line_drop(&c->line);
    *goes_on = number > 0;
    if (number == 0) {
        return DP2DP_STATUS_OK;
    }
    CLI_TRY(check_number(c, number, error));
    if (c->answered == 0) {
        CLI_TRY(c->server->charge(c->server->context, h, &c->source, error));
    }
    CLI_TRY(c->source.count(c->source.context, c->offsets, c->table, error));
    CLI_TRY(cli_table_write(number, c->table, h->strata, h->class_count, c->source.leaves_out,
                            &text, error));
    c->answered = number;
    return say(text, error);
}

static dp2dp_status converse(conversation *c, dp2dp_error *error) {
    int goes_on = 1;
    CLI_TRY(wait_for_line(&c->line, &goes_on, error));
    if (!goes_on) { /* a fit that ends early also ends the input, so this is no failure */
        fputs("dp2dp count: note: standard input ended before any question, so nothing was read or "
              "answered; dp2dp fit --source starts this command and sends it the questions\n",
              stderr);
        return DP2DP_STATUS_OK;
    }
    CLI_TRY(answer_hello(c, error));
    while (goes_on) {
        CLI_TRY(wait_for_line(&c->line, &goes_on, error));
        if (goes_on) {
            CLI_TRY(answer_question(c, &goes_on, error));
        }
    }
    return DP2DP_STATUS_OK;
}

/* Tells the fit why this command refuses. If the table could not be read, the fit learns no more
 * than that; the details go to standard error. */
static void refuse(const conversation *c, const dp2dp_error *found) {
    char *text = NULL;
    dp2dp_error ignored;
    const char *words = c->about_rows ? "the table cannot be read" : found->message;
    if (cli_refusal_write(words, &text, &ignored) == DP2DP_STATUS_OK) {
        (void)say(text, &ignored);
    }
}

dp2dp_status cli_serve(const cli_server *server, size_t hello_most, dp2dp_error *error) {
    conversation c = {.server = server, .line.most = hello_most};
    dp2dp_error found = {0};
    dp2dp_status status = converse(&c, &found);
    if (status != DP2DP_STATUS_OK && found.reason != DP2DP_REASON_PIPE_CLOSED) {
        refuse(&c, &found);
    }
    if (status != DP2DP_STATUS_OK) {
        *error = found;
    }
    size_t cells = c.hello.strata * c.hello.class_count;
    cli_hello_free(&c.hello);
    cli_line_free(&c.line);
    free(c.offsets);
    cli_wipe_and_free(c.table, (cells + 1) * sizeof *c.table);
    return status;
}
