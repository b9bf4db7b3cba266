/* ledger: every allocation fails once, including those of the JSON library. A ledger has a charge
 * completely or not at all. */
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

/* A ledger with a budget and this many charges. Eight entries fill its array, so that the next
 * charge reallocates it. */
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

TEST(a_ledger_is_whole_or_absent) {
    FAIL_EACH_ALLOCATION(1) {
        HANDLE(dp2dp_ledger) *ledger = (dp2dp_ledger *)&ledger;
        FAULTY(dp2dp_ledger_new(DP2DP_ADD_REMOVE, &ledger, NULL));
        assert_int_equal(ledger == NULL, fault_happened);
    }
    assert_int_equal(fault_run.failures, 1);
}

TEST(a_charge_is_whole_or_absent) {
    dp2dp_event event = gaussian();
    FAIL_EACH_ALLOCATION(5) {
        HANDLE(dp2dp_ledger) *ledger = ledger_of(7);
        size_t length;
        TEXT_FREED char *before = text_of(ledger, &length);
        FAULTY(dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, &fault_error));
        if (fault_status == OK) {
            assert_int_equal(charges_in(ledger), 8);
        } else {
            assert_text(ledger, before);
        }
        /* The ledger still takes charges. */
        assert_ok(dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, NULL));
    }
    FAIL_EACH_ALLOCATION(2) {
        HANDLE(dp2dp_ledger) *ledger = ledger_of(2);
        HANDLE(dp2dp_accountant) *accountant = (dp2dp_accountant *)&accountant;
        FAULTY(dp2dp_ledger_account(ledger, &accountant, &fault_error));
        assert_int_equal(accountant == NULL, fault_happened);
    }
}

TEST(text_is_whole_or_absent) {
    static const char malformed[] = "{\"format\":\"dp2dp-ledger\",\"version\":1,\"adjacency\":";
    HANDLE(dp2dp_ledger) *ledger = ledger_of(2);
    size_t length;
    TEXT_FREED char *text = text_of(ledger, &length);
    FAIL_EACH_ALLOCATION(20) {
        TEXT_FREED char *written = (char *)&written;
        FAULTY(dp2dp_ledger_to_json(ledger, &written, &length, &fault_error));
        assert_int_equal(written == NULL, fault_happened);
    }
    /* The hard part: the parser must not drop a byte of a token for which it had no memory. */
    FAIL_EACH_ALLOCATION(50) {
        HANDLE(dp2dp_ledger) *read = (dp2dp_ledger *)&read;
        FAULTY(dp2dp_ledger_from_json(text, strlen(text), &read, &fault_error));
        assert_int_equal(read == NULL, fault_status != OK);
        if (read) {
            assert_text(read, text);
        }
    }
    /* Malformed text without memory may return either status: DATA or MEMORY. */
    FAIL_EACH_ALLOCATION(10) {
        dp2dp_ledger *read = (dp2dp_ledger *)&read;
        FAULTY(dp2dp_ledger_from_json(malformed, sizeof malformed - 1, &read, &fault_error));
        assert_null(read);
        assert_int_not_equal(fault_status, OK);
        if (fault_status == DP2DP_STATUS_DATA) {
            fault_status = fault_happened ? DP2DP_STATUS_MEMORY : OK;
        }
    }
}

GROUP(fault_include_json, NULL)
