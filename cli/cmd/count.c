#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args/args.h"
#include "cmd/cmd.h"
#include "input/names.h"
#include "input/table.h"
#include "privacy/privacy.h"
#include "source/serve.h"

typedef struct counting {
    const cli_args *args;
    cli_names names;
    cli_columns columns;
    cli_watch watch; /* counts what is odd in the table */
    dp2dp_pool *pool;
    dp2dp_ledger *ledger;
    cli_spent spent;
} counting;

/* Returns whether a path leads to standard input. Compares the files, not their names, because
 * standard input has many names, such as /dev/fd/0. */
static int is_standard_input(const char *path) {
    struct stat in, table;
    return fstat(STDIN_FILENO, &in) == 0 && stat(path, &table) == 0 && in.st_dev == table.st_dev &&
           in.st_ino == table.st_ino;
}

static dp2dp_status check_serve(const cli_args *args, dp2dp_error *error) {
    if (!cli_given(args, "serve")) {
        return cli_refuse(error, "exact counts are not private, so this command never prints them: "
                                 "give --serve, and let dp2dp fit --source start the command");
    }
    return isatty(STDIN_FILENO) || isatty(STDOUT_FILENO)
               ? cli_refuse(error, "--serve refuses a terminal, since exact counts are not "
                                   "private: let dp2dp fit --source start this command")
               : DP2DP_STATUS_OK;
}

static dp2dp_status check_table(const cli_args *args, dp2dp_error *error) {
    return args->operand_count > 0 &&
                   (strcmp(args->operands[0], "-") == 0 || is_standard_input(args->operands[0]))
               ? cli_refuse(error, "TABLE cannot be standard input: dp2dp fit sends its questions "
                                   "to standard input")
               : DP2DP_STATUS_OK;
}

void cli_count_check(const cli_args *args) {
    static const char *const of_ledgers[] = {"epsilon", "delta", "people"};
    static const cli_args_rule rules[] = {check_serve, check_table, cli_spend_check_ledger, NULL};
    int charges = !cli_missing(args, "ledger");
    dp2dp_error error;
    cli_args_check_rules(args, rules);
    for (size_t i = 0; !charges && i < sizeof of_ledgers / sizeof of_ledgers[0]; i++) {
        if (cli_given(args, of_ledgers[i])) {
            cli_faults_note(args->faults,
                            cli_refuse(&error,
                                       "--%s needs --ledger FILE: without a ledger this command "
                                       "charges nothing",
                                       of_ledgers[i]),
                            &error);
        }
    }
    if (charges) {
        (void)cli_spend_check_budget(args, "no --ledger", &error);
    }
}

/* Returns whether two lists have the same names in the same order. */
static int are_alike(const char *const *names, size_t count, const char *const *others,
                     size_t other_count) {
    int alike = count == other_count;
    for (size_t i = 0; alike && i < count; i++) {
        alike = strcmp(names[i], others[i]) == 0;
    }
    return alike;
}

/* Refuses a fit whose groups or classes differ from those of this command. Also refuses a fit that
 * needs labels or group scores if no option of this command names their columns. */
static dp2dp_status check_hello(const counting *c, const cli_hello *hello, dp2dp_error *error) {
    const cli_columns *columns = &c->columns;
    size_t weights = c->names.weights.count;
    if (!are_alike(hello->groups, hello->group_count, columns->group_names, columns->groups)) {
        return cli_refuse(error, "the groups of the fit differ from --groups of this command: give "
                                 "both the same names in the same order");
    }
    if (!are_alike(hello->classes, hello->class_count, columns->class_names, columns->classes)) {
        return cli_refuse(error, "the classes of the fit differ from --classes of this command: "
                                 "give both the same names in the same order");
    }
    CLI_TRY(cli_names_check_order(columns, error));
    if (hello->criterion != DP2DP_DEMOGRAPHIC_PARITY && !cli_given(c->args, "label")) {
        return cli_refuse(error, "the fit's criterion needs labels: give --label to this command, "
                                 "the column with each person's true class");
    }
    if (hello->rule == DP2DP_RULE_WEIGHTED &&
        (weights == 0 || (hello->weights > 0 && hello->weights != weights))) {
        return cli_refuse(error, "the fit's rule needs group scores: --group-scores of this "
                                 "command has the wrong number of columns, or is missing");
    }
    return DP2DP_STATUS_OK;
}

/* Refuses a fit that promises less privacy than the owner of the ledger asks for. */
static dp2dp_status check_promise(const cli_args *args, const cli_hello *hello,
                                  dp2dp_error *error) {
    double epsilon = cli_real(args, "epsilon");
    if (hello->rows_per_person == 0) {
        return cli_refuse(error, "this fit does not state its privacy cost, so this command "
                                 "cannot charge --ledger for the fit");
    }
    if (isinf(hello->epsilon) && isfinite(epsilon)) {
        return cli_refuse(error, "the fit has no finite epsilon for these people, because one of "
                                 "its options is --epsilon inf, --scores-from-pool or "
                                 "--same-people (which adds the cost of the scores, a cost that "
                                 "the fit does not announce)");
    }
    if (hello->rng != DP2DP_RNG_SECURE) {
        return cli_refuse(error, "the noise of the fit comes from a seed (--insecure-seed), so the "
                                 "fit is not private and cannot be charged to --ledger");
    }
    if (hello->epsilon > epsilon || (isfinite(epsilon) && hello->delta > cli_real(args, "delta"))) {
        return cli_refuse(error, "the fit spends more than --epsilon and --delta of this command "
                                 "allow");
    }
    return hello->rows_per_person == cli_count(args, "rows-per-person")
               ? DP2DP_STATUS_OK
               : cli_refuse(error, "--rows-per-person of the fit differs from --rows-per-person of "
                                   "this command: give both the same number");
}

