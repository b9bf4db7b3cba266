/* Whether a certificate can show what certify --at-most asks for. Uses public numbers only: how
 * many people and groups there are, epsilon, delta and the confidence. */
#ifndef CLI_REACH_H
#define CLI_REACH_H

#include "args/args.h"
#include "common/json.h"

typedef struct cli_reach {
    double at_most; /* the value of --at-most; NAN: not given */
    double least;   /* about the smallest strict bound that `records` people can give, or NAN */
    uint64_t records;
    uint64_t
        needed; /* about the least number of people needed; 0: not known, or `records` is enough */
} cli_reach;

enum {
    CLI_REACH_SIZE = 480
};

/* Finds out what certify can reach. Without --at-most, does nothing but set *out. */
void cli_reach_find(const cli_args *args, const dp2dp_source *source, const dp2dp_model *model,
                    const dp2dp_certify_options *options, cli_reach *out);
/* Writes a caution if --at-most is out of reach even for a perfectly fair rule, and returns 1.
 * Otherwise returns 0. */
int cli_reach_caution(const cli_reach *reach, char text[CLI_REACH_SIZE]);
/* Writes the JSON member "unfairness_least". */
void cli_reach_json(const cli_reach *reach, cli_json *json);

/* Returns whether the bound exceeds the observed gap by more than --at-most. Then no rule could
 * have met --at-most with these people. `rates` has the rates of all strata; the gap is the largest
 * difference between two groups in the rate of one class, among people with the same label. */
int cli_reach_is_wide(const cli_reach *reach, const dp2dp_certificate *certificate,
                      const double *rates);

#endif
