/* Compressed files read like plain ones; a file that is cut, damaged or changed is refused. */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <zlib.h>
#include <zstd.h>

#include "unit/table/data.h"

enum {
    PACKED_MAX = 1 << 16
};

static const char small[] = "a,b\nx,1\n\"y\ny\",2.5\nz,-3\n";
static const char small_cells[] = "x|1|/y\ny|2.5|/z|-3|/";

/* The bytes of a compressed file. */
typedef struct packed {
    char bytes[PACKED_MAX];
    size_t length;
} packed;

static void add_gzip(packed *p, const char *text, size_t length) {
    z_stream z = {.zalloc = Z_NULL};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)text;
    z.avail_in = (uInt)length;
    z.next_out = (Bytef *)p->bytes + p->length;
    z.avail_out = (uInt)(sizeof p->bytes - p->length);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    p->length = sizeof p->bytes - z.avail_out;
    assert_int_equal(deflateEnd(&z), Z_OK);
}

static void add_zstd(packed *p, const char *text, size_t length) {
    ZSTD_CCtx *context = ZSTD_createCCtx();
    assert_non_null(context);
    assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)));
    size_t n =
        ZSTD_compress2(context, p->bytes + p->length, sizeof p->bytes - p->length, text, length);
    assert_false(ZSTD_isError(n));
    p->length += n;
    ZSTD_freeCCtx(context);
}

static void (*const packers[])(packed *p, const char *text, size_t length) = {add_gzip, add_zstd};
static const char *const kinds[] = {"gzip", "zstd"};

/* A text compressed by one of the packers. */
static packed pack(size_t kind, const char *text, size_t length) {
    packed p = {.length = 0};
    packers[kind](&p, text, length);
    return p;
}

static void save(const packed *p) {
    write_table(p->bytes, p->length);
}

TEST(a_compressed_file_reads_like_a_plain_one_wherever_blocks_end) {
    wanted *w = WANT("a,#b");
    for (size_t k = 0; k < 2; k++) {
        packed p = pack(k, small, sizeof small - 1);
        save(&p);
        for (size_t block = 0; block <= sizeof small + 2; block++) {
            expect_cells(w, block, small_cells);
        }
    }
}

TEST(members_and_frames_one_after_the_other_are_one_file) {
    wanted *w = WANT("a,#b");
    for (size_t k = 0; k < 2; k++) {
        for (size_t cut = 0; cut < sizeof small; cut++) {
            packed p = pack(k, small, cut);
            packers[k](&p, small + cut, sizeof small - 1 - cut);
            save(&p);
            expect_cells(w, 3, small_cells);
            expect_cells(w, 0, small_cells);
        }
    }
}

/* Parallel compressors write such a frame. */
TEST(a_frame_to_be_skipped_may_come_first) {
    packed p = {.length = 11};
    memcpy(p.bytes, "\x50\x2A\x4D\x18\3\0\0\0xyz", 11);
    add_zstd(&p, small, sizeof small - 1);
    save(&p);
    expect_cells(WANT("a,#b"), 0, small_cells);
}

/* The library returns most of the text after it has taken the last compressed byte. */
TEST(much_text_from_few_bytes_is_whole) {
    enum {
        COUNT = 20000
    };
    static char text[2 + 2 * COUNT];
    wanted *w = WANT("#b");
    memcpy(text, "b\n", 2);
    for (size_t i = 0; i < COUNT; i++) {
        memcpy(text + 2 + 2 * i, "1\n", 2);
    }
    for (size_t k = 0; k < 2; k++) {
        packed p = {.length = 0};
        if (k == 0) {
            add_gzip(&p, text, sizeof text);
        } else { /* without a checksum, which would be an unread byte at the end */
            p.length = ZSTD_compress(p.bytes, sizeof p.bytes, text, sizeof text, 1);
        }
        assert_true(p.length < 200);
        save(&p);
        OWNED(cells) c = read_path(table_path, w, 1000);
        assert_int_equal(c.code, 0);
        assert_int_equal(c.rows, COUNT);
    }
}

TEST(what_is_cut_anywhere_ends_early) {
    wanted *w = WANT("a,#b");
    for (size_t k = 0; k < 2; k++) {
        packed p = pack(k, small, sizeof small - 1);
        char words[32];
        (void)snprintf(words, sizeof words, "the %s data end early", kinds[k]);
        for (size_t length = 4; length < p.length; length++) {
            write_table(p.bytes, length);
            expect_refusal(w, 0, words);
            expect_refusal(w, 5, words);
        }
    }
}

