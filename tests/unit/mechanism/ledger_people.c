/* Whom the entries of a ledger count for, which rows_per_person they have, and how changes to the
 * text are found. */
#include "unit/mechanism/ledger_file_data.h"

#include <fcntl.h>
#include <sys/file.h>

#include "base/alloc.h"
#include "base/file.h"

static dp2dp_event of(const char *people, double sigma) {
    dp2dp_event event = gaussian(sigma, NULL);
    event.set = people;
    return event;
}

static void charge_event(dp2dp_ledger *ledger, dp2dp_event event) {
    assert_ok(dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, &test_error));
}

static double alone(double sigma) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    charge_event(ledger, of(NULL, sigma));
    return epsilon_spent(ledger, 1e-6);
}

/* Two spellings of one name would be two sets of people who share nobody. */
TEST(a_name_has_one_spelling) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    static const char *const blank[] = {" june", "june ", "june\t", "\njune", " "};
    static const char *const other[] = {"June", "JUNE", "junE"};
    for (size_t i = 0; i < sizeof blank / sizeof *blank; i++) {
        dp2dp_event event = of(blank[i], 10);
        assert_fails(dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, &test_error), ARGUMENT,
                     "must not begin or end with a blank");
    }
    charge_event(ledger, of("june", 10));
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        dp2dp_event event = of(other[i], 10);
        assert_fails(dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, &test_error), ARGUMENT,
                     "there are people called 'june' already");
    }
    assert_int_equal(dp2dp_ledger_size(ledger), 1);
    charge_event(ledger, of("june", 10));
    charge_event(ledger, of("june 2", 10));
    charge_event(ledger, of("jun", 10));
}

TEST(charges_add_up_unless_they_name_their_people) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    double two = alone(10 / sqrt(2));
    charge_event(ledger, of(NULL, 10));
    charge_event(ledger, of(NULL, 10));
    assert_near(epsilon_spent(ledger, 1e-6), two, 1e-9);

    HANDLE(dp2dp_ledger) *named = new_ledger();
    charge_event(named, of("spring", 10));
    charge_event(named, of("autumn", 10));
    assert_near(epsilon_spent(named, 1e-6), alone(10), 1e-9);
    charge_event(named, of(NULL, 10)); /* everybody: counts for both */
    assert_near(epsilon_spent(named, 1e-6), two, 1e-9);
}

TEST(a_ledger_of_people_has_no_roles) {
    static const char *const roles[] = {"train", "pool", "certificate"};
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    for (size_t i = 0; i < 3; i++) {
        dp2dp_event event = of(roles[i], 10);
        event.role = roles[i];
        charge_event(ledger, event);
        assert_null(entry_of(ledger, i).set);
        assert_null(entry_of(ledger, i).role);
    }
    assert_near(epsilon_spent(ledger, 1e-6), alone(10 / sqrt(3)), 1e-9);
}

TEST(a_models_own_ledger_counts_by_role) {
    HANDLE(dp2dp_ledger) *own = NULL;
    dp2dp_event train = of(NULL, 10), pool = of(NULL, 10);
    train.role = "train";
    pool.role = "pool";
    assert_ok(dp2dpi_ledger_new_of_model(&own, &test_error));
    charge_event(own, train);
    charge_event(own, pool);
    assert_near(epsilon_spent(own, 1e-6), alone(10), 1e-9);
    pool.set = "train"; /* the same people as those of the training */
    charge_event(own, pool);
    assert_near(epsilon_spent(own, 1e-6), alone(10 / sqrt(2)), 1e-9);
    assert_fails(dp2dp_ledger_set_budget(own, 1, 1e-6, &test_error), ARGUMENT,
                 "must not be a model's own ledger");
}

TEST(a_ledger_has_one_number_of_rows_per_person) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_event event = of(NULL, 10), declared = DP2DP_EVENT_INIT;
    declared.mechanism = DP2DP_DECLARED;
    declared.epsilon = 0.1;
    charge_event(ledger, declared); /* fixes nothing */
    event.rows_per_person = 3;
    charge_event(ledger, event);
    event.rows_per_person = 50;
    assert_fails(dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, &test_error), ARGUMENT,
                 "have rows_per_person = 3");
    charge_event(ledger, declared);
    assert_int_equal(dp2dp_ledger_size(ledger), 3);
}

