/* NPZ archives as NumPy writes them (stored, deflated, with 64-bit sizes), and damaged archives. */
#define _GNU_SOURCE /* memmem */
#include <zlib.h>

#include "unit/table/data.h"

typedef struct bytes {
    char data[8192];
    size_t length;
} bytes;

typedef enum shape {
    PLAIN = 0,
    DEFLATED = 1,
    WIDE = 2,    /* sizes and positions have 64 bits, as numpy.savez writes them */
    FORTRAN = 4, /* the array is in Fortran order */
    ENCRYPTED = 8,
    NO_ARRAY = 16, /* the member is not an array */
    SHORT = 32     /* the array lacks its last byte; the archive is consistent */
} shape;

static void put(bytes *b, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++) {
        b->data[b->length++] = (char)(i < 8 ? value >> (8 * i) : 0);
    }
}

static void put_text(bytes *b, const void *text, size_t length) {
    memcpy(b->data + b->length, text, length);
    b->length += length;
}

static void put_array(bytes *b, const double *items, int is_fortran) {
    char header[128];
    size_t start = b->length;
    int length =
        snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': %s, 'shape': (2, 2), }",
                 is_fortran ? "True" : "False");
    put_text(b, "\x93NUMPY\1\0", 8);
    put(b, 118, 2);
    put_text(b, header, (size_t)length);
    while (b->length - start < 127) {
        put(b, ' ', 1);
    }
    put(b, '\n', 1);
    put_text(b, items, 4 * sizeof *items);
}

typedef struct member {
    const char *name;
    shape how;
    double items[4];
} member;

static size_t deflate_raw(const bytes *from, char *to, size_t room) {
    z_stream z = {.zalloc = Z_NULL};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)from->data;
    z.avail_in = (uInt)from->length;
    z.next_out = (Bytef *)to;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(deflateEnd(&z), Z_OK);
    return room - z.avail_out;
}

/* Writes the part that a member's local header and its directory entry have in common. */
static void put_facts(bytes *b, const member *m, uint32_t checksum, size_t packed, size_t size) {
    int is_wide = (m->how & WIDE) != 0;
    put(b, 20, 2);
    put(b, m->how & ENCRYPTED ? 1 : 0, 2);
    put(b, m->how & DEFLATED ? 8 : 0, 2);
    put(b, 0, 4);
    put(b, checksum, 4);
    put(b, is_wide ? UINT32_MAX : packed, 4);
    put(b, is_wide ? UINT32_MAX : size, 4);
    put(b, strlen(m->name) + 4, 2);
}

static void put_name(bytes *b, const char *name) {
    put_text(b, name, strlen(name));
    put_text(b, ".npy", 4);
}

static void put_member(bytes *b, bytes *directory, const member *m) {
    bytes plain = {.length = 0};
    char packed[4096];
    int is_wide = (m->how & WIDE) != 0;
    put_array(&plain, m->items, (m->how & FORTRAN) != 0);
    plain.length -= (m->how & SHORT) != 0;
    plain.data[0] = m->how & NO_ARRAY ? 'a' : plain.data[0];
    uint32_t checksum = (uint32_t)crc32(0, (const Bytef *)plain.data, (uInt)plain.length);
    size_t length = m->how & DEFLATED ? deflate_raw(&plain, packed, sizeof packed) : plain.length;
    size_t position = b->length;
    put_text(b, "PK\3\4", 4);
    put_facts(b, m, checksum, length, plain.length);
    put(b, is_wide ? 20 : 0, 2);
    put_name(b, m->name);
    if (is_wide) {
        put(b, 1, 2);
        put(b, 16, 2);
        put(b, plain.length, 8);
        put(b, length, 8);
    }
    put_text(b, m->how & DEFLATED ? packed : plain.data, length);
    put_text(directory, "PK\1\2\x14\0", 6);
    put_facts(directory, m, checksum, length, plain.length);
    put(directory, is_wide ? 4 + 4 + 28 : 0, 2); /* with another extra field before */
    put(directory, 0, 2 + 2 + 2 + 4);
    put(directory, is_wide ? UINT32_MAX : position, 4);
    put_name(directory, m->name);
    if (is_wide) {
        put(directory, 0x7777, 2);
        put(directory, 0, 2);
        put(directory, 1, 2);
        put(directory, 28, 2);
        put(directory, plain.length, 8);
        put(directory, length, 8);
        put(directory, position, 8);
        put(directory, 0, 4);
    }
}