/* Reads the table. The hello is the first line that the fit sends; it says what columns the fit
 * needs. */
static dp2dp_status open_source(void *context, const cli_hello *hello, dp2dp_source *source,
                                dp2dp_error *error) {
    counting *c = context;
    int labelled = hello->criterion != DP2DP_DEMOGRAPHIC_PARITY;
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    CLI_TRY(check_hello(c, hello, error));
    if (cli_given(c->args, "ledger")) {
        CLI_TRY(check_promise(c->args, hello, error));
    }
    if (cli_given(c->args, "multiplicity") && hello->dither.width > 0) {
        return cli_refuse(error, "the fit adds a random number (dither) to the scores of each "
                                 "record, so this command cannot use --multiplicity");
    }
    c->columns.label = labelled ? cli_word(c->args, "label") : NULL;
    if (hello->rule != DP2DP_RULE_WEIGHTED) {
        c->columns.weights = NULL;
        c->columns.weight_count = 0;
    }
    options.strata = hello->strata;
    options.labels = labelled ? hello->class_count : 0;
    options.dither = hello->dither;
    options.dither_key = hello->dither.width > 0 ? DP2DP_DITHER_KEY_SCORES : DP2DP_DITHER_KEY_ROW;
    options.grid_bits = c->columns.grid_bits = hello->grid_bits;
    options.threads = (unsigned)cli_count(c->args, "threads");
    options.row_sums = c->columns.row_sums;
    c->columns.watch = &c->watch;
    CLI_TRY(cli_scores_pool(&c->columns, &options, &c->pool, error));
    *source = dp2dp_pool_source(c->pool);
    return DP2DP_STATUS_OK;
}

/* If there is a ledger, charges it with the cost that the fit promises, just as the fit charges its
 * own ledger. The charge is computed for the number of records at this site or, if there are
 * fewer than 2, for 2 records. */
static dp2dp_status charge(counting *c, const cli_hello *hello, const dp2dp_source *source,
                           dp2dp_error *error) {
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    dp2dp_source sizes = *source;
    sizes.records = source->records < 2 ? 2 : source->records;
    sizes.count = NULL;
    options.epsilon = hello->epsilon;
    options.delta = hello->delta;
    options.rows_per_person = hello->rows_per_person;
    options.steps = hello->questions;
    options.criterion = hello->criterion;
    options.rng = hello->rng;
    options.people_name = cli_word(c->args, "people");
    CLI_TRY(cli_spend_open(c->args, &c->ledger, &c->spent, error));
    return c->ledger ? cli_spend_failure(c->args,
                                         dp2dp_fit_plan(&sizes, &options, c->ledger, error), error)
                     : DP2DP_STATUS_OK;
}

/* If there is a ledger, charges it; then prints to stderr what is odd about the rows, as dp2dp fit
 * does about its own rows. Those who run the fit may read this stderr, so the printing waits for
 * the charge, after which they get exact counts too. */
static dp2dp_status charge_and_tell(void *context, const cli_hello *hello,
                                    const dp2dp_source *source, dp2dp_error *error) {
    counting *c = context;
    uint64_t own = cli_count(c->args, "rows-per-person"), most = hello->rows_per_person;
    CLI_TRY(charge(c, hello, source, error));
    cli_rows_tell(&c->columns, c->pool, most > own ? most : own, 0, 0);
    return DP2DP_STATUS_OK;
}

/* Returns the length in bytes of the longest valid hello, the first line from the fit. JSON may
 * write one byte of a name as six bytes. */
static size_t hello_most(const counting *c) {
    size_t most = cli_protocol_most(0, 0);
    for (size_t i = 0; i < c->columns.groups; i++) {
        most += 6 * strlen(c->columns.group_names[i]) + 4;
    }
    for (size_t i = 0; i < c->columns.classes; i++) {
        most += 6 * strlen(c->columns.class_names[i]) + 4;
    }
    return most;
}

dp2dp_status cmd_count(const cli_args *args, cli_out *out, dp2dp_error *error) {
    counting c = {.args = args};
    const cli_server server = {.context = &c, .open = open_source, .charge = charge_and_tell};
    dp2dp_status status = DP2DP_STATUS_OK;
    (void)out; /* answers are sent at once, not at the end */
    CLI_TRY_OR_DONE(cli_names_read(args, cli_given(args, "group-scores"), cli_given(args, "label"),
                                   &c.names, error));
    CLI_TRY_OR_DONE(cli_names_check(args, &c.names, error));
    c.columns = cli_names_columns(args, &c.names);
    c.columns.leaves_out = (cli_parts_of_records(args) & DP2DP_PART_IGNORE_BAD) != 0;
    c.columns.is_shard = 1;
    c.columns.multiplicity = cli_word(args, "multiplicity");
    status = cli_serve(&server, hello_most(&c), error);
done:
    dp2dp_ledger_free(c.ledger);
    dp2dp_pool_free(c.pool);
    cli_columns_free(&c.columns);
    cli_names_free(&c.names);
    return status;
}