/* Either the checks of the compression fail, or the text is no longer a valid table. */
TEST(no_flipped_bit_gives_other_cells) {
    wanted *w = WANT("a,#b");
    for (size_t k = 0; k < 2; k++) {
        packed p = pack(k, small, sizeof small - 1);
        size_t refused = 0;
        for (size_t bit = 32; bit < 8 * p.length; bit++) {
            packed flipped = p;
            flipped.bytes[bit / 8] ^= (char)(1 << (bit % 8));
            save(&flipped);
            OWNED(cells) c = read_path(table_path, w, 0);
            int is_refused = c.status != OK || c.code != 0;
            /* Some header bits do not affect the data: time, system, name. */
            assert_true(is_refused || strcmp(c.text, small_cells) == 0);
            refused += (size_t)is_refused;
        }
        assert_true(refused > 4 * p.length);
    }
}

TEST(something_else_behind_compressed_data_is_refused) {
    wanted *w = WANT("a,#b");
    for (size_t k = 0; k < 2; k++) {
        packed p = pack(k, small, sizeof small - 1);
        memcpy(p.bytes + p.length, "a,b\nx,1\n", 8);
        p.length += 8;
        save(&p);
        expect_refusal(w, 0, "data are damaged");
    }
}

TEST(an_empty_compressed_file_is_an_empty_file) {
    wanted *w = WANT("a,#b");
    for (size_t k = 0; k < 2; k++) {
        packed p = pack(k, "", 0);
        save(&p);
        expect_refusal(w, 0, "the file is empty");
    }
}

/* Long enough for many blocks of the thread that reads ahead. Rows are numbered, so that the test
 * notices a row that is lost or read twice. */
enum {
    LONG_ROWS = 700000
};

static char *long_table(size_t *length) {
    char *text = malloc((size_t)LONG_ROWS * 12 + 2);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "n\n");
    for (int i = 0; i < LONG_ROWS; i++) {
        used += (size_t)sprintf(text + used, "%d.5\n", i);
    }
    *length = used;
    return text;
}

static void expect_numbered_rows(const char *path) {
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    int64_t rows = 0;
    wanted *w = WANT("#n");
    assert_ok(dp2dp_table_open(path, &w->options, &stream, &test_error));
    while (stream.get_next(&stream, &batch) == 0 && batch.release) {
        const double *values = batch.children[0]->buffers[1];
        for (int64_t i = 0; i < batch.length; i++) {
            assert_true(values[i] == (double)(rows + i) + 0.5);
        }
        rows += batch.length;
        batch.release(&batch);
    }
    assert_null(stream.get_last_error(&stream));
    stream.release(&stream);
    assert_int_equal(rows, LONG_ROWS);
}

TEST(a_long_file_read_ahead_has_all_its_rows_in_order) {
    size_t length, bound;
    char *text = long_table(&length);
    write_table(text, length);
    expect_numbered_rows(table_path);
    bound = ZSTD_compressBound(length);
    FREED char *small_text = malloc(bound);
    assert_non_null(small_text);
    bound = ZSTD_compress(small_text, bound, text, length, 1);
    assert_false(ZSTD_isError(bound));
    write_table(small_text, bound);
    expect_numbered_rows(table_path);
    gzFile file = gzopen(table_path, "wb1");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text, (unsigned)length), length);
    assert_int_equal(gzclose(file), Z_OK);
    expect_numbered_rows(table_path);
    free(text);
}

/* Opens a long table and takes one batch of it. */
static struct ArrowArrayStream begin_long_table(const wanted *w) {
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    assert_ok(dp2dp_table_open(table_path, &w->options, &stream, &test_error));
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_non_null(batch.release);
    batch.release(&batch);
    return stream;
}

static int drain(struct ArrowArrayStream *stream) {
    struct ArrowArray batch;
    int code;
    while ((code = stream->get_next(stream, &batch)) == 0 && batch.release) {
        batch.release(&batch);
    }
    return code;
}

