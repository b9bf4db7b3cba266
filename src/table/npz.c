/* A ZIP file is read from its end. The end record gives the position of the directory. The
 * directory gives the position of each member's local header, and the member's bytes follow this
 * header. A number that does not fit 32 bits is stored as 32 bits of 1, and another record holds it
 * in 64 bits ("zip64"). */
#include "table/npz.h"

#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"

enum {
    /* Sizes and largest sizes in bytes, then values of flags, methods and tags. */
    END_SIZE = 22,
    END_COMMENT_MAX = 65535,
    LOCATOR_SIZE = 20,
    END64_SIZE = 56,
    ENTRY_SIZE = 46,
    LOCAL_SIZE = 30,
    DIRECTORY_MAX = 1 << 24,
    FLAG_ENCRYPTED = 1,
    METHOD_STORED = 0,
    METHOD_DEFLATED = 8,
    EXTRA_64 = 1
};

typedef struct archive {
    dp2dpi_input *input;
    uint64_t size; /* size of the file in bytes, counted from input->raw.origin */
    uint64_t directory, directory_size;
    char *entries; /* all bytes of the directory */
} archive;

typedef struct entry {
    const char *name; /* name of the array, without ".npy" */
    size_t name_length;
    unsigned flags, method;
    uint32_t checksum;
    uint64_t packed, size, position;
} entry;

int dp2dpi_npz_is(const char *bytes, size_t length) {
    return length >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

const char *dp2dpi_npz_member_of(const char *path, size_t *length) {
    static const char mark[] = ".npz::";
    const char *found = NULL;
    for (const char *p = path; (p = strstr(p, mark)) != NULL; p++) {
        found = p;
    }
    *length = found ? (size_t)(found - path) + strlen(".npz") : strlen(path);
    return found ? found + strlen(mark) : NULL;
}

static dp2dp_status damaged(const archive *a, dp2dp_error *error) {
    return dp2dpi_fail(error, DP2DP_STATUS_DATA, "the archive is damaged, or ends early: %s",
                       a->input->name);
}

static dp2dp_status read_part(const archive *a, uint64_t position, void *bytes, size_t size,
                              dp2dp_error *error) {
    size_t got = 0;
    DP2DPI_TRY(dp2dpi_raw_read_at(&a->input->raw, position, bytes, size, &got, error));
    return got < size ? damaged(a, error) : DP2DP_STATUS_OK;
}

/* Reads the directory's position and size from the end record `end`, which is at `position`. In
 * zip64 a locator precedes the end record and gives the position of a wider end record. */
static dp2dp_status find_directory(archive *a, const char *end, uint64_t position,
                                   dp2dp_error *error) {
    char locator[LOCATOR_SIZE], wide[END64_SIZE];
    a->directory_size = dp2dpi_little_endian(end + 12, 4);
    a->directory = dp2dpi_little_endian(end + 16, 4);
    if (position >= LOCATOR_SIZE) {
        DP2DPI_TRY(read_part(a, position - LOCATOR_SIZE, locator, sizeof locator, error));
        if (memcmp(locator, "PK\6\7", 4) == 0) {
            uint64_t at = dp2dpi_little_endian(locator + 8, 8);
            if (at > position) {
                return damaged(a, error);
            }
            DP2DPI_TRY(read_part(a, at, wide, sizeof wide, error));
            if (memcmp(wide, "PK\6\6", 4) != 0) {
                return damaged(a, error);
            }
            a->directory_size = dp2dpi_little_endian(wide + 40, 8);
            a->directory = dp2dpi_little_endian(wide + 48, 8);
        }
    }
    return a->directory_size <= DIRECTORY_MAX && a->directory <= position &&
                   a->directory_size <= position - a->directory
               ? DP2DP_STATUS_OK
               : damaged(a, error);
}

/* Finds the end record. Searches backwards from the end of the file, because a comment of unknown
 * length may follow the record. */
static dp2dp_status find_end(archive *a, dp2dp_error *error) {
    uint64_t most = END_SIZE + END_COMMENT_MAX;
    size_t length = (size_t)(a->size < most ? a->size : most);
    char *tail = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(tail, length, "an archive", error));
    DP2DPI_TRY_OR_DONE(read_part(a, a->size - length, tail, length, error));
    for (size_t i = length < END_SIZE ? 0 : length - END_SIZE + 1; i-- > 0;) {
        if (memcmp(tail + i, "PK\5\6", 4) == 0 &&
            dp2dpi_little_endian(tail + i + 20, 2) == length - i - END_SIZE) {
            status = find_directory(a, tail + i, a->size - length + i, error);
            goto done;
        }
    }
    status = damaged(a, error);
done:
    dp2dpi_free(tail);
    return status;
}