static dp2dp_ledger *from_text(const char *text) {
    dp2dp_ledger *ledger = NULL;
    assert_ok(dp2dp_ledger_from_json(text, strlen(text), &ledger, &test_error));
    return ledger;
}

#define VERSION_1(budget, entries)                                                          \
    "{\"format\": \"dp2dp-ledger\", \"version\": 1, \"adjacency\": \"replace-one\"," budget \
    " \"entries\": [" entries "]}"
#define OLD_ENTRY(set, rows)                                                                     \
    "{\"mechanism\": \"gaussian\"," set " \"sensitivity\": 1.0, \"sigma\": 10.0, \"count\": 1, " \
    "\"rows_per_person\": " rows ", \"rng\": \"secure\"}"

TEST(version_1_is_read_for_everybody_marked_and_saved_as_version_2) {
    HANDLE(dp2dp_ledger) *ledger = from_text(
        VERSION_1("\"budget\": {\"epsilon\": 5.0, \"delta\": 1e-6},",
                  OLD_ENTRY("\"set\": \"pool\",", "1") "," OLD_ENTRY("\"set\": \"train\",", "1")));
    dp2dp_entry_info info = DP2DP_ENTRY_INFO_INIT;
    TEXT_FREED char *text = NULL, *again = NULL;
    size_t length;
    int has;
    double epsilon, delta;
    assert_near(epsilon_spent(ledger, 1e-6), alone(10 / sqrt(2)), 1e-9);
    assert_ok(dp2dp_ledger_budget(ledger, &has, &epsilon, &delta, &test_error));
    assert_true(has && epsilon == 5 && delta == 1e-6);
    assert_ok(dp2dp_ledger_entry_info(ledger, 1, &info, &test_error));
    assert_int_equal(info.from_version, 1);
    assert_ok(dp2dp_ledger_to_json(ledger, &text, &length, &test_error));
    assert_says(text, "\"version\": 2");
    HANDLE(dp2dp_ledger) *saved = from_text(text);
    assert_ok(dp2dp_ledger_entry_info(saved, 2, &info, &test_error));
    assert_int_equal(info.from_version, 1);
    assert_ok(dp2dp_ledger_to_json(saved, &again, &length, &test_error));
    assert_string_equal(text, again);
}

TEST(an_old_ledger_with_several_rows_per_person_counts_the_largest) {
    HANDLE(dp2dp_ledger) *mixed =
        from_text(VERSION_1("", OLD_ENTRY("", "1") "," OLD_ENTRY("", "50")));
    HANDLE(dp2dp_ledger) *fixed = from_text(VERSION_1(
        "", "{\"mechanism\": \"without-replacement\", \"sensitivity\": 1.0, \"sigma\": 10.0,"
            "\"rate\": 0.1, \"count\": 1, \"rows_per_person\": 1, \"rng\": \"secure\"}," OLD_ENTRY(
                "", "2")));
    HANDLE(dp2dp_accountant) *accountant = NULL;
    dp2dp_event event = of(NULL, 10);
    assert_near(epsilon_spent(mixed, 1e-6), alone(10 / (50 * sqrt(2))), 1e-6);
    assert_fails(dp2dp_ledger_charge(mixed, &event, DP2DP_RNG_SECURE, &test_error), ARGUMENT,
                 "have rows_per_person = 50");
    assert_fails(dp2dp_ledger_account(fixed, &accountant, &test_error), NO_BOUND,
                 "without-replacement");
}

