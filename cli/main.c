#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args/args.h"
#include "args/verbs.h"
#include "common/complaint.h"
#include "common/number.h"
#include "common/out.h"
#include "common/progress.h"

/* Opens /dev/null in place of each of stdin, stdout and stderr that the caller closed. Otherwise a
 * file that is opened later could get the descriptor 0, 1 or 2. Opens stdin only for writing, and
 * stdout and stderr only for reading, so that using them fails. Ignores SIGPIPE and SIGXFSZ, so
 * that writing to a closed pipe, or beyond a file size limit, returns an error. */
static void prepare_process(int wants_json) {
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) == -1) {
            int opened = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
            (void)opened;
        }
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    cli_interrupt_install(wants_json);
}

static dp2dp_status find_verb(const char *name, const cli_verb **out, dp2dp_error *error) {
    static const char *const options[] = {"--help", "--version", "--completion", "--man"};
    *out = cli_verb_find(name);
    if (*out) {
        return DP2DP_STATUS_OK;
    }
    int is_option = name[0] == '-';
    cli_nearest nearest = {.typed = name};
    for (size_t i = 0; i < sizeof options / sizeof options[0] && is_option; i++) {
        cli_nearest_try(&nearest, options[i]);
    }
    for (size_t i = 0; i < cli_verb_count && !is_option; i++) {
        cli_nearest_try(&nearest, cli_verbs[i].name);
    }
    if (strcmp(name, "version") == 0 || strcmp(name, "-v") == 0 || strcmp(name, "-V") == 0) {
        nearest.word = "--version";
    }
    const char *advice = cli_advice_on_verb(name);
    if (advice) {
        return cli_refuse(error, "unknown verb '%.60s'%s", name, advice);
    }
    if (nearest.word == NULL && !is_option && access(name, F_OK) == 0) {
        return cli_refuse(error, "unknown verb '%.60s'; the verb comes before the files", name);
    }
    return cli_refuse(error, "unknown %s '%.60s'%s%s%s", is_option ? "option" : "verb", name,
                      nearest.word ? "; did you mean " : "", nearest.word ? nearest.word : "",
                      nearest.word ? "?" : "");
}

/* Prints the help or the manual page of the verb in words[0] or, if `count` is 0, of the program.
 */
static dp2dp_status print_page(void (*print)(const cli_verb *, FILE *), int count, char **words,
                               cli_out *out, dp2dp_error *error) {
    const cli_verb *verb = NULL;
    if (count > 1) {
        return cli_refuse(error, "unexpected argument '%.60s'", words[1]);
    }
    if (count == 1) {
        CLI_TRY(find_verb(words[0], &verb, error));
    }
    print(verb, out->stream);
    return DP2DP_STATUS_OK;
}

/* Returns the advice to append to a message about a missing value, or about a text that looks like
 * a missing value. */
static const char *advise_missing(const cli_args *args, dp2dp_reason reason) {
    const cli_verb *verb = args->verb;
    if (reason == DP2DP_REASON_LOOKS_MISSING && cli_option_find(verb, "missing")) {
        return "; to treat empty fields, ? and NA as missing values, use --missing '\"\",?,NA'";
    }
    if (reason == DP2DP_REASON_VALUE_MISSING && cli_given(args, "missing")) {
        return "; a text in --missing counts as missing in every column, even if it is a real "
               "value there";
    }
    if (cli_option_find(verb, "schema") && cli_given(args, "schema")) {
        return ", with \"missing\": \"drop\" for the column, or with :drop in dp2dp schema "
               "--columns";
    }
    return cli_option_find(verb, "bad-rows") ? "; with --bad-rows ignore, this row counts as a "
                                               "person without values"
                                             : "";
}

/* Appends to the library's message the name of an option that may help. If the message names a row
 * but no line, also appends that row 1 is the first row after the header. */
static void name_options(const cli_args *args, dp2dp_error *error) {
    int has_schema = strcmp(args->verb->name, "schema") == 0 ||
                     (cli_option_find(args->verb, "schema") && cli_given(args, "schema"));
    int reads_table = cli_option_find(args->verb, "no-header") != NULL;
    int can_normalize = cli_option_find(args->verb, "normalize") != NULL;
    const char *option =
        error->reason == DP2DP_REASON_WRONG_SEPARATOR ? " (--separator)"
        : error->reason == DP2DP_REASON_NO_HEADER     ? " (see --no-header)"
        : error->reason == DP2DP_REASON_COMMENT_FIRST ? " (--skip-lines N)"
        : error->reason == DP2DP_REASON_LEDGER_LOST   ? " (--new-ledger)"
        : error->reason == DP2DP_REASON_NOT_A_NUMBER && has_schema
            ? "; for a column of dates or texts, use the role \"ignore\" in the schema"
        : error->reason == DP2DP_REASON_LOOKS_MISSING || error->reason == DP2DP_REASON_VALUE_MISSING
            ? advise_missing(args, error->reason)
        : error->reason != DP2DP_REASON_ROW_SUM ? ""
        : can_normalize                         ? " (--normalize)"
                        : "; the model was fitted without --normalize, so each row must "
                          "sum to 1 (for other scores, fit with --normalize)";
    cli_error_add(error, "%s", option);
    if (error->row > 0 && error->line == 0 && reads_table && !cli_given(args, "no-header")) {
        cli_error_add(error, " (row 1 is the first row after the header)");
    }
}

