/* What a fit says of its released tables. */
#include "unit/phase2/criteria.h"

/* Returns in how many of 40 fits the gap without a rule counts as noise. Each table has noise with
 * a standard deviation of about 0.3 on a rate, so that a single table tells nothing. */
static int fits_within_noise(const labelled *p, dp2dp_criterion criterion) {
    int found = 0;
    HANDLE(dp2dp_pool) *pool = labelled_pool(p, &(way) {.labels = 1});
    dp2dp_source source = dp2dp_pool_source(pool);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        dp2dp_fit_options o = seeded(1, seed);
        o.criterion = criterion;
        HANDLE(dp2dp_model) *model = NULL;
        assert_ok(dp2dp_fit(&source, &o, &model, &test_error));
        found += (dp2dp_model_view(model)->warnings & DP2DP_WARNING_GAP_WITHIN_NOISE) != 0;
    }
    return found;
}

TEST(a_gap_is_told_from_noise_by_all_tables_together) {
    static labelled p;
    labelled_new(&p, 1024, 2, 2, 61);
    assert_in_range(fits_within_noise(&p, DP2DP_TRUE_POSITIVE_RATE_PARITY), 0, 2);
    uint64_t seed = 62;
    for (size_t i = 0; i < p.n; i++) { /* now the groups differ by chance only */
        p.group[i] = (int32_t)(draw(&seed) % 2);
        p.stratum[i] = p.group[i] * 2 + p.label[i];
    }
    assert_in_range(fits_within_noise(&p, DP2DP_TRUE_POSITIVE_RATE_PARITY), 32, 40);
}