static void put_archive(bytes *b, const member *members, size_t count, shape how,
                        const char *comment) {
    bytes directory = {.length = 0};
    b->length = 0;
    for (size_t i = 0; i < count; i++) {
        put_member(b, &directory, &members[i]);
    }
    size_t start = b->length;
    put_text(b, directory.data, directory.length);
    if (how & WIDE) {
        size_t end = b->length;
        put_text(b, "PK\6\6", 4);
        put(b, 44, 8);
        put(b, 45, 2);
        put(b, 45, 2);
        put(b, 0, 8);
        put(b, count, 8);
        put(b, count, 8);
        put(b, directory.length, 8);
        put(b, start, 8);
        put_text(b, "PK\6\7\0\0\0\0", 8);
        put(b, end, 8);
        put(b, 1, 4);
    }
    put_text(b, "PK\5\6", 4);
    put(b, 0, 4);
    put(b, how & WIDE ? UINT16_MAX : count, 2);
    put(b, how & WIDE ? UINT16_MAX : count, 2);
    put(b, how & WIDE ? UINT32_MAX : directory.length, 4);
    put(b, how & WIDE ? UINT32_MAX : start, 4);
    put(b, strlen(comment), 2);
    put_text(b, comment, strlen(comment));
}

/* An array can be named only in a file that ends in .npz. */
static char archive_path[sizeof table_path + 4];

static void save(const bytes *b) {
    (void)snprintf(archive_path, sizeof archive_path, "%s.npz", table_path);
    FILE *file = fopen(archive_path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(b->data, 1, b->length, file), b->length);
    assert_int_equal(fclose(file), 0);
}

/* Writes an archive of one array. */
static void save_one(const member *m) {
    bytes b;
    put_archive(&b, m, 1, PLAIN, "");
    save(&b);
}

typedef struct path {
    char text[sizeof archive_path + 32];
} path;

/* The path of an array; NULL: of the archive. */
static path path_of(const char *name) {
    path p;
    (void)snprintf(p.text, sizeof p.text, "%s%s%s", archive_path, name ? "::" : "",
                   name ? name : "");
    return p;
}

static void expect(const char *name, size_t block, const char *text) {
    expect_cells_of(path_of(name).text, WANT("#0,#1"), block, text);
}

static void refuse(const char *name, const char *words) {
    expect_refusal_of(path_of(name).text, WANT("#0,#1"), 0, words);
}

TEST(the_only_array_needs_no_name) {
    bytes b;
    for (int how = 0; how < 4; how++) {
        member m = {"p", (shape)how, {1, 2, 3, 4}};
        put_archive(&b, &m, 1, (shape)how, how & 1 ? "a comment with PK\5\6 in it" : "");
        save(&b);
        for (size_t block = 0; block < 300; block += 1 + block / 16) {
            expect(NULL, block, "1|2|/3|4|/");
        }
        expect("p", 0, "1|2|/3|4|/");
    }
}

TEST(one_of_several_arrays_is_chosen_by_name) {
    const member members[] = {{"p", DEFLATED, {1, 2, 3, 4}},
                              {"q", PLAIN, {5, 6, 7, 8}},
                              {"a::b", WIDE, {9, 10, 11, 12}},
                              {"twice", PLAIN, {0}},
                              {"twice", PLAIN, {0}}};
    bytes b;
    put_archive(&b, members, 5, PLAIN, "");
    save(&b);
    expect("p", 0, "1|2|/3|4|/");
    expect("q", 0, "5|6|/7|8|/");
    expect("a::b", 0, "9|10|/11|12|/");
    refuse("r", "no array of that name");
    refuse("", "no array of that name");
    refuse("twice", "several arrays of that name");
    refuse(NULL, "the archive has 5 arrays: name one, as in \"file.npz::twice\"");
}

TEST(fortran_order_is_read_stored_and_refused_deflated) {
    member m = {"p", FORTRAN, {1, 3, 2, 4}};
    save_one(&m);
    expect(NULL, 0, "1|2|/3|4|/");
    m.how = FORTRAN | DEFLATED;
    save_one(&m);
    refuse(NULL, "Fortran order cannot be read");
}

