#include "privacy/reach.h"

#include <inttypes.h>
#include <math.h>

#include "common/number.h"

#define RECORDS_MOST 0x1p40 /* find_needed tries no more people than this */

/* Returns about the smallest strict bound for `records` people in equal groups, or NAN. */
static double least_for(const dp2dp_source *source, uint64_t records, const dp2dp_model *model,
                        const dp2dp_certify_options *options) {
    dp2dp_source larger = *source;
    dp2dp_certify_options asked = *options;
    dp2dp_ledger *scratch = NULL;
    dp2dp_error ignored;
    double least = NAN;
    larger.records = records;
    larger.count = NULL; /* the pool has another number of records, so it must not be counted */
    larger.context = NULL;
    asked.ledger = NULL;
    asked.unfairness_least = &least;
    if (dp2dp_ledger_new(DP2DP_REPLACE_ONE, &scratch, &ignored) == DP2DP_STATUS_OK &&
        dp2dp_certify_plan(&larger, model, &asked, scratch, &ignored) != DP2DP_STATUS_OK) {
        least = NAN; /* certify itself will fail too, and say why */
    }
    dp2dp_ledger_free(scratch);
    return least;
}

/* Returns the number of people, to within two percent, from which on the bound is small enough. */
static uint64_t find_needed(const dp2dp_source *source, const dp2dp_model *model,
                            const dp2dp_certify_options *options, double at_most) {
    double low = (double)source->records, high = 2 * low;
    while (high < RECORDS_MOST && !(least_for(source, (uint64_t)high, model, options) <= at_most)) {
        low = high;
        high *= 2;
    }
    while (high < RECORDS_MOST && high > 1.02 * low) {
        double middle = sqrt(low * high);
        int is_enough = least_for(source, (uint64_t)middle, model, options) <= at_most;
        low = is_enough ? low : middle;
        high = is_enough ? middle : high;
    }
    return high < RECORDS_MOST ? (uint64_t)ceil(high) : 0;
}

void cli_reach_find(const cli_args *args, const dp2dp_source *source, const dp2dp_model *model,
                    const dp2dp_certify_options *options, cli_reach *out) {
    *out = (cli_reach) {.at_most = NAN, .least = NAN, .records = source->records};
    if (!cli_given(args, "at-most")) {
        return;
    }
    out->at_most = cli_real(args, "at-most");
    out->least = least_for(source, source->records, model, options);
    if (out->least > out->at_most) {
        out->needed = find_needed(source, model, options, out->at_most);
    }
}

int cli_reach_caution(const cli_reach *reach, char text[CLI_REACH_SIZE]) {
    char needed[96] = "";
    if (!(reach->least > reach->at_most)) {
        return 0;
    }
    if (reach->needed > 0) {
        (void)snprintf(needed, sizeof needed, "at least about %s people (often many more), or ",
                       cli_number_up((double)reach->needed, 2).text);
    }
    (void)snprintf(
        text, CLI_REACH_SIZE,
        "CAUTION: --at-most %s is out of reach. With %" PRIu64 " people, this epsilon "
        "and this confidence, the strict bound is %s%s even if the rule is perfectly "
        "fair%s. This needs %sa larger epsilon.",
        cli_number_exact(reach->at_most).text, reach->records, reach->least < 1 ? "about " : "",
        cli_number_down(reach->least, 2).text,
        reach->least < 1 ? ", and larger unless nearly everybody gets the same class" : "", needed);
    return 1;
}

void cli_reach_json(const cli_reach *reach, cli_json *json) {
    cli_json_real(json, "unfairness_least", reach->least);
}

int cli_reach_is_wide(const cli_reach *reach, const dp2dp_certificate *c, const double *rates) {
    double gap = 0;
    size_t cells = c->labels * c->classes;
    for (size_t i = 0; i < cells; i++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t g = 0; g < c->groups; g++) {
            low = fmin(low, rates[g * cells + i]);
            high = fmax(high, rates[g * cells + i]);
        }
        gap = fmax(gap, high - low);
    }
    return c->unfairness_upper_strict - gap > reach->at_most;
}