/* Prints a note if --confidence is below 0.5: 0.05, for example, is probably meant as 0.95. */
static void tell_confidence(const cli_args *args) {
    double given = cli_option_find(args->verb, "confidence") ? cli_real(args, "confidence") : 1;
    if (given < 0.5) {
        fprintf(stderr,
                "dp2dp %s: note: --confidence %s is low: an interval misses the true value more "
                "often than not. Did you mean %s?\n",
                args->verb->name, cli_number_exact(given).text, cli_number_exact(1 - given).text);
    }
}

static dp2dp_status run_verb(const cli_verb *verb, int argc, char **argv, cli_out *out,
                             cli_faults *faults, dp2dp_error *error) {
    cli_args args;
    cli_args_parse(verb, argc, argv, faults, &args);
    if (verb->check && !args.help) {
        verb->check(&args);
    }
    CLI_TRY(cli_faults_refuse(faults, error));
    if (args.help) {
        cli_help_print(verb, out->stream);
        return DP2DP_STATUS_OK;
    }
    tell_confidence(&args);
    dp2dp_status status = verb->run(&args, out, error);
    if (status == DP2DP_STATUS_DATA) {
        name_options(&args, error);
    }
    return status;
}

/* Runs the command line. Sets *verb as soon as the verb is known, even if the command then fails,
 * because error messages begin with the name of the verb. */
static dp2dp_status dispatch(int argc, char **argv, cli_out *out, const cli_verb **verb,
                             cli_faults *faults, dp2dp_error *error) {
    const char *word = argc > 1 ? argv[1] : "";
    if (argc < 2) {
        return cli_refuse(error, "missing command");
    }
    if (strcmp(word, "--version") == 0) {
        if (argc > 2) {
            return cli_refuse(error, "unexpected argument '%.60s'", argv[2]);
        }
        fprintf(out->stream, "dp2dp %s\n", dp2dp_version());
        return DP2DP_STATUS_OK;
    }
    cli_verbs_prepare(word);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        return print_page(cli_help_print, argc - 2, argv + 2, out, error);
    }
    if (strcmp(word, "--man") == 0) {
        return print_page(cli_man_print, argc - 2, argv + 2, out, error);
    }
    if (strcmp(word, "--completion") == 0) {
        return argc == 3 && cli_completion_print(argv[2], out->stream)
                   ? DP2DP_STATUS_OK
                   : cli_refuse(error, "--completion needs the name of a shell: bash or zsh");
    }
    CLI_TRY(find_verb(word, verb, error));
    return run_verb(*verb, argc - 2, argv + 2, out, faults, error);
}

/* Returns whether the reader of stdout closed the pipe, as `| head` does. That is not an error. */
static int reader_is_gone(const dp2dp_error *error) {
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return error->reason == DP2DP_REASON_PIPE_CLOSED && poll(&out, 1, 0) == 1 &&
           (out.revents & POLLERR);
}

int main(int argc, char **argv) {
    cli_out out;
    const cli_verb *verb = NULL;
    dp2dp_error error = {0};
    cli_faults faults = {0};
    int wants_json = cli_wants_json(argc, argv);
    prepare_process(wants_json);
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_out_open(&out, &error));
    CLI_TRY_OR_DONE(dispatch(argc, argv, &out, &verb, &faults, &error));
    dp2dp_status verdict = out.verdict;
    CLI_TRY_OR_DONE(cli_out_send(&out, &error));
    status = verdict;
done:
    cli_out_drop(&out);
    if (status == DP2DP_STATUS_IO && reader_is_gone(&error)) {
        return 128 + SIGPIPE; /* the exit code of a program that SIGPIPE ends */
    }
    if (status != DP2DP_STATUS_OK) {
        error.status = status;
        (wants_json ? cli_complain_json : cli_complain_text)(verb ? verb->name : NULL, &error,
                                                             &faults);
    }
    return dp2dp_status_exit_code(status);
}