static void set_times(const char *path, const struct stat *was) {
    struct timespec times[2] = {was->st_atim, was->st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void append_row(void) {
    FILE *file = fopen(table_path, "ab");
    assert_non_null(file);
    assert_true(fputs("1\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void append_row_and_keep_its_time(void) {
    struct stat was;
    assert_int_equal(stat(table_path, &was), 0);
    append_row();
    set_times(table_path, &was);
}

/* Size and modification time stay the same: only the change time differs. */
static void rewrite_and_keep_its_time(void) {
    static const struct timespec tick = {.tv_nsec = 20000000}; /* step of the file system's clock */
    struct stat was;
    assert_int_equal(stat(table_path, &was), 0);
    assert_int_equal(nanosleep(&tick, NULL), 0);
    int fd = open(table_path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, "1\n", 2, was.st_size - 2), 2);
    assert_int_equal(close(fd), 0);
    set_times(table_path, &was);
}

static void touch(void) {
    set_times(table_path, &(struct stat) {.st_atim.tv_sec = 1, .st_mtim.tv_sec = 1});
}

static void put_another_in_its_place(void) {
    char other[sizeof table_path + 8];
    struct stat was;
    assert_int_equal(stat(table_path, &was), 0);
    (void)snprintf(other, sizeof other, "%s-other", table_path);
    FILE *file = fopen(other, "wb");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(truncate(other, was.st_size), 0);
    set_times(other, &was);
    assert_int_equal(rename(other, table_path), 0);
}

static void cut_to_nothing(void) {
    assert_int_equal(truncate(table_path, 0), 0);
}

TEST(a_file_that_changes_while_it_is_read_is_refused) {
    static void (*const changes[])(void) = {
        append_row, append_row_and_keep_its_time, rewrite_and_keep_its_time,
        touch,      put_another_in_its_place,     cut_to_nothing};
    size_t length;
    FREED char *text = long_table(&length);
    wanted *w = WANT("#n");
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        write_table(text, length);
        struct ArrowArrayStream stream = begin_long_table(w);
        changes[i]();
        assert_int_equal(drain(&stream), EINVAL);
        assert_says(stream.get_last_error(&stream), "changed while it was being read: /tmp/");
        stream.release(&stream);
    }
}

TEST(a_stream_may_be_released_before_its_end) {
    size_t length;
    FREED char *text = long_table(&length);
    write_table(text, length);
    struct ArrowArrayStream stream = begin_long_table(WANT("#n"));
    stream.release(&stream);
    assert_null(stream.release);
}

TEST(after_a_fork_the_child_is_told_and_the_parent_reads_on) {
#ifdef __SANITIZE_THREAD__
    skip(); /* the sanitizer reports the parent's thread as lost in the child */
#endif
    size_t length;
    FREED char *text = long_table(&length);
    int outcome = -1;
    write_table(text, length);
    struct ArrowArrayStream stream = begin_long_table(WANT("#n"));
    struct ArrowArray batch; /* from the second batch on, two threads read */
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    batch.release(&batch);
    (void)nanosleep(&(struct timespec) {0, 20000000}, NULL); /* until both threads wait */
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int is_told = drain(&stream) == EIO && strstr(stream.get_last_error(&stream), "fork");
        stream.release(&stream);
        _exit(is_told ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_int_equal(outcome, 0);
    assert_int_equal(drain(&stream), 0);
    stream.release(&stream);
}

TEST(a_compressed_pipe_reads_like_a_file) {
    for (size_t k = 0; k < 2; k++) {
        packed p = pack(k, small, sizeof small - 1);
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        int saved = replace_standard_input(ends[0]);
        assert_int_equal(write(ends[1], p.bytes, p.length), p.length);
        assert_int_equal(close(ends[1]), 0);
        expect_cells_of("-", WANT("a,#b"), 0, small_cells);
        restore_standard_input(saved);
    }
}

static int ask_to_stop(void *context) {
    return *(const volatile sig_atomic_t *)context;
}

/* The pipe stays open and gives no bytes: only calling `cancel` again and again can end the wait.
 */
TEST(a_wait_for_a_silent_pipe_can_be_cancelled) {
    static volatile sig_atomic_t stop;
    int ends[2];
    char start[64]; /* as many bytes as are needed to know the format of the file */
    struct ArrowArrayStream stream;
    wanted *w = WANT("#a");
    memcpy(start, "a\n", 2);
    for (size_t i = 2; i < sizeof start; i += 2) {
        memcpy(start + i, "1\n", 2);
    }
    w->options.cancel = ask_to_stop;
    w->options.cancel_context = (void *)&stop;
    assert_int_equal(pipe(ends), 0);
    int saved = replace_standard_input(ends[0]);
    assert_int_equal(write(ends[1], start, sizeof start), sizeof start);
    assert_ok(dp2dpi_table_open("-", &w->options, sizeof start, &stream, &test_error));
    stop = 1;
    assert_int_equal(drain(&stream), ECANCELED);
    assert_says(stream.get_last_error(&stream), "cancelled");
    stream.release(&stream);
    restore_standard_input(saved);
    assert_int_equal(close(ends[1]), 0);
}
