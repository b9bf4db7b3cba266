/* Privacy-loss distributions on a grid must not lose mass, whatever the number of points. Up to 16
 * ulp may be missing, since the masses are raised by so much later. */
#include "support.h"

#include <float.h>

#include "accountant/pld_pmf.h"
#include "num/elementary.h"

/* Returns 1 minus the total mass, in ulp; negative if the total exceeds 1. */
static double missing(dp2dpi_loss loss, double step) {
    dp2dpi_grid grid = {
        .step = step, .resolution = 512, .upper_limit = 1e-14, .lower_limit = 1e-14};
    OWNED(dp2dpi_pld_pmf) pmf;
    assert_ok(dp2dpi_pld_pmf_new(&loss, &grid, &pmf, NULL));
    long double total = (long double)pmf.infinity;
    for (size_t i = 0; i < pmf.n; i++) {
        assert_true(pmf.mass[i] >= 0);
        total += (long double)pmf.mass[i];
    }
    return (double)((1 - total) / (long double)DP2DPI_ULP);
}

TEST(no_mass_is_lost) {
    static const dp2dpi_loss_kind kinds[] = {
        DP2DPI_LOSS_GAUSSIAN,    DP2DPI_LOSS_POISSON_REPLACE,     DP2DPI_LOSS_POISSON_REMOVE,
        DP2DPI_LOSS_POISSON_ADD, DP2DPI_LOSS_WITHOUT_REPLACEMENT, DP2DPI_LOSS_WITH_REPLACEMENT};
    int bad = 0;
    for (size_t i = 0; i < 6 * 80; i++) {
        double q = 0.9 * pow(0.7, (double)(i / 6 % 20)), shift = 0.3 * pow(1.7, (double)(i / 120));
        dp2dpi_loss loss = {.kind = kinds[i % 6], .shift = shift, .q = q, .count = 1};
        if (loss.kind == DP2DPI_LOSS_WITH_REPLACEMENT) {
            loss.q = q / 10;
            loss.draws = 10;
        }
        double lost = missing(loss, 0x1p-12);
        if (!(lost < 8)) {
            bad++;
            print_error("kind %d, q %g, shift %g: %g ulp are lost\n", (int)loss.kind, q, shift,
                        lost);
        }
    }
    assert_int_equal(bad, 0);
}
