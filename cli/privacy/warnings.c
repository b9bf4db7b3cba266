#include <string.h>

#include "common/number.h"
#include "input/labels.h"
#include "input/odd_scores.h"
#include "input/outside.h"
#include "privacy/privacy.h"

static void write_words(dp2dp_word_table table, unsigned bits, cli_json *json) {
    size_t count;
    const dp2dp_word *words = dp2dp_words(table, &count);
    for (size_t i = 0; i < count; i++) {
        if (bits & (unsigned)words[i].value) {
            cli_json_text(json, NULL, words[i].word);
        }
    }
}

void cli_words_json(dp2dp_word_table table, const char *key, unsigned bits, cli_json *json) {
    cli_json_open_array(json, key);
    write_words(table, bits, json);
    cli_json_close_array(json);
}

void cli_warnings_json_with(unsigned bits, unsigned more, cli_json *json) {
    cli_json_open_array(json, "warnings");
    write_words(DP2DP_WORDS_WARNING, bits, json);
    if (more & CLI_NO_SENSITIVE) {
        cli_json_text(json, NULL, CLI_NO_SENSITIVE_WORD);
    }
    if (more & CLI_RHO_LARGE) {
        cli_json_text(json, NULL, "rho-large");
    }
    cli_json_close_array(json);
}

void cli_warnings_json(unsigned bits, cli_json *json) {
    cli_warnings_json_with(bits, 0, json);
}

void cli_rho_text(double rho, cli_out *out) {
    if (dp2dp_rho_is_large(rho)) {
        const cli_number number = cli_number_exact(rho);
        cli_out_prose(out, "CAUTION: with rho %s, the rates of two groups may differ by %s. %s",
                      number.text, number.text, dp2dp_statement_text(DP2DP_STATEMENT_RHO));
    }
}

/* Returns the full stop that ends a warning, or "" if the warning ends with a question mark. */
static const char *end_of(const char *help) {
    return help[strlen(help) - 1] == '?' ? "" : ".";
}

static void print(dp2dp_word_table table, unsigned bits, cli_out *out) {
    size_t count;
    const dp2dp_word *words = dp2dp_words(table, &count);
    for (size_t i = 0; i < count; i++) {
        if (bits & (unsigned)words[i].value) {
            const char *help = words[i].help;
            cli_out_prose(out, "CAUTION: %s%s", help, end_of(help));
        }
    }
}

void cli_warnings_text(unsigned bits, cli_out *out) {
    print(DP2DP_WORDS_WARNING, bits, out);
}

void cli_oddities_text(unsigned bits, cli_out *out) {
    print(DP2DP_WORDS_ODDITY, bits, out);
}

static void tell(dp2dp_word_table table, unsigned bits, const char *more) {
    size_t count;
    const dp2dp_word *words = dp2dp_words(table, &count);
    for (size_t i = 0; i < count; i++) {
        if (bits & (unsigned)words[i].value) {
            const char *help = words[i].help;
            fprintf(stderr, "CAUTION: %s%s%s\n", help, end_of(help), more);
        }
    }
}

void cli_warnings_tell(unsigned bits, const char *more) {
    tell(DP2DP_WORDS_WARNING, bits, more);
}

void cli_rows_tell(const cli_columns *columns, const dp2dp_pool *pool, uint64_t rows_per_person,
                   unsigned more, unsigned without) {
    unsigned oddities, found = cli_pool_warnings(columns, pool, rows_per_person, &oddities);
    unsigned of_labels = cli_labels_warnings(columns) & ~without;
    /* By chance, scores that are no better than a guess may be a little worse than a guess: warn
     * only that they are no better. */
    if (found & DP2DP_WARNING_NO_BETTER_THAN_GUESSING) {
        of_labels &= ~(unsigned)DP2DP_WARNING_WORSE_THAN_GUESSING;
    }
    cli_outside_tell(columns->schema, columns->watch);
    cli_odd_scores_tell(columns);
    tell(DP2DP_WORDS_ODDITY, oddities, CLI_ABOUT_DATA);
    cli_warnings_tell(of_labels | more | found, CLI_ABOUT_DATA);
}

void cli_no_sensitive_text(int no_sensitive, cli_out *out) {
    if (no_sensitive) {
        cli_out_prose(out,
                      "CAUTION: the schema has no sensitive column, so dp2dp fit --model cannot "
                      "learn a fair rule for a classifier trained with this schema. Before you "
                      "train, give the group column the role sensitive in the schema. Or train "
                      "without that column, write the scores with dp2dp predict MODEL TABLE "
                      "--adjusted --keep COLUMN, and give these scores to dp2dp fit.");
    }
}