static dp2dp_status read_directory(archive *a, dp2dp_error *error) {
    DP2DPI_TRY(find_end(a, error));
    size_t size = (size_t)a->directory_size;
    DP2DPI_TRY(DP2DPI_ALLOC(a->entries, size, "an archive", error));
    return read_part(a, a->directory, a->entries, size, error);
}

/* Reads the 64-bit numbers of an entry from its extra fields. The extra fields hold, in the order
 * of `fields`, only the numbers whose 32-bit value in the entry is all ones. Returns 0 if the extra
 * fields are malformed. */
static int widen(entry *e, const char *extra, size_t length) {
    uint64_t *fields[] = {&e->size, &e->packed, &e->position};
    while (length >= 4) {
        size_t size = (size_t)dp2dpi_little_endian(extra + 2, 2);
        if (size > length - 4) {
            return 0;
        }
        if (dp2dpi_little_endian(extra, 2) == EXTRA_64) {
            const char *p = extra + 4, *end = p + size;
            for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
                if (*fields[i] == UINT32_MAX && end - p >= 8) {
                    *fields[i] = dp2dpi_little_endian(p, 8);
                    p += 8;
                }
            }
        }
        extra += 4 + size;
        length -= 4 + size;
    }
    return 1;
}

/* Reads the entry at *p and moves *p to the next entry. `end` is the end of the directory. Returns
 * 0 if the entry is malformed. */
static int take_entry(const char **p, const char *end, entry *out) {
    const char *at = *p;
    if (end - at < ENTRY_SIZE || memcmp(at, "PK\1\2", 4) != 0) {
        return 0;
    }
    size_t name = (size_t)dp2dpi_little_endian(at + 28, 2),
           extra = (size_t)dp2dpi_little_endian(at + 30, 2);
    size_t total = ENTRY_SIZE + name + extra + (size_t)dp2dpi_little_endian(at + 32, 2);
    if ((size_t)(end - at) < total) {
        return 0;
    }
    *out = (entry) {.name = at + ENTRY_SIZE,
                    .name_length = name,
                    .flags = (unsigned)dp2dpi_little_endian(at + 8, 2),
                    .method = (unsigned)dp2dpi_little_endian(at + 10, 2),
                    .checksum = (uint32_t)dp2dpi_little_endian(at + 16, 4),
                    .packed = dp2dpi_little_endian(at + 20, 4),
                    .size = dp2dpi_little_endian(at + 24, 4),
                    .position = dp2dpi_little_endian(at + 42, 4)};
    if (name >= 4 && memcmp(out->name + name - 4, ".npy", 4) == 0) {
        out->name_length -= 4;
    }
    *p = at + total;
    return widen(out, at + ENTRY_SIZE + name, extra);
}

/* Returns 1 if the entry has a name that occurs in every file of Microsoft Office or in every file
 * of LibreOffice. */
static int is_of_office(const entry *e) {
    static const char *const names[] = {"[Content_Types].xml", "content.xml"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (e->name_length == strlen(names[i]) && memcmp(e->name, names[i], e->name_length) == 0) {
            return 1;
        }
    }
    return 0;
}

