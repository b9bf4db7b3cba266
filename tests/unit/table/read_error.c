/* The disk fails in the middle of a file: whichever read fails, the result is an IO error with the
 * file's name, and never a shorter table. */
#include <limits.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <zlib.h>

#include "unit/table/data.h"

static atomic_long reads_left = LONG_MAX; /* reads of the table before one fails */
static int failure;                       /* errno of the failing read */
static int fails_once;                    /* 1: only one read fails; 0: all later reads fail too */

/* 1 if a read of this file must fail; sets errno then. */
static int fails(int fd) {
    struct stat of_fd, of_table;
    if (fstat(fd, &of_fd) != 0 || stat(table_path, &of_table) != 0 ||
        of_fd.st_ino != of_table.st_ino || of_fd.st_dev != of_table.st_dev) {
        return 0;
    }
    long left = atomic_fetch_sub(&reads_left, 1);
    errno = failure;
    return fails_once ? left == 0 : left <= 0;
}

/* These replace the functions of the C library. */
ssize_t read(int fd, void *bytes, size_t size) {
    return fails(fd) ? -1 : (ssize_t)syscall(SYS_read, fd, bytes, size);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t position) {
    return fails(fd) ? -1 : (ssize_t)syscall(SYS_pread64, fd, bytes, size, position);
}

static cells read_failing(const wanted *w, size_t block, long after, int err) {
    failure = err;
    fails_once = err == EINTR;
    atomic_store(&reads_left, after);
    return read_path(table_path, w, block);
}

/* Fails the first read, then the second, … until all reads succeed. */
static void expect_every_failure_told(const char *names, size_t block, long least) {
    wanted *w = WANT(names);
    OWNED(cells) whole = read_failing(w, block, LONG_MAX, EIO);
    assert_true(whole.status == OK && whole.code == 0 && whole.rows > 0);
    long after = 0;
    for (int is_read = 0; !is_read; after++) {
        OWNED(cells) c = read_failing(w, block, after, EIO);
        is_read = atomic_load(&reads_left) >= 0;
        if (is_read) {
            assert_true(c.status == OK && c.code == 0);
            assert_string_equal(c.text, whole.text);
        } else {
            assert_true(c.status == DP2DP_STATUS_IO || (c.status == OK && c.code == EIO));
            assert_says(c.message, "Input/output error");
            assert_says(c.message, table_path);
        }
        OWNED(cells) interrupted = read_failing(w, block, after, EINTR);
        assert_true(interrupted.status == OK && interrupted.code == 0);
        assert_string_equal(interrupted.text, whole.text);
    }
    assert_true(after > least);
}

TEST(a_failed_read_of_csv_is_told) {
    write_text("a,n\n\"x\ny\",1.5\nz,-2e3\n,0\n");
    expect_every_failure_told("a,#n", 4, 4);
    expect_every_failure_told("a,#n", 0, 1);
}

/* Long enough for the thread that reads ahead. */
TEST(a_failed_read_of_a_table_read_ahead_is_told) {
    const size_t line = 1000, lines = 12000;
    FREED char *text = malloc(line * lines);
    assert_non_null(text);
    memset(text, 'x', line * lines);
    for (size_t i = 1; i <= lines; i++) {
        text[i * line - 1] = '\n';
    }
    text[0] = 'a';
    text[1] = '\n';
    write_table(text, line * lines);
    expect_every_failure_told("a", 0, 3);
}

TEST(a_failed_read_of_gzip_is_told) {
    static const char text[] = "a,n\nx,1.5\nz,-2e3\n,0\n";
    gzFile file = gzopen(table_path, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text, sizeof text - 1), sizeof text - 1);
    assert_int_equal(gzclose(file), Z_OK);
    expect_every_failure_told("a,#n", 4, 4);
    expect_every_failure_told("a,#n", 0, 1);
}

TEST(a_failed_read_of_npy_is_told_in_either_order) {
    static const char *const orders[] = {"False", "True "};
    for (size_t i = 0; i < 2; i++) {
        char text[128];
        int length = snprintf(text, sizeof text,
                              "%cNUMPY%c%c%c%c{'descr': '|i1', 'fortran_order': %s, "
                              "'shape': (4, 2), }  \nabcdefgh",
                              0x93, 1, 0, 62, 0, orders[i]);
        write_table(text, (size_t)length);
        expect_every_failure_told("#1,0", 4, 4);
        expect_every_failure_told("#1,0", 0, 1);
    }
}
