/* The JSON text of a ledger: it round-trips exactly, and the reader is strict and safe against
 * hostile input. */
#include <float.h>
#include <unistd.h>

#include <dp2dp/ledger.h>

#include "unit/locale_data.h"

/* A ledger with one entry whose fields are `fields`. */
#define LEDGER(fields)                                                                       \
    "{\"format\":\"dp2dp-ledger\",\"version\":1,\"adjacency\":\"replace-one\",\"entries\":[" \
    "{" fields "}]}"
#define GAUSSIAN                                                              \
    "\"mechanism\":\"gaussian\",\"sensitivity\":1.5,\"sigma\":2,\"count\":3," \
    "\"rows_per_person\":1,\"rng\":\"secure\""

/* The SHA-256 of the empty text. */
#define CHECKSUM "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static dp2dp_event event_of(dp2dp_mechanism mechanism) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = mechanism;
    return event;
}

static void charge(dp2dp_ledger *ledger, const dp2dp_event *event, dp2dp_rng_kind rng) {
    assert_ok(dp2dp_ledger_charge(ledger, event, rng, &test_error));
}

/* One entry of every mechanism, with values that need all 17 digits. */
static dp2dp_ledger *every_mechanism(void) {
    dp2dp_ledger *ledger = new_ledger();
    dp2dp_event event = event_of(DP2DP_GAUSSIAN);
    event.label = "counts \"quoted\"\t\x01 caf\xC3\xA9 \xF0\x9F\x99\x82 \\";
    event.set = "";
    event.sensitivity = sqrt(2);
    event.sigma = nextafter(0.1, 1);
    event.count = 80;
    event.coordinates = 6;
    event.scale = 0x1p50;
    charge(ledger, &event, DP2DP_RNG_SECURE);
    event = event_of(DP2DP_POISSON);
    event.set = "spring";
    event.release_id = "0123456789abcdef0123456789abcdef";
    event.sensitivity = 2;
    event.sigma = 1e4 / 3;
    event.rate = 0x1.fffffffffffffp-13;
    event.count = 100;
    event.sampling_unit = DP2DP_SAMPLE_PERSONS;
    charge(ledger, &event, DP2DP_RNG_INSECURE);
    event = event_of(DP2DP_WITHOUT_REPLACEMENT);
    event.sensitivity = 2;
    event.sigma = 3;
    event.rate = 0.25;
    charge(ledger, &event, DP2DP_RNG_SECURE);
    event = event_of(DP2DP_WITH_REPLACEMENT);
    event.sensitivity = 2;
    event.sigma = 1.0 / 3;
    event.population = 45222;
    event.draws = 128;
    charge(ledger, &event, DP2DP_RNG_SECURE);
    event = event_of(DP2DP_DECLARED);
    event.label = "their model";
    event.epsilon = 0.1;
    event.delta = 1e-12;
    charge(ledger, &event, DP2DP_RNG_SECURE);
    assert_ok(dp2dp_ledger_set_budget(ledger, 500.0 / 3, 1.0 / 3e5, NULL));
    assert_ok(dp2dp_ledger_publish(ledger, NULL, CHECKSUM, NULL));
    return ledger;
}

static char *text_of(const dp2dp_ledger *ledger, size_t *length) {
    char *text = NULL;
    assert_ok(dp2dp_ledger_to_json(ledger, &text, length, NULL));
    assert_int_equal(strlen(text), *length);
    return text;
}

static dp2dp_ledger *ledger_of(const char *text, size_t length) {
    dp2dp_ledger *ledger = NULL;
    assert_ok(dp2dp_ledger_from_json(text, length, &ledger, &test_error));
    return ledger;
}

static int same_numbers(const dp2dp_event *a, const dp2dp_event *b) {
    return a->mechanism == b->mechanism && a->sensitivity == b->sensitivity &&
           a->sigma == b->sigma && a->rate == b->rate && a->population == b->population &&
           a->draws == b->draws && a->count == b->count && a->coordinates == b->coordinates &&
           a->rows_per_person == b->rows_per_person && a->sampling_unit == b->sampling_unit &&
           a->scale == b->scale && a->epsilon == b->epsilon && a->delta == b->delta;
}

