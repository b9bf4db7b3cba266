#include "source/sites.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/progress.h"
#include "common/wipe.h"

enum {
    RESTARTS = 2,      /* how often one command may be started again */
    END_MILLI = 10000, /* time that a command has to end by itself after {"end":"done"} */
    GONE_MILLI = 500,  /* time that a command has to end once it has closed its output or refused */
    LOOK_MILLI = 200,  /* time between two checks for an interrupt, while waiting for answers */
    MANY = 20 /* a caution about two sites with the same number of records is given only from this
                 number on: smaller numbers are often equal by chance */
};

static size_t cells_of(const cli_sites *s) {
    return s->strata * s->classes + 1;
}

static dp2dp_status fail_answer(cli_site *site, const char *fault, dp2dp_error *error) {
    const char *what = site->stage == CLI_STAGE_HELLO ? "the hello" : "a question";
    site->refused = fault == cli_protocol_refused;
    return cli_fail(error, DP2DP_STATUS_DATA, "--source number %zu: its answer to %s %s",
                    site->number, what, fault);
}

static void ask(cli_site *site, cli_stage stage, const char *question) {
    site->stage = stage;
    site->question = question;
}

static dp2dp_status start(const cli_sites *s, cli_site *site, dp2dp_error *error) {
    cli_line_free(&site->answer);
    site->left_alone = 0;
    site->answer.most = cli_protocol_most(s->strata, s->classes);
    CLI_TRY(cli_process_start(site->command, site->number - 1, &site->process, error));
    ask(site, CLI_STAGE_HELLO, s->hello);
    return DP2DP_STATUS_OK;
}

/* Restarts a command that ended without an answer. Fails if the command has never answered the
 * hello, or if it was restarted too often. */
static dp2dp_status restart(const cli_sites *s, cli_site *site, dp2dp_error *error) {
    int code = cli_process_end(&site->process, site->greeted ? 0 : GONE_MILLI);
    if (site->greeted && site->lost++ < RESTARTS) {
        fprintf(stderr,
                "dp2dp fit: --source number %zu ended without an answer; its command is started "
                "again\n",
                site->number);
        return start(s, site, error);
    }
    if (site->greeted) {
        return cli_fail(error, DP2DP_STATUS_IO,
                        "--source number %zu: its command ended %u times without an answer",
                        site->number, site->lost);
    }
    (void)cli_fail(error, DP2DP_STATUS_IO,
                   "--source number %zu: its command ended before it answered the hello",
                   site->number);
    if (code == 126 || code == 127) {
        cli_error_add(error, "; the shell could not run it");
    }
    return DP2DP_STATUS_IO;
}

static dp2dp_status take_promise(const cli_sites *s, cli_site *site, const char *text,
                                 size_t length, dp2dp_error *error) {
    cli_promise promise;
    const char *fault = cli_promise_read(text, length, &promise);
    if (fault == NULL && site->greeted &&
        (promise.records != site->promise.records || promise.row_sums != site->promise.row_sums ||
         promise.leaves_out != site->promise.leaves_out)) {
        fault = "changed when the command was started again: the data must not change during "
                "a fit";
    }
    if (fault) {
        return fail_answer(site, fault, error);
    }
    site->promise = promise;
    site->greeted = 1;
    ask(site, s->number == 0 ? CLI_STAGE_IDLE : CLI_STAGE_FIRST, s->first);
    return DP2DP_STATUS_OK;
}

/* Compares a site's table with the first table of this site. Offsets change only which class a
 * record gets. They change neither the record's stratum nor whether the record is left out. So each
 * stratum must have as many records as in the first table. */
static const char *compare_strata(const cli_sites *s, const cli_site *site) {
    for (size_t e = 0; e < s->strata; e++) {
        int64_t more = 0;
        for (size_t i = e * s->classes; i < (e + 1) * s->classes; i++) {
            more += site->table[i] - site->first[i];
        }
        if (more != 0) {
            return "counts more or fewer records in a stratum than the first table of this source";
        }
    }
    return NULL;
}

