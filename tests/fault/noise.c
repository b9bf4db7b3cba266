/* noise: samplers allocate nothing, so memory cannot run out between a charge and its noise. */
#include "fault/fault_alloc.h"

#include "noise/noise.h"

TEST(samplers_allocate_nothing) {
    HANDLE(dp2dpi_rng) *rng = NULL;
    int64_t noise[64];
    uint8_t mask[64];
    assert_ok(dp2dpi_rng_new_insecure(3, &rng, NULL));
    fault_arm(0, FAULT_FROM_THEN_ON);
    for (int bits = 0; bits <= 50; bits += 10) {
        assert_ok(dp2dpi_noise_gaussian(rng, (uint64_t)1 << bits, 64, noise, NULL));
    }
    assert_ok(dp2dpi_noise_poisson_mask(rng, 0.3, 64, mask, NULL));
    assert_int_equal(fault_seen, 0);
    fault_disarm();
}