static dp2dp_status fail_several(const char *file, const entry *e, size_t all, dp2dp_error *error) {
    char shown[DP2DPI_SHOWN_SIZE];
    /* A spreadsheet is a ZIP archive of XML files. */
    int is_xml = e->name_length > 4 && memcmp(e->name + e->name_length - 4, ".xml", 4) == 0;
    const dp2dpi_place place = {.reason = is_xml ? DP2DP_REASON_NOT_A_TABLE : DP2DP_REASON_NONE};
    return dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &place,
                          "the archive has %zu arrays: name one, as in \"file.npz::%s\" (%s)", all,
                          dp2dpi_utf8_show(e->name, e->name_length, shown), file);
}

static dp2dp_status find_entry(const archive *a, const char *name, entry *out, dp2dp_error *error) {
    const char *p = a->entries, *end = p + a->directory_size, *file = a->input->name;
    size_t all = 0, found = 0;
    entry e;
    for (; p < end; all++) {
        if (!take_entry(&p, end, &e)) {
            return damaged(a, error);
        }
        if (name == NULL && is_of_office(&e)) {
            return dp2dpi_fail_at(
                error, DP2DP_STATUS_DATA, &(dp2dpi_place) {.reason = DP2DP_REASON_OTHER_FORMAT},
                "the file is a spreadsheet or another office document: %s; save the sheet as CSV",
                file);
        }
        if (name == NULL ||
            (strlen(name) == e.name_length && memcmp(name, e.name, e.name_length) == 0)) {
            *out = e;
            found++;
        }
    }
    if (found == 1) {
        return DP2DP_STATUS_OK;
    }
    if (name == NULL && found > 1) {
        return fail_several(file, out, all, error);
    }
    return dp2dpi_fail(error, DP2DP_STATUS_DATA, "%s: %s",
                       all == 0    ? "the archive has no arrays"
                       : found > 0 ? "the archive has several arrays of that name"
                                   : "the archive has no array of that name",
                       file);
}

/* Makes the input read a member. Reads the member's local header to find the length of this header:
 * its name and extra fields may be longer or shorter than those in the directory. */
static dp2dp_status enter(archive *a, const entry *e, dp2dp_error *error) {
    char local[LOCAL_SIZE];
    const char *file = a->input->name;
    dp2dpi_inflate_promise promise = {e->size, e->checksum};
    if (e->flags & FLAG_ENCRYPTED) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA, "the array is encrypted: %s", file);
    }
    if (e->method != METHOD_STORED && e->method != METHOD_DEFLATED) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "ZIP method %u cannot be read; save the archive with method 0 (stored) "
                           "or 8 (deflated): %s",
                           e->method, file);
    }
    if (e->position > a->size) {
        return damaged(a, error);
    }
    DP2DPI_TRY(read_part(a, e->position, local, sizeof local, error));
    uint64_t start = e->position + LOCAL_SIZE + dp2dpi_little_endian(local + 26, 2) +
                     dp2dpi_little_endian(local + 28, 2);
    if (memcmp(local, "PK\3\4", 4) != 0 || start > a->size || e->packed > a->size - start) {
        return damaged(a, error);
    }
    return dp2dpi_input_enter(
        a->input, e->method == METHOD_STORED ? DP2DPI_INFLATE_STORED : DP2DPI_INFLATE_DEFLATED,
        start, e->packed, &promise, error);
}

dp2dp_status dp2dpi_npz_enter(dp2dpi_input *input, const char *name, dp2dp_error *error) {
    archive a = {.input = input};
    entry found = {.name = NULL};
    if (!input->can_seek) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "an NPZ archive cannot be read from a pipe or from a compressed file; "
                           "save it as a plain .npz file first (%s)",
                           input->name);
    }
    a.size = (uint64_t)input->raw.was.st_size - (uint64_t)input->raw.origin;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(read_directory(&a, error));
    DP2DPI_TRY_OR_DONE(find_entry(&a, name, &found, error));
    DP2DPI_TRY_OR_DONE(enter(&a, &found, error));
done:
    dp2dpi_free(a.entries);
    return status;
}
