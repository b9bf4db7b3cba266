#include "privacy/published_pair.h"

#include "attacked/attacked.h"

/* The form of the releases for a person who changes group: both counts move, and each step samples
 * the person at the rate of the sampler, batch size/(2 × group size). The sampler may also draw the
 * person twice; with groups of half of the records it does so in less than one step in a thousand
 * for batches of 32 of 1,000 and in two for 128 of 2,000. */
static void form_of(const setting *s, dp2dp_event *form) {
    form[0] = dp2dpi_release_gaussian(DP2DPI_COUNTS_SENSITIVITY, s->sigma_totals, 0, NULL);
    form[1] = dp2dpi_release_gaussian(4 * sqrt(2), s->sigma_sums, 0, NULL);
    form[1].mechanism = DP2DP_POISSON;
    form[1].rate = 0.5 * (double)s->plan.batch / (double)s->plan.group;
    form[1].count = s->plan.steps;
}

found attack_published(const target *t, const job *j) {
    plan p = {strcmp(t->pair, "class") ? ACROSS : WITHIN,
              t->records,
              t->group,
              t->batch,
              t->steps,
              t->group_least};
    OWNED(setting) s = open_fit(p, t->epsilon, j->seed);
    dp2dp_event form[2];
    form_of(&s, form);
    found out = {.claimed = s.releases.epsilon_claimed,
                 .sound = s.releases.price.bounded ? epsilon_sound(&s) : NAN,
                 .sigma_counts = s.sigma_totals,
                 .sigma_sums = s.sigma_sums};
    attack_pair(j, &s, ratio_of, form, p.pair == ACROSS ? 2 : 0, &out);
    return out;
}
