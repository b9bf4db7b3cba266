/* ledger: every allocation fails once, those of the JSON library included; the ledger holds a
 * charge whole or not at all. */
#include "fault/fault_alloc.h"

#include <dp2dp/ledger.h>

static dp2dp_event gaussian(void) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = DP2DP_GAUSSIAN;
    event.sensitivity = 1.4142135623730951;
    event.sigma = 17.320508075688775;
    event.label = "a label longer than thirty-two bytes, for the scanner";
    event.set = "fourteen bytes";
    return event;
}

/* Eight entries fill the first block, so that the ninth has to grow it. */
static dp2dp_ledger *ledger_of(int entries) {
    dp2dp_ledger *ledger = NULL;
    dp2dp_event event = gaussian();
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &ledger, NULL));
    assert_ok(dp2dp_ledger_set_budget(ledger, 30, 1e-6, NULL));
    for (int i = 0; i < entries; i++) {
        assert_ok(dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, NULL));
    }
    return ledger;
}

static char *text_of(const dp2dp_ledger *ledger, size_t *length) {
    char *text = NULL;
    assert_ok(dp2dp_ledger_to_json(ledger, &text, length, NULL));
    return text;
}

static void assert_text(const dp2dp_ledger *ledger, const char *wanted) {
    size_t length;
    TEXT_FREED char *text = text_of(ledger, &length);
    assert_string_equal(text, wanted);
}

static dp2dp_status make(size_t at, fault_mode how) {
    HANDLE(dp2dp_ledger) *ledger = (dp2dp_ledger *)&ledger;
    fault_arm(at, how);
    dp2dp_status status = dp2dp_ledger_new(DP2DP_ADD_REMOVE, &ledger, NULL);
    assert_int_equal(ledger == NULL, fault_happened);
    return status;
}

static dp2dp_status charge(size_t at, fault_mode how) {
    HANDLE(dp2dp_ledger) *ledger = ledger_of(8);
    size_t length;
    TEXT_FREED char *before = text_of(ledger, &length);
    dp2dp_event event = gaussian();
    fault_arm(at, how);
    dp2dp_status status = dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, &fault_error);
    fault_disarm();
    if (status == OK) {
        assert_int_equal(dp2dp_ledger_size(ledger), 9);
    } else {
        assert_text(ledger, before);
    }
    /* And the ledger is as good as ever. */
    assert_ok(dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, NULL));
    return status;
}

static dp2dp_status account(size_t at, fault_mode how) {
    HANDLE(dp2dp_ledger) *ledger = ledger_of(2);
    HANDLE(dp2dp_accountant) *accountant = (dp2dp_accountant *)&accountant;
    fault_arm(at, how);
    dp2dp_status status = dp2dp_ledger_account(ledger, &accountant, &fault_error);
    assert_int_equal(accountant == NULL, fault_happened);
    return status;
}

static dp2dp_status to_json(size_t at, fault_mode how) {
    HANDLE(dp2dp_ledger) *ledger = ledger_of(2);
    TEXT_FREED char *text = (char *)&text;
    size_t length;
    fault_arm(at, how);
    dp2dp_status status = dp2dp_ledger_to_json(ledger, &text, &length, &fault_error);
    assert_int_equal(text == NULL, fault_happened);
    return status;
}

/* The hard one: the parser must not drop a byte of a token that it had no memory for. */
static dp2dp_status from_json(size_t at, fault_mode how) {
    HANDLE(dp2dp_ledger) *ledger = ledger_of(2);
    HANDLE(dp2dp_ledger) *read = (dp2dp_ledger *)&read;
    size_t length;
    TEXT_FREED char *text = text_of(ledger, &length);
    fault_arm(at, how);
    dp2dp_status status = dp2dp_ledger_from_json(text, length, &read, &fault_error);
    fault_disarm();
    assert_int_equal(read == NULL, status != OK);
    if (read) {
        assert_text(read, text);
    }
    return status;
}

/* A text that is wrong with or without memory may be called either. */
static dp2dp_status malformed(size_t at, fault_mode how) {
    static const char text[] = "{\"format\":\"dp2dp-ledger\",\"version\":1,\"adjacency\":";
    dp2dp_ledger *read = (dp2dp_ledger *)&read;
    fault_arm(at, how);
    dp2dp_status status = dp2dp_ledger_from_json(text, sizeof text - 1, &read, &fault_error);
    assert_null(read);
    if (status == DP2DP_STATUS_DATA) {
        return fault_happened ? DP2DP_STATUS_MEMORY : OK;
    }
    return fault_happened ? status : DP2DP_STATUS_INTERNAL;
}

TEST(a_ledger_is_whole_or_absent) {
    assert_int_equal(fault_every_allocation(make), 1);
}

TEST(a_charge_is_whole_or_absent) {
    assert_true(fault_every_allocation(charge) >= 5);
    assert_true(fault_every_allocation(account) >= 2);
}

TEST(text_is_whole_or_absent) {
    assert_true(fault_every_allocation(to_json) >= 20);
    assert_true(fault_every_allocation(from_json) >= 50);
    assert_true(fault_every_allocation(malformed) >= 10);
}

GROUP(fault_include_json, NULL)