TEST(what_was_released_without_noise_has_no_bound) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    HANDLE(dp2dp_ledger) *limited = ledger_with_budget(100);
    HANDLE(dp2dp_accountant) *accountant = NULL;
    dp2dp_event exposed = DP2DP_EVENT_INIT;
    double epsilon, delta, missed;
    exposed.mechanism = DP2DP_EXPOSED;
    exposed.set = "spring";
    charge_event(ledger, of("autumn", 10));
    charge_event(ledger, exposed);
    assert_ok(dp2dp_ledger_account(ledger, &accountant, &test_error));
    assert_status(
        dp2dp_accountant_epsilon(accountant, 0.5, DP2DP_BACKEND_AUTO, &epsilon, NULL, &test_error),
        NO_BOUND);
    assert_ok(
        dp2dp_accountant_delta(accountant, 50, DP2DP_BACKEND_AUTO, &delta, NULL, &test_error));
    assert_true(delta == 1);
    assert_ok(dp2dp_accountant_tradeoff(accountant, 0.1, &missed, &test_error));
    assert_true(missed == 0);
    assert_int_equal(dp2dpi_ledger_is_exposed(ledger, "spring"), 1);
    assert_int_equal(dp2dpi_ledger_is_exposed(ledger, "autumn"), 0);
    assert_fails(dp2dp_ledger_charge(limited, &exposed, DP2DP_RNG_SECURE, &test_error), BUDGET,
                 "budget");
    assert_int_equal(dp2dp_ledger_size(limited), 1); /* the budget alone */
}

/* Not inlined: otherwise gcc 12 believes that the text points to itself. */
__attribute__((noinline)) static char *text_of(const dp2dp_ledger *ledger) {
    char *text = NULL;
    size_t length;
    assert_ok(dp2dp_ledger_to_json(ledger, &text, &length, &test_error));
    return text;
}

/* Reads the text with the lines `first` and `second` (from 0, among the entries) exchanged; second
 * < 0: `first` is removed. */
static dp2dp_status read_with(const char *text, int first, int second) {
    char lines[8][1024], out[8192], *at = out;
    const char *begin = strstr(text, "    {"), *end = strstr(text, "\n  ]");
    int n = 0;
    for (const char *line = begin; line && line < end; n++) {
        size_t length = strcspn(line, "\n");
        (void)snprintf(lines[n], sizeof lines[n], "%.*s", (int)length, line);
        lines[n][strcspn(lines[n], "}") + 1] = '\0';
        line += length + 1;
    }
    at += snprintf(at, 1024, "%.*s", (int)(begin - text), text);
    for (int i = 0, written = 0; i < n; i++) {
        int from = i == first ? second : i == second ? first : i;
        if (from >= 0) {
            at += snprintf(at, 1024, "%s%s", written++ ? ",\n" : "", lines[from]);
        }
    }
    (void)snprintf(at, 64, "%s", end);
    HANDLE(dp2dp_ledger) *ledger = NULL;
    return dp2dp_ledger_from_json(out, strlen(out), &ledger, &test_error);
}

TEST(edits_moves_and_inner_removals_are_found_a_cut_tail_is_not) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    for (int i = 0; i < 4; i++) {
        charge_event(ledger, of(NULL, 10 + i));
    }
    TEXT_FREED char *text = text_of(ledger);
    assert_ok(read_with(text, 1, 1));
    assert_fails(read_with(text, 1, 2), DATA, "entries[1].previous");
    assert_fails(read_with(text, 1, -1), DATA, "entries[1].previous");
    assert_fails(read_with(text, 0, -1), DATA, "entries[0].previous");
    assert_int_equal(test_error.reason, DP2DP_REASON_LEDGER_CHANGED);
    assert_ok(read_with(text, 3, -1));
    char *sigma = strstr(text, "\"sigma\":13");
    assert_non_null(sigma);
    sigma[strlen("\"sigma\":")] = '9'; /* 13 becomes 93 in the last entry */
    assert_fails(read_with(text, 1, 1), DATA, "entries[3].hash");
}