static void check_round_trip(void) {
    HANDLE(dp2dp_ledger) *ledger = every_mechanism();
    size_t length;
    size_t again_length;
    TEXT_FREED char *text = text_of(ledger, &length);
    HANDLE(dp2dp_ledger) *again = ledger_of(text, length);
    TEXT_FREED char *again_text = text_of(again, &again_length);
    assert_string_equal(text, again_text);
    assert_int_equal(length, again_length);
    assert_int_equal(dp2dp_ledger_size(again), dp2dp_ledger_size(ledger));
    for (size_t i = 0; i < dp2dp_ledger_size(ledger); i++) {
        dp2dp_event a = DP2DP_EVENT_INIT;
        dp2dp_event b = DP2DP_EVENT_INIT;
        dp2dp_rng_kind a_rng;
        dp2dp_rng_kind b_rng;
        assert_ok(dp2dp_ledger_entry(ledger, i, &a, &a_rng, NULL));
        assert_ok(dp2dp_ledger_entry(again, i, &b, &b_rng, NULL));
        assert_int_equal(a_rng, b_rng);
        assert_int_equal(a.label != NULL, b.label != NULL);
        assert_int_equal(a.set != NULL, b.set != NULL);
        if (a.label) {
            assert_string_equal(a.label, b.label);
        }
        if (a.set) {
            assert_string_equal(a.set, b.set);
        }
        assert_true(same_numbers(&a, &b));
    }
}

TEST(text_round_trips_byte_for_byte_and_bit_for_bit) {
    check_round_trip();
}

/* Copies what is between two marks of docs/ledger.md. */
static void from_document(const char *begin, const char *end, char *out, size_t size) {
    static char document[65536];
    FILE *stream = fopen(DP2DP_TEST_DIR "/../docs/ledger.md", "r");
    assert_non_null(stream);
    document[fread(document, 1, sizeof document - 1, stream)] = '\0';
    (void)fclose(stream);
    const char *first = strstr(document, begin);
    assert_non_null(first);
    first += strlen(begin);
    const char *last = strstr(first, end);
    assert_non_null(last);
    assert_true((size_t)(last - first) < size);
    (void)snprintf(out, size, "%.*s", (int)(last - first), first);
}

TEST(the_documented_command_gives_the_hashes_of_the_documented_ledger) {
    static char example[8192], command[1024], all[2048];
    char folder[] = "/tmp/dp2dp-test-XXXXXX", path[64];
    from_document("```json\n", "```", example, sizeof example);
    from_document("```sh\n", "```", command, sizeof command);
    HANDLE(dp2dp_ledger) *ledger = ledger_of(example, strlen(example));
    size_t length, entries = dp2dp_ledger_size(ledger);
    TEXT_FREED char *text = text_of(ledger, &length);
    assert_string_equal(text, example);
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/people.ledger.json", folder);
    FILE *stream = fopen(path, "w");
    assert_true(stream && fputs(example, stream) >= 0 && fclose(stream) == 0);
    (void)snprintf(all, sizeof all, "cd %s && %s", folder, command);
    stream = popen(all, "r");
    assert_non_null(stream);
    for (size_t i = 0; i < entries; i++) {
        char line[128];
        dp2dp_entry_info info = DP2DP_ENTRY_INFO_INIT;
        assert_ok(dp2dp_ledger_entry_info(ledger, i, &info, &test_error));
        assert_non_null(fgets(line, sizeof line, stream));
        assert_memory_equal(line, info.hash, 64);
    }
    assert_int_equal(fgetc(stream), EOF);
    assert_int_equal(pclose(stream), 0);
    assert_int_equal(entries, 3);
    assert_int_equal(unlink(path) + rmdir(folder), 0);
}