static dp2dp_status take_table(const cli_sites *s, cli_site *site, const char *text, size_t length,
                               dp2dp_error *error) {
    int is_first = site->stage == CLI_STAGE_FIRST;
    const char *fault = cli_table_read(text, length, is_first ? 1 : s->number, &site->promise,
                                       s->strata, s->classes, site->table);
    if (fault == NULL && is_first && site->counted &&
        memcmp(site->table, site->first, cells_of(s) * sizeof *site->table) != 0) {
        fault = "changed when the command was started again: the data must not change during "
                "a fit";
    }
    if (fault == NULL && !is_first) {
        fault = compare_strata(s, site);
    }
    if (fault) {
        return fail_answer(site, fault, error);
    }
    if (is_first) {
        memcpy(site->first, site->table, cells_of(s) * sizeof *site->table);
        site->counted = 1;
    }
    ask(site, is_first && s->number > 1 ? CLI_STAGE_LATER : CLI_STAGE_IDLE, s->present);
    return DP2DP_STATUS_OK;
}

/* Refuses anything that a site has sent since its last answer: the next question has not been asked
 * yet. */
static dp2dp_status check_silence(cli_site *site, dp2dp_error *error) {
    /* The end of the pipe is no error here: reading the next answer will find it again. */
    cli_line_state state = cli_line_read(&site->answer, site->process.from);
    return state == CLI_LINE_NO_MEMORY ? cli_check_memory(0, "the answer of a source", error)
           : site->answer.used > 0
               ? cli_fail(error, DP2DP_STATUS_DATA,
                          "--source number %zu: its answer to a question came before the question",
                          site->number)
               : DP2DP_STATUS_OK;
}

/* Processes the answer of a site, which must be one complete line. */
static dp2dp_status take(const cli_sites *s, cli_site *site, dp2dp_error *error) {
    size_t length = cli_line_length(&site->answer);
    if (length + 1 < site->answer.used) {
        return fail_answer(site, "has more than one line", error);
    }
    CLI_TRY((site->stage == CLI_STAGE_HELLO ? take_promise : take_table)(s, site, site->answer.text,
                                                                         length, error));
    cli_line_drop(&site->answer);
    return site->stage == CLI_STAGE_IDLE ? DP2DP_STATUS_OK : check_silence(site, error);
}

/* Writes as much of the question as the pipe takes. Returns 0 if the command has closed the pipe.
 */
static int put(cli_site *site) {
    size_t length = strlen(site->question);
    ssize_t put = write(site->process.to, site->question, length);
    if (put < 0) {
        return errno == EAGAIN || errno == EINTR;
    }
    site->question += put;
    return 1;
}

/* Writes to and reads from a site whose pipes are ready. Reads even if the command has closed its
 * input: before that, the command may have sent an answer, perhaps a refusal. */
static dp2dp_status go_on(const cli_sites *s, cli_site *site, dp2dp_error *error) {
    int open = *site->question == '\0' || put(site);
    cli_line_state state = cli_line_read(&site->answer, site->process.from);
    switch (state) {
    case CLI_LINE_WHOLE:
        return open && *site->question != '\0'
                   ? fail_answer(site, "came before dp2dp had sent the whole line", error)
                   : take(s, site, error);
    case CLI_LINE_TOO_LONG:
        return fail_answer(site, "is longer than any valid answer", error);
    case CLI_LINE_NO_MEMORY:
        return cli_check_memory(0, "the answer of a source", error);
    case CLI_LINE_END:
        return restart(s, site, error);
    case CLI_LINE_PART:
    default:
        return open ? DP2DP_STATUS_OK : restart(s, site, error);
    }
}

/* Checks whether a silent command has ended. The pipe does not show this if a process that the
 * command started keeps the pipe open. If the command failed, calls restart. Otherwise goes on
 * waiting, because the started process may still answer, as in `setsid COMMAND`. */
static dp2dp_status look_for_end(const cli_sites *s, cli_site *site, dp2dp_error *error) {
    int failed = 0;
    if (site->left_alone || !cli_process_has_ended(&site->process, &failed)) {
        return DP2DP_STATUS_OK;
    }
    size_t before = site->answer.used;
    cli_line_state state = cli_line_read(&site->answer, site->process.from);
    if (state != CLI_LINE_PART ||
        site->answer.used > before) { /* the command wrote something before it ended */
        return go_on(s, site, error);
    }
    if (failed) {
        return restart(s, site, error);
    }
    fprintf(stderr,
            "dp2dp fit: --source number %zu has ended without an answer, but a process that it "
            "started is still running; waiting for its answer\n",
            site->number);
    site->left_alone = 1;
    return DP2DP_STATUS_OK;
}