TEST(entries_say_when_and_by_what_they_were_made) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_entry_info info = DP2DP_ENTRY_INFO_INIT;
    char sum[65], id[33];
    memset(sum, 'a', 64);
    memset(id, 'b', 32);
    sum[64] = id[32] = '\0';
    assert_int_equal(setenv("SOURCE_DATE_EPOCH", "86400", 1), 0);
    charge_event(ledger, of(NULL, 10));
    assert_ok(dp2dp_ledger_describe(ledger, "audit", "board meeting", &test_error));
    assert_ok(dp2dp_ledger_publish(ledger, id, sum, &test_error));
    assert_int_equal(unsetenv("SOURCE_DATE_EPOCH"), 0);
    assert_ok(dp2dp_ledger_entry_info(ledger, 0, &info, &test_error));
    assert_string_equal(info.time, "1970-01-02T00:00:00Z");
    assert_string_equal(info.verb, "charge");
    assert_null(info.note);
    assert_null(info.previous);
    TEXT_FREED char *first = NULL;
    assert_ok(dp2dpi_strdup(info.hash, &first, &test_error));
    assert_ok(dp2dp_ledger_entry_info(ledger, 1, &info, &test_error));
    assert_int_equal(info.kind, DP2DP_ENTRY_PUBLISHED);
    assert_string_equal(info.checksum, sum);
    assert_string_equal(info.verb, "audit");
    assert_string_equal(info.note, "board meeting");
    assert_string_equal(info.previous, first);
    assert_near(epsilon_spent(ledger, 1e-6), alone(10), 1e-12);
    assert_fails(dp2dp_ledger_publish(ledger, id, "short", &test_error), ARGUMENT, "checksum");
    assert_fails(dp2dp_ledger_describe(ledger, "\xff", NULL, &test_error), ARGUMENT, "verb");
}

TEST_IN_FOLDER(a_refused_charge_stores_no_budget) {
    HANDLE(dp2dp_ledger) *ledger = open_ledger();
    assert_ok(dp2dp_ledger_set_budget_with_charge(ledger, 0.1, 1e-6, &test_error));
    assert_status(try_charge(ledger, 1), BUDGET);
    assert_false(exists(""));
    assert_ok(try_charge(ledger, 100));
    HANDLE(dp2dp_ledger) *again = open_ledger();
    assert_fails(dp2dp_ledger_set_budget_with_charge(again, 0.5, 1e-6, &test_error), ARGUMENT,
                 "a budget of epsilon 0.1 at delta 1e-06");
    assert_status(try_charge(again, 1), BUDGET);
    assert_int_equal(size_on_disk(), 2);
}

/* The lock file of a ledger that could never be written, for example on a full disk. */
TEST_IN_FOLDER(a_lock_file_alone_is_not_a_lost_ledger) {
    int fd = -1;
    assert_ok(dp2dpi_file_lock(file, &fd, &test_error));
    dp2dpi_file_unlock(fd);
    HANDLE(dp2dp_ledger) *ledger = open_ledger();
    charge(ledger, "first");
    assert_int_equal(size_on_disk(), 1);
}

TEST_IN_FOLDER(a_lost_ledger_is_not_begun_again_without_asking) {
    dp2dp_ledger *ledger = open_ledger(), *none = NULL;
    charge(ledger, "first");
    dp2dp_ledger_free(ledger);
    assert_fails(dp2dp_ledger_create(file, DP2DP_REPLACE_ONE, &none, &test_error), ARGUMENT,
                 "exists already");
    assert_int_equal(unlink(file), 0);
    assert_fails(dp2dp_ledger_open(file, DP2DP_REPLACE_ONE, &none, &test_error), DATA, "lock file");
    assert_int_equal(test_error.reason, DP2DP_REASON_LEDGER_LOST);
    HANDLE(dp2dp_ledger) *new = NULL;
    assert_ok(dp2dp_ledger_create(file, DP2DP_REPLACE_ONE, &new, &test_error));
    charge(new, "second");
    assert_int_equal(size_on_disk(), 1);
}

