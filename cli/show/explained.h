/* A model as `show` tells it: what is in the file, and what follows from its ledger. */
#ifndef CLI_EXPLAINED_H
#define CLI_EXPLAINED_H

#include "args/args.h"
#include "common/out.h"

enum {
    CLI_SETS_MAX = 8
};

/* One set of people, and what the model costs them. */
typedef struct cli_set {
    const char *name;         /* as in the ledger; "": everybody */
    double epsilon;           /* at the model's delta, from the ledger; NAN: no bound */
    uint64_t records;         /* 0: not known; of "train", where both are: the classifier's */
    uint64_t rows_per_person; /* the largest of its entries */
    int declared;             /* some of it is taken on trust */
    int of_rule;              /* the rule was learnt from them, or from some of them */
} cli_set;

typedef struct cli_explained {
    const char *path;
    const dp2dp_model_info *info;
    const dp2dp_schema_info *schema; /* of the classifier, or NULL */
    double epsilon;                  /* of everything in the ledger; NAN: nothing is promised */
    cli_set sets[CLI_SETS_MAX];
    size_t set_count;
} cli_explained;

dp2dp_status cli_explained_account(cli_explained *model, dp2dp_error *error);
/* How much is added to the score of class k in a group. */
double cli_explained_shift(const dp2dp_model_info *info, size_t group, size_t k);

dp2dp_status cli_explained_json(const cli_explained *model, cli_out *out, dp2dp_error *error);
dp2dp_status cli_explained_text(const cli_explained *model, cli_out *out, dp2dp_error *error);

#endif
