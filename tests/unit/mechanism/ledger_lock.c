/* The lock file of a ledger names the last entry, so that an older copy of the ledger is noticed by
 * a process that did not see the newer one. */
#include "unit/mechanism/ledger_file_data.h"

#include <fcntl.h>

#include "base/file.h"

/* Reads up to `size` - 1 bytes of a file in the folder. Returns their number. */
static size_t read_text(const char *name, char *text, size_t size) {
    FILE *stream = fopen(in_folder(name), "r");
    assert_non_null(stream);
    size_t length = fread(text, 1, size - 1, stream);
    assert_int_equal(fclose(stream), 0);
    text[length] = '\0';
    return length;
}

static void write_text(const char *name, const char *text) {
    FILE *stream = fopen(in_folder(name), "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

static void copy(const char *from, const char *to) {
    static char text[65536];
    (void)read_text(from, text, sizeof text);
    write_text(to, text);
}

static void charge_anew(const char *label) {
    HANDLE(dp2dp_ledger) *ledger = open_ledger();
    charge(ledger, label);
}

/* Opening, and reading for inspection, both refuse the ledger. */
static void expect_refused(void) {
    dp2dp_ledger *ledger = NULL;
    assert_fails(dp2dp_ledger_open(file, DP2DP_REPLACE_ONE, &ledger, &test_error), DATA,
                 "charges are missing from the ledger or were changed");
    assert_int_equal(test_error.reason, DP2DP_REASON_LEDGER_CHANGED);
    assert_says(test_error.message, "restore the newer file");
    assert_says(test_error.message, file);
    assert_null(ledger);
    assert_status(dp2dp_ledger_load(file, &ledger, &test_error), DATA);
    assert_null(ledger);
}

TEST_IN_FOLDER(an_older_copy_is_noticed_by_a_process_that_starts_later) {
    charge_anew("first");
    copy("ledger.json", "other.json.saved");
    charge_anew("second");
    copy("other.json.saved", "ledger.json");
    expect_refused();
    const char *link = in_folder("link.json");
    dp2dp_ledger *linked = NULL;
    assert_int_equal(symlink("ledger.json", link), 0);
    assert_status(dp2dp_ledger_load(link, &linked, &test_error), DATA);
    remove_name("ledger.json.lock"); /* the user accepts the older copy */
    charge_anew("third");
    assert_int_equal(size_on_disk(), 2);
}

TEST_IN_FOLDER(a_handle_from_before_the_first_charge_notices_an_older_copy) {
    HANDLE(dp2dp_ledger) *early = open_ledger();
    charge_anew("first");
    copy("ledger.json", "other.json.saved");
    charge_anew("second");
    copy("other.json.saved", "ledger.json");
    assert_fails(try_charge(early, 10), DATA, "an older copy was restored");
    dp2dp_event event = gaussian(10, "dry run");
    assert_status(dp2dpi_ledger_check_charge(early, &event, 1, DP2DP_RNG_SECURE, &test_error),
                  DATA);
    assert_int_equal(dp2dp_ledger_size(early), 0);
    remove_name("ledger.json.lock");
    assert_int_equal(size_on_disk(), 1);
}

TEST_IN_FOLDER(entries_that_were_replaced_are_noticed) {
    charge_anew("first");
    copy("ledger.json", "other.json");
    charge_anew("second");
    HANDLE(dp2dp_ledger) *other = NULL;
    assert_ok(dp2dp_ledger_open(in_folder("other.json"), DP2DP_REPLACE_ONE, &other, &test_error));
    charge(other, "another second"); /* a copy without its lock file is a ledger of its own */
    charge(other, "third");
    copy("other.json", "ledger.json");
    expect_refused();
}

/* What a process leaves that dies after it wrote the ledger and before it wrote the lock file. */
TEST_IN_FOLDER(a_ledger_may_be_longer_than_its_lock_file_says) {
    charge_anew("first");
    copy("ledger.json.lock", "other.json.lock");
    charge_anew("second");
    charge_anew("third");
    copy("other.json.lock", "ledger.json.lock");
    charge_anew("fourth");
    assert_int_equal(size_on_disk(), 4);
}

TEST_IN_FOLDER(a_lock_file_that_names_no_entry_is_accepted) {
    static const char *const marks[] = {"", "1", "1\n", "1 ", "2 of another kind", "1 5 abc 5\n"};
    charge_anew("first");
    copy("ledger.json", "other.json.saved");
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        charge_anew("second");
        copy("other.json.saved", "ledger.json");
        write_text("ledger.json.lock", marks[i]);
        charge_anew("third");
        copy("other.json.saved", "ledger.json");
        expect_refused();
        remove_name("ledger.json.lock");
    }
}

/* A mark of which only the first bytes reached the disk, over the mark before, with as many digits
 * or one fewer. */
TEST_IN_FOLDER(a_mark_that_was_written_in_part_is_accepted) {
    for (int charges = 1; charges < 11; charges++) {
        char before[DP2DPI_LOCK_MARK_SIZE] = "", after[DP2DPI_LOCK_MARK_SIZE];
        charge_anew("one");
        (void)read_text("ledger.json.lock", before, sizeof before);
        charge_anew("one more");
        size_t length = read_text("ledger.json.lock", after, sizeof after) + 1; /* with its NUL */
        for (size_t written = 1; written <= length; written++) {
            memcpy(before, after, written);
            write_text("ledger.json.lock", before);
            dp2dp_ledger_free(open_ledger());
        }
        assert_string_equal(before, after);
    }
}

/* An older version marks the lock file with its first byte. */
TEST_IN_FOLDER(what_an_older_version_writes_is_accepted) {
    charge_anew("first");
    copy("ledger.json.lock", "other.json.lock");
    charge_anew("second");
    copy("other.json.lock", "ledger.json.lock");
    int fd = open(in_folder("ledger.json.lock"), O_RDWR);
    dp2dpi_file_mark_lock(fd, "1");
    (void)close(fd);
    charge_anew("third");
    assert_int_equal(size_on_disk(), 3);
}