/* A process that is about to write the first charge holds the lock; the ledger is not lost. */
TEST_IN_FOLDER(a_ledger_that_is_being_created_is_waited_for) {
    dp2dp_ledger *ledger = open_ledger();
    charge(ledger, "first");
    dp2dp_ledger_free(ledger);
    char saved[512], lock[512];
    (void)snprintf(saved, sizeof saved, "%s", in_folder("other.json.saved"));
    (void)snprintf(lock, sizeof lock, "%s", in_folder("ledger.json.lock"));
    assert_int_equal(rename(file, saved), 0);
    int fd = open(lock, O_RDWR);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    pid_t child = fork();
    if (child == 0) { /* has the lock with its parent; puts the file in place, then lets go */
        (void)usleep(200000);
        _exit(rename(saved, file) == 0 && flock(fd, LOCK_UN) == 0 ? 0 : 1);
    }
    HANDLE(dp2dp_ledger) *again = open_ledger();
    assert_int_equal(dp2dp_ledger_size(again), 1);
    assert_int_equal(waitpid(child, NULL, 0), child);
    (void)close(fd);
}

TEST(a_release_that_is_held_in_part_is_not_held) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_event first = of("june", 10), second = of("june", 20);
    first.release_id = second.release_id = "00112233445566778899aabbccddeeff";
    charge_event(ledger, first);
    assert_true(dp2dpi_ledger_holds(ledger, &first, "june"));
    assert_false(dp2dpi_ledger_holds(ledger, &second, "june"));
    charge_event(ledger, second);
    assert_true(dp2dpi_ledger_holds(ledger, &second, "june"));
    assert_false(dp2dpi_ledger_holds(ledger, &second, "july"));
}

TEST(a_declared_release_is_held_as_often_as_it_was_charged) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_event once = DP2DP_EVENT_INIT;
    once.mechanism = DP2DP_DECLARED;
    once.epsilon = 1;
    once.delta = 1e-6;
    once.count = once.rows_per_person = 1;
    once.set = "june";
    once.release_id = "00112233445566778899aabbccddeeff";
    dp2dp_event often = once;
    often.count = 5;
    charge_event(ledger, once);
    assert_true(dp2dpi_ledger_holds(ledger, &once, "june"));
    assert_false(dp2dpi_ledger_holds(ledger, &often, "june"));
}

/* Sampling rows instead of persons costs more. */
TEST(a_release_with_another_sampling_unit_is_not_held) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_event persons = of("june", 10);
    persons.mechanism = DP2DP_POISSON;
    persons.rate = 0.1;
    persons.rows_per_person = 2;
    persons.sampling_unit = DP2DP_SAMPLE_PERSONS;
    persons.release_id = "00112233445566778899aabbccddeeff";
    dp2dp_event rows = persons;
    rows.sampling_unit = DP2DP_SAMPLE_ROWS;
    charge_event(ledger, persons);
    assert_true(dp2dpi_ledger_holds(ledger, &persons, "june"));
    assert_false(dp2dpi_ledger_holds(ledger, &rows, "june"));
}

/* No command writes such an entry, so its hashes do not help. */
TEST(a_text_that_raises_its_budget_is_refused) {
    static const double raised[][2] = {{2, 1e-6}, {0.5, 1e-5}};
    for (int i = 0; i < 2; i++) {
        HANDLE(dp2dp_ledger) *ledger = new_ledger();
        dp2dp_ledger *none = NULL;
        assert_ok(dp2dp_ledger_set_budget(ledger, 1, 1e-6, &test_error));
        dp2dpi_entry entry = {.info = {.kind = DP2DP_ENTRY_BUDGET,
                                       .epsilon = raised[i][0],
                                       .delta = raised[i][1],
                                       .time = "2026-01-01T00:00:00Z",
                                       .library_version = "0"}};
        assert_ok(dp2dpi_ledger_append(ledger, &entry, &test_error));
        TEXT_FREED char *text = NULL;
        size_t length;
        assert_ok(dp2dp_ledger_to_json(ledger, &text, &length, &test_error));
        assert_fails(dp2dp_ledger_from_json(text, length, &none, &test_error), DATA,
                     "raises the budget");
        assert_int_equal(test_error.reason, DP2DP_REASON_LEDGER_CHANGED);
    }
}
