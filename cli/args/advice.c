/* Advice at the end of error messages about the command line: what to type instead of a wrong
 * option, word or number. */
#include <string.h>

#include "args/args.h"

const char *cli_advice_on_absent(const cli_verb *verb, const char *option) {
#define uses_model "predict|evaluate|show|report|export"
    static const char no_budget[] = "this command spends no privacy budget: leave the option out";
    static const char of_schema[] =
        "the schema already names the label, the groups and the classes: leave the option out";
    static const char no_person[] = "this command cannot tell which rows belong to one person. "
                                    "Instead, give --rows-per-person N, where N is the largest "
                                    "number of rows of one person";
    static const char seeded[] =
        "did you mean --insecure-seed? A result with a seed can be repeated, but is NOT PRIVATE: "
        "anyone who knows the seed knows the noise";
    static const char of_model[] = "the model already has this setting from dp2dp fit: leave the "
                                   "option out";
    static const struct {
        const char *verbs, *option, *advice;
    } absent[] = {
        {"evaluate|report|train|run|sweep", "multiplicity",
         "this command counts each row as one record: repeat a row that stands for several "
         "records"},
        {"predict", "multiplicity",
         "each row gets one decision, however many records it stands for: leave the option out"},
        {"train", "label", of_schema},
        {"train", "sensitive", of_schema},
        {"train", "groups", of_schema},
        {"train", "classes", of_schema},
        {"fit|count|train|certify", "person", no_person},
        {"fit", "schema",
         "first make a classifier with dp2dp train TABLE --schema FILE --out MODEL, and then use "
         "dp2dp fit OTHER_TABLE --model MODEL"},
        {"run", "scores",
         "this command trains a classifier itself. For a table of scores use dp2dp sweep --scores, "
         "or dp2dp fit and dp2dp evaluate"},
        {"fit|train|certify|run|sweep", "seed", seeded},
        {"synth", "seed", "did you mean --insecure-seed?"},
        {uses_model, "epsilon", no_budget},
        {uses_model, "delta", no_budget},
        {uses_model, "ledger", no_budget},
        {uses_model "|certify", "rho", of_model},
        {uses_model "|certify", "groups", of_model},
        {uses_model "|certify", "classes", of_model},
        {uses_model "|certify", "criterion", of_model},
        {uses_model "|certify", "normalize", of_model},
        {uses_model, "rows-per-person", no_budget},
        {"certify", "rows-per-person",
         "the model already has this number from dp2dp fit --rows-per-person: leave the option "
         "out"},
    };
#undef uses_model
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        if (cli_list_has(absent[i].verbs, verb->name) && strcmp(absent[i].option, option) == 0) {
            return absent[i].advice;
        }
    }
    return strncmp(option, "out", 3) == 0 && cli_option_find(verb, "out") == NULL
               ? "this command prints to stdout: redirect with > FILE"
               : NULL;
}

const char *cli_advice_on_verb(const char *name) {
    return strcmp(name, "ledger") == 0
               ? "; dp2dp account FILE computes the total cost of a ledger, and dp2dp verify FILE "
                 "checks the ledger. To charge a ledger, give --ledger FILE to fit, train or "
                 "certify"
               : NULL;
}

const char *cli_advice_on_word(const char *option, const char *word) {
    return strcmp(option, "find") == 0 && cli_list_has("epsilon|delta", word)
               ? "; to compute the epsilon or delta of a given noise, use dp2dp account"
               : NULL;
}

const char *cli_advice_on_number(const char *option, double x) {
    return strcmp(option, "epsilon") == 0 && x == 0
               ? "; with epsilon 0, nothing can be learned from the data. An epsilon of 1 is "
                 "already a strong guarantee"
           : strcmp(option, "delta") == 0 && x == 0
               ? "; a delta of 1e-5 or less is usual, far below 1 / (number of people)"
           : cli_list_has("delta|scores-delta", option) && x >= 1
               ? "; an epsilon may be that large, a delta may not: were the two swapped?"
           : strcmp(option, "rate") == 0 && x > 1
               ? "; the rate is the size of a batch divided by the number of records"
               : "";
}

const char *cli_advice_on_mode(const char *option, const char *mode) {
    static const struct {
        const char *mode, *options, *advice;
    } advice[] = {
        {"model", "label", ": this model's schema names the label column"},
        {"model", "sensitive|groups", ": this model's schema names the groups and their column"},
        {"model", "classes", ": this model's schema names the classes"},
        {"model", "scores|normalize", ": this model's classifier computes the scores"},
        {"source", "label|normalize|multiplicity",
         ": give the option to the dp2dp count command inside each --source"},
    };
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++) {
        if (strcmp(advice[i].mode, mode) == 0 && cli_list_has(advice[i].options, option)) {
            return advice[i].advice;
        }
    }
    return "";
}