TEST(counts_up_to_2_to_53_stay_exact) {
    dp2dp_event event = event_of(DP2DP_GAUSSIAN);
    dp2dp_rng_kind rng;
    size_t length;
    event.sensitivity = 1;
    event.sigma = 1e9;
    event.coordinates = ((uint64_t)1 << 53) - 1;
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    charge(ledger, &event, DP2DP_RNG_SECURE);
    TEXT_FREED char *text = text_of(ledger, &length);
    assert_says(text, "\"coordinates\":9007199254740991");
    HANDLE(dp2dp_ledger) *again = ledger_of(text, length);
    assert_ok(dp2dp_ledger_entry(again, 0, &event, &rng, NULL));
    assert_true(event.coordinates == 9007199254740991u);
}

TEST(fields_a_mechanism_does_not_use_are_left_out) {
    HANDLE(dp2dp_ledger) *ledger = ledger_of(LEDGER(GAUSSIAN), strlen(LEDGER(GAUSSIAN)));
    size_t length;
    TEXT_FREED char *text = text_of(ledger, &length);
    const char *const absent[] = {"rate", "population",  "draws",   "sampling_unit", "scale",
                                  "set",  "label",       "epsilon", "delta",         "budget",
                                  "role", "\"people\":", "note",    "release_id"};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++) {
        assert_null(strstr(text, absent[i]));
    }
    assert_says(text, "\"sigma\":2.0");
}

static void refuse(const char *text, size_t length, const char *reason) {
    dp2dp_ledger *ledger = (dp2dp_ledger *)&length;
    dp2dp_error error = {0};
    dp2dp_status status = dp2dp_ledger_from_json(text, length, &ledger, &error);
    if (status != DP2DP_STATUS_DATA || ledger != NULL || strstr(error.message, reason) == NULL) {
        fail_msg("status %d, message '%s', wanted '%s' for %.80s", (int)status, error.message,
                 reason, text);
    }
    for (const char *c = error.message; *c; c++) {
        assert_true(*c >= ' ' &&
                    *c <= '~'); /* no control characters, which a terminal would execute */
    }
}