/* Fills in the pipes that poll waits for, and returns the number of sites that have not answered
 * yet. */
static size_t watch(const cli_sites *s, struct pollfd *polled) {
    size_t busy = 0;
    for (size_t i = 0; i < s->count; i++) {
        const cli_site *site = &s->sites[i];
        int active = site->stage != CLI_STAGE_IDLE;
        polled[2 * i] = (struct pollfd) {.fd = active ? site->process.from : -1, .events = POLLIN};
        polled[2 * i + 1] = (struct pollfd) {
            .fd = active && *site->question != '\0' ? site->process.to : -1, .events = POLLOUT};
        busy += (size_t)active;
    }
    return busy;
}

/* Waits until every site has answered. There is no time limit: a query may take hours. An interrupt
 * ends the wait. */
static dp2dp_status ask_all(const cli_sites *s, dp2dp_error *error) {
    struct pollfd polled[2 * CLI_CHILDREN_MAX];
    while (watch(s, polled) > 0) {
        if (cli_interrupted()) {
            return cli_fail(error, DP2DP_STATUS_CANCELLED, "interrupted");
        }
        if (poll(polled, (nfds_t)(2 * s->count), LOOK_MILLI) < 0 && errno != EINTR) {
            return cli_fail(error, DP2DP_STATUS_IO, "cannot wait for the sources: %s",
                            strerror(errno));
        }
        for (size_t i = 0; i < s->count; i++) {
            if (polled[2 * i].revents != 0 || polled[2 * i + 1].revents != 0) {
                CLI_TRY(go_on(s, &s->sites[i], error));
            } else if (s->sites[i].stage != CLI_STAGE_IDLE) {
                CLI_TRY(look_for_end(s, &s->sites[i], error));
            }
        }
    }
    return DP2DP_STATUS_OK;
}

/* Adds up the tables of all sites. No sum exceeds the number of records, which is at most 2^48. */
static void add_up(const cli_sites *s, int64_t *table) {
    size_t cells = s->strata * s->classes + (size_t)s->leaves_out;
    memset(table, 0, cells * sizeof *table);
    for (size_t i = 0; i < s->count; i++) {
        for (size_t c = 0; c < cells; c++) {
            table[c] += s->sites[i].table[c];
        }
    }
}

/* The callback of the dp2dp_source: asks all sites for a table, and adds up their answers. */
static dp2dp_status count(void *context, const float *offsets, int64_t *table, dp2dp_error *error) {
    cli_sites *s = context;
    int is_first = s->number == 0;
    char **line = is_first ? &s->first : &s->present;
    dp2dp_status status = DP2DP_STATUS_OK;
    free(*line);
    *line = NULL;
    CLI_TRY_OR_DONE(
        cli_question_write(s->number + 1, offsets, s->strata, s->classes, line, &s->error));
    s->number++;
    for (size_t i = 0; i < s->count; i++) {
        CLI_TRY_OR_DONE(check_silence(&s->sites[i], &s->error));
        ask(&s->sites[i], is_first ? CLI_STAGE_FIRST : CLI_STAGE_LATER, *line);
    }
    CLI_TRY_OR_DONE(ask_all(s, &s->error));
    add_up(s, table);
done:
    if (status != DP2DP_STATUS_OK) {
        cli_error_add(&s->error, "; %s",
                      is_first ? "nothing was charged"
                               : "the fit was charged, and the charge stays");
    }
    if (status != DP2DP_STATUS_OK && error) {
        *error = s->error;
    }
    return status;
}

/* Combines the promises of all sites into one promise in *source. Fails if the row_sums of two
 * sites differ, since one model is made from the tables of all sites. */
static dp2dp_status combine(cli_sites *s, dp2dp_source *source, dp2dp_error *error) {
    uint64_t records = 0;
    for (size_t i = 0; i < s->count; i++) {
        const cli_promise *promise = &s->sites[i].promise;
        if (promise->row_sums != s->sites[0].promise.row_sums) {
            return cli_fail(error, DP2DP_STATUS_DATA,
                            "--source number %zu: its \"row_sums\" differs from that of number 1; "
                            "give --normalize to all sources or to none",
                            i + 1);
        }
        s->leaves_out |= promise->leaves_out;
        records += promise->records;
    }
    if (records < 2 || records > CLI_RECORDS_MAX) {
        return cli_fail(error, DP2DP_STATUS_DATA,
                        "the sources have %llu records in total; there must be from 2 to 2^48",
                        (unsigned long long)records);
    }
    source->records = records;
    source->row_sums = s->sites[0].promise.row_sums;
    source->leaves_out = s->leaves_out;
    source->context = s;
    source->count = count;
    return DP2DP_STATUS_OK;
}

