/* Prints what was measured under every criterion. */
#ifndef CLI_CRITERIA_H
#define CLI_CRITERIA_H

#include <dp2dp/dp2dp.h>

#include "common/json.h"
#include "common/out.h"

typedef struct cli_measured {
    const dp2dp_evaluation *before, *after; /* without the rule, and with it */
    const char *const *groups;
    const char *const *classes;
    int aims;                  /* 0: the model has no rule, so it aims at no criterion */
    dp2dp_criterion criterion; /* what the rule aims at */
} cli_measured;

/* Error and unfairness, each before and after the rule. */
typedef struct cli_headline {
    double error[2], parity[2]; /* parity: unfairness under demographic parity */
    double own[2]; /* unfairness under the criterion that the rule aims at; NAN if it was not
                      measured */
    int aims;      /* 0: there is no rule */
    dp2dp_criterion criterion; /* what the rule aims at */
} cli_headline;

/* A number from 0 to 1 in three decimals, or "-" for NAN. */
typedef struct cli_cell {
    char text[16];
} cli_cell;
cli_cell cli_cell_of(double x);

cli_headline cli_headline_of(const cli_measured *measured);
/* Prints the first table of a report: the error, and the unfairness under the criterion that the
 * rule aims at. If that criterion is not demographic parity, also prints the unfairness under
 * demographic parity. */
void cli_headline_text(const cli_headline *headline, cli_out *out);

/* Writes the members criteria, by_group and disparate_impact. */
void cli_criteria_json(const cli_measured *measured, cli_json *json);
/* Prints the rates of each group, and the unfairness under each criterion. */
void cli_criteria_text(const cli_measured *measured, cli_out *out);

/* Say of each group which classes hardly anybody of the group gets any more: at least 20 people and
 * 2 % had the class without the rule, and fewer than a tenth as many have it with the rule. Groups
 * of fewer than 100 people are left out. one_positive is 1 if the criterion compares the rates of
 * one positive class. */
void cli_lost_text(const cli_measured *measured, int one_positive, cli_out *out);

#endif
