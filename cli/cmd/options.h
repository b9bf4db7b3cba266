/* The macros for rows of the option tables, and the rows that several tables share. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

/* The arguments are the members of cli_option (args/verbs.h), in order. */
#define CLI_OPTION(name, kind, value, range, fallback, modes, needs, help) \
    {name, kind, value, range, fallback, modes, needs, help, 0},
/* Declares an option that every mode allows and no mode needs. */
#define CLI_PLAIN(name, kind, value, range, fallback, help) \
    {name, kind, value, range, fallback, NULL, NULL, help, 0},
#define CLI_SWITCH(name, help) {name, CLI_FLAG, NULL, CLI_ANY, NULL, NULL, NULL, help, 0},

/* Stands for several rows of the table: one for each numeric option of a library struct, or for
 * each option in a list of fields. */
#define CLI_OF_LIBRARY(which) {.kind = CLI_LIBRARY, .library = (which)},
#define CLI_SOME_OF_LIBRARY(which, fields) \
    {.kind = CLI_LIBRARY, .value = (fields), .library = (which)},

/* The options of the solver that finds the fair rule, for verbs that also train a classifier. */
#define CLI_OPTIONS_SOLVER \
    CLI_SOME_OF_LIBRARY(DP2DP_STRUCT_FIT_OPTIONS, "steps|batch|tail|lambda_max|group_least")
/* The options that say from which people the fair rule is learned, for verbs that also train a
 * classifier. */
#define CLI_OPTIONS_POOL(modes)                                                                  \
    CLI_OPTION(                                                                                  \
        "pool", CLI_WORD, "own|same", CLI_ANY, "own", modes, NULL,                               \
        "the people whom the fair rule is learned from. own: the people of the pool part of "    \
        "--split. Nobody is in both the train part and the pool part, so training and rule may " \
        "each spend the whole budget. same: the people of the train part, which here includes "  \
        "the pool part. For these people the costs of training and rule both count, and "        \
        "together stay within --epsilon. --pool same often gives a fairer rule if a group has "  \
        "few people, or few people with some label")                                             \
    CLI_OPTION(                                                                                  \
        "train-share", CLI_REAL, "X", CLI_OPEN_UNIT, "0.7", modes, NULL,                         \
        "with --pool same: the share of the budget that training takes; the fair rule gets the " \
        "rest. X is a share of mu^2, where mu is the parameter of Gaussian differential "        \
        "privacy: mu^2 adds up over releases")
/* The row that comes before the rows of a verb, and names the verb. */
#define CLI_OPTIONS_OF(verb) {.name = #verb, .kind = CLI_BEGIN},

#define CLI_BETWEEN(low_edge, low, high_edge, high) \
    { CLI_##low_edge, low, CLI_##high_edge, high }
#define CLI_ANY CLI_BETWEEN(UNBOUNDED, 0, UNBOUNDED, 0)
#define CLI_POSITIVE CLI_BETWEEN(OPEN, 0, UNBOUNDED, 0)
#define CLI_NOT_NEGATIVE CLI_BETWEEN(CLOSED, 0, UNBOUNDED, 0)
#define CLI_RATE CLI_BETWEEN(OPEN, 0, CLOSED, 1)
#define CLI_HALF CLI_BETWEEN(OPEN, 0, CLOSED, 0.5)
#define CLI_OPEN_UNIT CLI_BETWEEN(OPEN, 0, OPEN, 1)
#define CLI_HALF_OPEN_UNIT CLI_BETWEEN(CLOSED, 0, OPEN, 1)
#define CLI_CLOSED_UNIT CLI_BETWEEN(CLOSED, 0, CLOSED, 1)
#define CLI_CONFIDENCE CLI_BETWEEN(CLOSED, 0.5, OPEN, 1)
#define CLI_SEED CLI_BETWEEN(CLOSED, 0, CLOSED, CLI_COUNT_MAX)
#define CLI_SIZE CLI_BETWEEN(CLOSED, 1, CLOSED, 10000)
#define CLI_SEVERAL CLI_BETWEEN(CLOSED, 2, CLOSED, 10000)
#define CLI_THREADS CLI_BETWEEN(CLOSED, 0, CLOSED, 1024)
#define CLI_COUNTING CLI_BETWEEN(CLOSED, 1, CLOSED, CLI_COUNT_MAX)
#define CLI_FROM_TO(low, high) \
    { CLI_CLOSED, low, (high) > 1e300 ? CLI_UNBOUNDED : CLI_CLOSED, high }

#define CLI_SAMPLED "poisson|without-replacement|with-replacement"
#define CLI_NOISY "gaussian|" CLI_SAMPLED

#define CLI_OPTION_JSON CLI_SWITCH("json", "print one JSON object instead of text")
#define CLI_OPTION_JSON_ABOUT \
    CLI_SWITCH("json", "print one JSON object about what was written; needs --out FILE")
#define CLI_OPTION_FORCE CLI_SWITCH("force", "replace an existing file")
#define CLI_OPTION_DRY_RUN                                                                    \
    CLI_SWITCH(                                                                               \
        "dry-run",                                                                            \
        "only print what would be charged, and whether the budget allows it. Rows are still " \
        "read: the answer depends on the number of people, and bad rows are refused as usual")
#define CLI_OPTION_THREADS                                                                        \
    CLI_PLAIN("threads", CLI_COUNT, "N", CLI_THREADS, "0",                                        \
              "number of threads; 0 means one per processor. The result does not depend on this " \
              "number")
#define CLI_OPTION_DATA_DIR                                                                     \
    CLI_PLAIN("data-dir", CLI_TEXT, "DIR", CLI_ANY, NULL,                                       \
              "folder of the data sets, one subfolder each; default: the environment variable " \
              "DP2DP_DATA")
#define CLI_OPTION_SCHEMA                                              \
    CLI_OPTION(                                                        \
        "schema", CLI_TEXT, "SCHEMA", CLI_ANY, NULL, NULL, CLI_ALWAYS, \
        "the schema of the columns: a file, or one of adult, adult-cut, credit, parkinsons")
#define CLI_OPTION_BAD_ROWS                                                                      \
    CLI_PLAIN(                                                                                   \
        "bad-rows", CLI_WORD, "refuse|ignore", CLI_ANY, "refuse",                                \
        "what to do with a row that has a bad value: one that cannot be read, is missing or is " \
        "not in its public list. refuse: refuse the table. ignore: print no message, and count " \
        "the row as a record that adds nothing. A file in which it is unclear where rows begin " \
        "is always refused")
#define CLI_OPTIONS_MODEL_OUT                                                               \
    CLI_OPTION("out", CLI_TEXT, "MODEL", CLI_ANY, NULL, NULL, CLI_ALWAYS,                   \
               "the model file to write (not needed with --dry-run); - is standard output") \
    CLI_OPTION_FORCE
#define CLI_OPTIONS_OUT                                                                        \
    CLI_PLAIN("out", CLI_TEXT, "FILE", CLI_ANY, "-",                                           \
              "the file to write, or - for standard output. The file appears under this name " \
              "only when it is complete")                                                      \
    CLI_OPTION_FORCE

#endif