/* Prints a caution if two sites have the same number of records, because they may have the same
 * people. Compares only these numbers, which are public. The tables are private: what the fit
 * prints before the charge must not depend on what the records contain (docs/proofs/source.md). */
static void tell_twins(const cli_sites *s) {
    for (size_t i = 0; i < s->count; i++) {
        for (size_t j = 0; j < i; j++) {
            uint64_t records = s->sites[i].promise.records;
            if (records >= MANY && records == s->sites[j].promise.records) {
                fprintf(stderr,
                        "dp2dp fit: CAUTION: --source number %zu has as many records as number "
                        "%zu: %llu. If these are the same people, leave one of the sources out, or "
                        "use --rows-per-person 2.\n",
                        i + 1, j + 1, (unsigned long long)records);
                return;
            }
        }
    }
}

static dp2dp_status open_all(const char *const *commands, size_t count_of_sites,
                             const cli_hello *hello, cli_sites *s, dp2dp_source *source,
                             dp2dp_error *error) {
    *s = (cli_sites) {.strata = hello->strata, .classes = hello->class_count};
    s->sites = calloc(count_of_sites, sizeof *s->sites);
    CLI_TRY(cli_check_memory(s->sites, "the sources", error));
    s->count = count_of_sites;
    for (size_t i = 0; i < s->count; i++) {
        s->sites[i] =
            (cli_site) {.command = commands[i], .number = i + 1, .process = CLI_PROCESS_NONE};
    }
    for (size_t i = 0; i < s->count; i++) {
        cli_site *site = &s->sites[i];
        site->first = calloc(cells_of(s), sizeof *site->first);
        site->table = calloc(cells_of(s), sizeof *site->table);
        CLI_TRY(cli_check_memory(site->first && site->table, "the sources", error));
    }
    CLI_TRY(cli_hello_write(hello, &s->hello, error));
    for (size_t i = 0; i < s->count; i++) {
        CLI_TRY(start(s, &s->sites[i], error));
    }
    CLI_TRY(ask_all(s, error));
    CLI_TRY(combine(s, source, error));
    if (hello->rows_per_person < 2) {
        tell_twins(s);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_sites_open(const char *const *commands, size_t count_of_sites,
                            const cli_hello *hello, cli_sites *s, dp2dp_source *source,
                            dp2dp_error *error) {
    dp2dp_status status = open_all(commands, count_of_sites, hello, s, source, error);
    if (status != DP2DP_STATUS_OK) {
        cli_error_add(error, "; nothing was charged");
    }
    return status;
}

void cli_sites_dismiss(cli_sites *s) {
    static const char end[] = "{\"end\":\"done\"}\n";
    for (size_t i = 0; i < s->count; i++) {
        cli_site *site = &s->sites[i];
        /* If the pipe is full or closed, the command sees the end of the pipe instead. */
        ssize_t ignored = write(site->process.to, end, sizeof end - 1);
        (void)ignored;
    }
    s->dismissed = 1;
}

void cli_sites_free(cli_sites *s) {
    cli_process *processes[CLI_CHILDREN_MAX];
    int refused = 0;
    for (size_t i = 0; i < s->count; i++) {
        processes[i] = &s->sites[i].process;
        refused |= s->sites[i].refused;
    }
    cli_process_stop(processes, s->count, s->dismissed ? END_MILLI : refused ? GONE_MILLI : 0);
    for (size_t i = 0; i < s->count; i++) {
        cli_site *site = &s->sites[i];
        (void)cli_process_end(&site->process, 0);
        cli_line_free(&site->answer);
        cli_wipe_and_free(site->first, cells_of(s) * sizeof *site->first);
        cli_wipe_and_free(site->table, cells_of(s) * sizeof *site->table);
    }
    free(s->sites);
    free(s->hello);
    free(s->first);
    free(s->present);
    *s = (cli_sites) {0};
}