TEST(what_is_not_understood_is_refused_and_named) {
    static const char *const cases[][2] = {
        {"", "0 bytes"},
        {"[]", "format"},
        {"null", "format"},
        {"{}", "format"},
        {"{\"format\":\"other\",\"version\":1}", "format"},
        {"{\"format\":\"dp2dp-ledger\"}", "version"},
        {"{\"format\":\"dp2dp-ledger\",\"version\":0}", "version"},
        {"{\"format\":\"dp2dp-ledger\",\"version\":\"1\"}", "version"},
        {"{\"format\":\"dp2dp-ledger\",\"version\":3,\"new\":[]}", "version: 3 is newer than 2"},
        {"{\"format\":\"dp2dp-ledger\",\"version\":1,\"entries\":[]}", "adjacency"},
        {"{\"format\":\"dp2dp-ledger\",\"version\":1,\"adjacency\":\"near\",\"entries\":[]}",
         "adjacency"},
        {"{\"format\":\"dp2dp-ledger\",\"version\":1,\"adjacency\":\"add-remove\"}", "entries"},
        {"{\"format\":\"dp2dp-ledger\",\"version\":1,\"adjacency\":\"add-remove\",\"entries\":{}}",
         "entries"},
        {"{\"format\":\"dp2dp-ledger\",\"version\":1,\"adjacency\":\"add-remove\",\"entries\":[],"
         "\"owner\":1}",
         "owner"},
        {"{\"format\":\"dp2dp-ledger\",\"version\":1,\"adjacency\":\"add-remove\",\"entries\":[],"
         "\"budget\":{\"epsilon\":1}}",
         "budget"},
        {"{\"format\":\"dp2dp-ledger\",\"version\":1,\"adjacency\":\"add-remove\",\"entries\":[],"
         "\"budget\":{\"epsilon\":-1,\"delta\":0.1}}",
         "budget epsilon"},
        {"{\"format\":\"dp2dp-ledger\",\"version\":1,\"adjacency\":\"add-remove\",\"entries\":[7]}",
         "entries[0].mechanism"},
        {LEDGER("\"mechanism\":\"laplace\""), "entries[0].mechanism: unknown mechanism 'laplace'"},
        {LEDGER("\"mechanism\":\"\\u001b[2J\""), "entries[0].mechanism"},
        {LEDGER(GAUSSIAN ",\"colour\":1"), "entries[0].colour: unknown field"},
        {LEDGER(GAUSSIAN ",\"rate\":0.5"),
         "entries[0].rate: the mechanism 'gaussian' does not use this field"},
        {LEDGER(GAUSSIAN ",\"label\":5"), "entries[0].label"},
        {LEDGER(GAUSSIAN ",\"scale\":1.5"), "entries[0].scale"},
        {LEDGER(GAUSSIAN ",\"coordinates\":-1"), "entries[0].coordinates"},
        {LEDGER(GAUSSIAN ",\"coordinates\":1e3"), "entries[0].coordinates"},
        {LEDGER("\"mechanism\":\"gaussian\",\"sensitivity\":1,\"count\":1,\"rows_per_person\":1,"
                "\"rng\":\"secure\""),
         "entries[0].sigma: missing"},
        {LEDGER("\"mechanism\":\"gaussian\",\"sensitivity\":1,\"sigma\":0,\"count\":1,"
                "\"rows_per_person\":1,\"rng\":\"secure\""),
         "entries[0]: sigma"},
        {LEDGER("\"mechanism\":\"gaussian\",\"sensitivity\":9007199254740993,\"sigma\":1,"
                "\"count\":1,\"rows_per_person\":1,\"rng\":\"secure\""),
         "entries[0].sensitivity"},
        {LEDGER("\"mechanism\":\"gaussian\",\"sensitivity\":1,\"sigma\":1,\"count\":1,"
                "\"rows_per_person\":1"),
         "entries[0].rng"},
        {LEDGER("\"mechanism\":\"gaussian\",\"sensitivity\":1,\"sigma\":1,\"count\":1,"
                "\"rows_per_person\":1,\"rng\":\"dice\""),
         "entries[0].rng"},
        {LEDGER("\"mechanism\":\"poisson\",\"sensitivity\":1,\"sigma\":1,\"rate\":1.5,\"count\":1,"
                "\"rows_per_person\":1,\"sampling_unit\":\"rows\",\"rng\":\"secure\""),
         "entries[0]: rate"},
        {LEDGER("\"mechanism\":\"poisson\",\"sensitivity\":1,\"sigma\":1,\"rate\":0.5,\"count\":1,"
                "\"rows_per_person\":1,\"sampling_unit\":\"cells\",\"rng\":\"secure\""),
         "entries[0].sampling_unit"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        refuse(cases[i][0], strlen(cases[i][0]), cases[i][1]);
    }
}

TEST(malformed_text_is_refused) {
    static const char nul_outside[] = "{\"format\":\"dp2dp-ledger\",\0\"version\":1}";
    static const char nul_inside[] = "{\"format\":\"dp2dp\0-ledger\",\"version\":1}";
    refuse(nul_outside, sizeof nul_outside - 1, "line 1");
    refuse(nul_inside, sizeof nul_inside - 1, "line 1");
    static const char *const cases[] = {
        "{\"format\":\"dp2dp-ledger\",\"format\":\"dp2dp-ledger\",\"version\":1}",
        LEDGER(GAUSSIAN ",\"sigma\":3"),
        LEDGER(GAUSSIAN ",\"label\":\"\xC3\x28\""),
        LEDGER(GAUSSIAN ",\"label\":\"\xFF\""),
        LEDGER(GAUSSIAN ",\"label\":\"\\u0000\""),
        LEDGER(GAUSSIAN ",\"label\":\"\\ud800\""),
        LEDGER(GAUSSIAN ",\"coordinates\":99999999999999999999"),
        LEDGER(GAUSSIAN ",\"scale\":1e999"),
        LEDGER(GAUSSIAN ",\"scale\":NaN"),
        LEDGER(GAUSSIAN ",\"scale\":0x10"),
        LEDGER(GAUSSIAN) "]",
        LEDGER(GAUSSIAN) "}",
        LEDGER(GAUSSIAN) "," LEDGER(GAUSSIAN),
        LEDGER(GAUSSIAN) "], [1",
        "]",
        " ",
        "\"",
        "\\",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        refuse(cases[i], strlen(cases[i]), "ledger");
    }
}

TEST(every_truncation_is_refused_as_such) {
    HANDLE(dp2dp_ledger) *ledger = every_mechanism();
    size_t length;
    TEXT_FREED char *text = text_of(ledger, &length);
    for (size_t cut = 0; cut + 2 < length; cut += 1 + cut / 97) {
        refuse(text, cut, cut == 0 ? "has 0 bytes" : "ends too early");
    }
    refuse(text, length - 2, "ends too early");
}

static void repeat(const char *piece, size_t times, const char *tail, const char *reason) {
    size_t length = strlen(piece) * times + strlen(tail);
    FREED char *text = malloc(length + 1);
    assert_non_null(text);
    for (size_t i = 0; i < times; i++) {
        memcpy(text + i * strlen(piece), piece, strlen(piece));
    }
    memcpy(text + times * strlen(piece), tail, strlen(tail) + 1);
    refuse(text, length, reason);
}

TEST(deep_nesting_and_long_tokens_are_refused) {
    repeat("[", 1000000, "", "nested deeper");
    repeat("{\"a\":", 1000000, "", "nested deeper");
    repeat("9", 1000000, "", "longer than 4096");
    repeat("a", 5000, "", "longer than 4096");
    repeat("\"a", 1, "", "ends too early");
    FREED char *text = malloc(10000);
    assert_non_null(text);
    memset(text, 'x', 10000);
    text[0] = '"';
    text[9999] = '"';
    refuse(text, 10000, "longer than 4096");
    /* The longest label, with every byte escaped, is within the limit for a token. */
    char label[513];
    memset(label, '\x01', 512);
    label[512] = '\0';
    dp2dp_event event = event_of(DP2DP_DECLARED);
    event.label = event.set = label;
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    charge(ledger, &event, DP2DP_RNG_SECURE);
    size_t length;
    TEXT_FREED char *json = text_of(ledger, &length);
    dp2dp_ledger_free(ledger_of(json, length));
}

TEST(too_many_entries_and_too_much_text_are_refused) {
    static const char head[] = "{\"format\":\"dp2dp-ledger\",\"version\":1,"
                               "\"adjacency\":\"replace-one\",\"entries\":[0";
    size_t n = 100001;
    char *text = malloc(sizeof head + 2 * n + 2);
    assert_non_null(text);
    memcpy(text, head, sizeof head - 1);
    for (size_t i = 0; i < n; i++) {
        memcpy(text + sizeof head - 1 + 2 * i, ",0", 2);
    }
    memcpy(text + sizeof head - 1 + 2 * n, "]}", 2);
    refuse(text, sizeof head - 1 + 2 * n + 2, "at most 100000");
    free(text);
    size_t huge = 64u * 1024 * 1024 + 1;
    text = calloc(huge, 1);
    assert_non_null(text);
    refuse(text, huge, "must have from 1 to");
    free(text);
}

TEST(the_locale_of_the_process_changes_nothing) {
    HANDLE(dp2dp_ledger) *ledger = every_mechanism();
    size_t length;
    TEXT_FREED char *plain = text_of(ledger, &length);
    for (size_t i = 0; i < DECIMAL_POINTS; i++) {
        enter_locale(decimal_points[i]);
        TEXT_FREED char *text = text_of(ledger, &length);
        assert_string_equal(text, plain);
        check_round_trip();
        leave_locale();
    }
}
