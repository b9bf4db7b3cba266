/* mechanism: if any allocation fails, no noise is drawn without a charge in the ledger, and the
 * ledger gets no charge that cannot be used. */
#include "fault/fault_alloc.h"

#include "mechanism/mechanism.h"
#include "mechanism/release.h"

DEFINE_HANDLE(dp2dpi_charge)

static dp2dp_event sum_event(void) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = DP2DP_POISSON;
    event.sensitivity = 2;
    event.sigma = 8;
    event.rate = 0.25;
    event.coordinates = 4;
    event.label = "gradient";
    event.set = "spring";
    return event;
}

TEST(a_charge_is_usable_and_in_the_ledger_or_neither) {
    dp2dp_event event = sum_event();
    FAIL_EACH_ALLOCATION(8) {
        HANDLE(dp2dp_ledger) *ledger = new_ledger();
        HANDLE(dp2dpi_rng) *rng = seeded_rng(4);
        HANDLE(dp2dpi_charge) *made = (dp2dpi_charge *)&made;
        assert_ok(dp2dp_ledger_set_budget(ledger, 5, 1e-6, NULL));
        FAULTY(dp2dpi_charge_new(ledger, rng, &event, 1, 30, &made, &fault_error));
        assert_int_equal(made == NULL, fault_status != OK);
        assert_int_equal(charges_in(ledger), fault_status == OK);
    }
}

/* A ledger entry without a release wastes budget and costs no privacy: the user's ledger may have
 * entries that the model's ledger could not get. The reverse must not happen. */
TEST(every_event_is_in_both_ledgers_or_nothing_can_be_drawn) {
    dp2dpi_release_plan plan = {.events = {sum_event(), sum_event()}, .n = 2, .most = 100};
    plan.events[0].mechanism = plan.events[1].mechanism = DP2DP_GAUSSIAN;
    plan.events[0].rate = plan.events[1].rate = 0;
    FAIL_EACH_ALLOCATION(16) {
        HANDLE(dp2dp_ledger) *users = new_ledger(), *own = new_ledger();
        OWNED(dp2dpi_release) r;
        dp2dpi_release_terms terms = {.epsilon = 1,
                                      .delta = 1e-5,
                                      .rows_per_person = 1,
                                      .rng = DP2DP_RNG_INSECURE,
                                      .ledger = users,
                                      .own = own};
        FAULTY(dp2dpi_release_new(&terms, &plan, &r, &fault_error));
        size_t first = dp2dp_ledger_size(users), second = dp2dp_ledger_size(own);
        assert_true((first == 0 || first == 2) && (second == 0 || second == 2) && second <= first);
        assert_int_equal(second == 2, fault_status == OK);
        assert_int_equal(r.charges[0] != NULL && r.charges[1] != NULL, fault_status == OK);
    }
}

TEST(what_was_charged_is_released_without_allocating) {
    dp2dp_ledger *ledger = new_ledger();
    dp2dpi_rng *rng = NULL;
    dp2dpi_charge *made = NULL;
    dp2dp_event event = sum_event();
    int64_t sum[4] = {1, 2, 3, 4};
    uint8_t mask[100];
    assert_ok(dp2dpi_rng_new(&rng, NULL));
    assert_ok(dp2dpi_charge_new(ledger, rng, &event, 1, 30, &made, NULL));
    fault_arm(0, FAULT_FROM_THEN_ON);
    assert_ok(dp2dpi_charge_poisson_mask(made, 100, mask, NULL));
    assert_ok(dp2dpi_charge_release(made, 4, sum, sum, NULL));
    assert_int_equal(fault_seen, 0);
    fault_disarm();
    dp2dpi_charge_free(made);
    dp2dpi_rng_free(rng);
    dp2dp_ledger_free(ledger);
    assert_int_equal(fault_outstanding, 0);
}