/* The archive is consistent, so only the header of the array shows the error. */
TEST(an_array_that_is_too_short_is_refused_whichever_column_is_wanted) {
    static const struct {
        shape how;
        const char *words;
    } cases[] = {{SHORT, "ends before row 2 of 2"},
                 {SHORT | DEFLATED, "ends before row 2 of 2"},
                 {SHORT | FORTRAN, "fewer bytes than its NPY header says"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        save_one(&(member) {"p", cases[i].how, {1, 2, 3, 4}});
        expect_refusal_of(archive_path, WANT("#0"), 0, cases[i].words);
    }
}

TEST(what_is_encrypted_or_compressed_otherwise_is_refused) {
    member m = {"p", ENCRYPTED, {0}};
    bytes b;
    save_one(&m);
    refuse(NULL, "encrypted");
    m.how = PLAIN;
    put_archive(&b, &m, 1, PLAIN, "");
    char *entry = memmem(b.data, b.length, "PK\1\2", 4);
    assert_non_null(entry);
    entry[10] = 12;
    save(&b);
    refuse(NULL, "ZIP method 12");
}

TEST(an_archive_cut_anywhere_is_refused) {
    member m = {"p", DEFLATED | WIDE, {1, 2, 3, 4}};
    bytes b;
    put_archive(&b, &m, 1, WIDE, "");
    for (size_t whole = b.length; b.length-- > 4;) {
        assert_true(b.length < whole);
        save(&b);
        refuse(NULL, "archive");
    }
}

TEST(no_flipped_bit_gives_other_cells) {
    wanted *w = WANT("#0,#1");
    static const shape shapes[] = {PLAIN, DEFLATED | WIDE, FORTRAN};
    for (size_t how = 0; how < 3; how++) {
        member m = {"p", shapes[how], {1, 2, 3, 4}};
        bytes b;
        if (shapes[how] & FORTRAN) {
            memcpy(m.items, (const double[]) {1, 3, 2, 4}, sizeof m.items);
        }
        put_archive(&b, &m, 1, shapes[how] & WIDE, "");
        for (size_t bit = 32; bit < 8 * b.length; bit++) {
            bytes flipped = b;
            flipped.data[bit / 8] ^= (char)(1 << (bit % 8));
            save(&flipped);
            OWNED(cells) c = read_path(archive_path, w, 64);
            assert_true(c.status != OK || c.code != 0 || strcmp(c.text, "1|2|/3|4|/") == 0);
        }
    }
}

/* Checks stored arrays in both orders, whichever columns are wanted. */
TEST(no_lost_byte_gives_other_cells) {
    static const char *const names[] = {"#0", "#1", "#0,#1"};
    static const char *const whole[] = {"1|/3|/", "2|/4|/", "1|2|/3|4|/"};
    for (size_t k = 0; k < 6; k++) {
        member m = {"p", k < 3 ? PLAIN : FORTRAN, {1, 2, 3, 4}};
        bytes b;
        wanted *w = WANT(names[k % 3]);
        if (k >= 3) {
            memcpy(m.items, (const double[]) {1, 3, 2, 4}, sizeof m.items);
        }
        put_archive(&b, &m, 1, PLAIN, "");
        for (size_t at = 4; at < b.length; at++) {
            bytes shorter = b;
            memmove(shorter.data + at, b.data + at + 1, --shorter.length - at);
            save(&shorter);
            OWNED(cells) c = read_path(archive_path, w, 64);
            if (c.status == OK && c.code == 0 && strcmp(c.text, whole[k % 3]) != 0) {
                fail_msg("byte %zu of %zu, columns %s: \"%s\"", at, b.length, names[k % 3], c.text);
            }
        }
    }
}

TEST(an_archive_of_nothing_or_of_something_else_is_refused) {
    member m = {"p", PLAIN, {0}};
    bytes b;
    put_archive(&b, &m, 0, PLAIN, "");
    save(&b);
    refuse(NULL, "has no arrays");
    m.how = NO_ARRAY;
    save_one(&m);
    refuse(NULL, "something other than an NPY array");
    b.length = 0;
    put_text(&b, "a,b\n1,2\n", 8);
    save(&b);
    refuse("a", "not an NPZ archive");
}
