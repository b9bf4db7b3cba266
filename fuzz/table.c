/* Hostile tables: CSV, NPY and NPZ, plain or compressed. A table is refused with DATA or read to
 * its end. The size of the blocks in which the file is read changes neither the cells nor the error
 * message. A table without bad rows is read alike whether these are refused or ignored. Anything
 * else ends the process. The first three bytes are options, the rest is the file.
 */
#define _GNU_SOURCE /* memfd_create */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "table/table.h"

#include "fuzz.h"

enum {
    OPTIONS = 3,
    SIZE_MOST = 1 << 16,
    PACKED_MOST = 1 << 17,
    BLOCK_LARGE = 1 << 13
};

/* The result of reading a file. */
typedef struct outcome {
    dp2dp_status status; /* of opening it */
    int code;            /* of the stream: 0 or an errno value */
    uint64_t cells;      /* a hash of all cells */
    char message[DP2DP_ERROR_MESSAGE_SIZE];
} outcome;

static void mix(uint64_t *sum, const void *bytes, size_t length) {
    const unsigned char *p = bytes;
    for (size_t i = 0; i < length; i++) {
        *sum = (*sum ^ p[i]) * UINT64_C(1099511628211);
    }
}

/* Reads every byte that a batch claims to have, so that a sanitizer reports a missing one. */
static void mix_column(uint64_t *sum, const struct ArrowArray *column, char format) {
    size_t rows = (size_t)column->length;
    require(column->null_count >= 0 && column->null_count <= column->length);
    for (size_t i = 0; i < rows; i++) {
        const unsigned char *valid = column->null_count > 0 ? column->buffers[0] : NULL;
        unsigned char is_valid = !valid || (valid[i / 8] >> (i % 8) & 1);
        mix(sum, &is_valid, 1);
        if (format == 'u') {
            const int32_t *offsets = column->buffers[1];
            require(offsets[i] >= 0 && offsets[i + 1] >= offsets[i]);
            mix(sum, (const char *)column->buffers[2] + offsets[i],
                (size_t)(offsets[i + 1] - offsets[i]));
            mix(sum, "|", 1);
        } else if (is_valid) {
            size_t item = format == 'f' ? sizeof(float) : sizeof(double);
            mix(sum, (const char *)column->buffers[1] + i * item, item);
        }
    }
}

static outcome read_file(const char *path, const dp2dp_table_options *options, size_t block) {
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    dp2dp_error error = {0};
    outcome out = {.cells = UINT64_C(14695981039346656037)};
    uint64_t sums[8] = {0};
    out.status = dp2dpi_table_open(path, options, block, &stream, &error);
    if (out.status != DP2DP_STATUS_OK) {
        require(out.status == DP2DP_STATUS_DATA && stream.release == NULL);
        memcpy(out.message, error.message, sizeof out.message);
        require(out.message[0] != '\0');
        return out;
    }
    require(stream.get_schema(&stream, &schema) == 0);
    while ((out.code = stream.get_next(&stream, &batch)) == 0 && batch.release) {
        require(batch.length > 0 && (size_t)batch.length <= options->chunk_rows);
        for (int64_t i = 0; i < batch.n_children; i++) {
            require(batch.children[i]->length == batch.length);
            mix_column(&sums[i], batch.children[i], schema.children[i]->format[0]);
        }
        for (int64_t i = 0; i < batch.length; i++) {
            const unsigned char *sound = batch.null_count > 0 ? batch.buffers[0] : NULL;
            char is_sound = (char)(!sound || (sound[i / 8] >> (i % 8) & 1));
            mix(&out.cells, &is_sound, 1);
        }
        batch.release(&batch);
    }
    schema.release(&schema);
    mix(&out.cells, sums, sizeof sums);
    if (out.code != 0) {
        require(out.code == EINVAL && stream.get_last_error(&stream) != NULL);
        (void)snprintf(out.message, sizeof out.message, "%s", stream.get_last_error(&stream));
    }
    stream.release(&stream);
    return out;
}

/* Copies the data (how = 0) or compresses them in two parts: gzip (1) or zstd (2). */
static size_t pack(unsigned how, const uint8_t *data, size_t size, uint8_t *out) {
    if (how == 0) {
        memcpy(out, data, size);
        return size;
    }
    size_t used = 0, half = size / 2;
    for (int part = 0; part < 2; part++) {
        const uint8_t *from = part ? data + half : data;
        size_t length = part ? size - half : half;
        if (how == 1) {
            z_stream z = {.zalloc = Z_NULL};
            require(deflateInit2(&z, 1, Z_DEFLATED, 9 + 16, 1, Z_DEFAULT_STRATEGY) == Z_OK);
            z.next_in = (Bytef *)from;
            z.avail_in = (uInt)length;
            z.next_out = out + used;
            z.avail_out = (uInt)(PACKED_MOST - used);
            require(deflate(&z, Z_FINISH) == Z_STREAM_END);
            used = PACKED_MOST - z.avail_out;
            (void)deflateEnd(&z);
        } else {
            size_t n = ZSTD_compress(out + used, PACKED_MOST - used, from, length, 1);
            require(!ZSTD_isError(n));
            used += n;
        }
    }
    return used;
}

static const char *write_file(const uint8_t *bytes, size_t size) {
    static char path[64];
    static int fd = -1;
    if (fd < 0) {
        fd = memfd_create("table", MFD_CLOEXEC);
        require(fd >= 0);
        (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    require(ftruncate(fd, 0) == 0);
    require(pwrite(fd, bytes, size, 0) == (ssize_t)size);
    return path;
}

static int is_read(const outcome *o) {
    return o->status == DP2DP_STATUS_OK && o->code == 0;
}

/* Reads the file with large blocks and with others: the result is the same. */
static outcome read_twice(const char *path, const dp2dp_table_options *options, size_t block) {
    outcome first = read_file(path, options, BLOCK_LARGE);
    if (block != BLOCK_LARGE) {
        outcome again = read_file(path, options, block);
        require(is_read(&again) == is_read(&first));
        require(!is_read(&first) || first.cells == again.cells);
        /* A file with two errors, in the table and in its compression (" data " in the message),
         * may report either. */
        int is_packed = strstr(first.message, " data ") || strstr(again.message, " data ");
        require(is_packed || strcmp(first.message, again.message) == 0);
    }
    return first;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const missing[] = {"", "NA", "-9"};
    static const char separators[] = ",;\t|";
    static const size_t blocks[] = {BLOCK_LARGE, BLOCK_LARGE, 1, 9};
    static uint8_t packed[PACKED_MOST];
    if (size < OPTIONS || size > SIZE_MOST) {
        return 0;
    }
    int is_headless = data[0] & 1;
    dp2dp_table_column named[] = {{"a", DP2DP_TABLE_TEXT}, {"b", DP2DP_TABLE_NUMBER}};
    dp2dp_table_column numbered[] = {{"1", DP2DP_TABLE_NUMBER},
                                     {"0", data[0] & 2 ? DP2DP_TABLE_TEXT : DP2DP_TABLE_NUMBER}};
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    options.columns = is_headless ? numbered : named;
    options.column_count = data[0] & 4 ? 1 : 2;
    options.header = is_headless ? DP2DP_TABLE_HEADER_NONE : DP2DP_TABLE_HEADER_FIRST_LINE;
    options.separator = separators[data[0] >> 3 & 3];
    options.skip_lines = data[0] >> 5 & 3;
    options.missing = missing;
    options.missing_count = data[1] & 3;
    options.chunk_rows = 1 + (data[1] >> 2);
    unsigned how = data[2] % 3;
    const char *path = write_file(packed, pack(how, data + OPTIONS, size - OPTIONS, packed));
    size_t block = blocks[data[2] / 3 % 4];
    outcome refusing = read_twice(path, &options, block);
    options.bad_rows = DP2DP_BAD_ROWS_IGNORE;
    outcome ignoring = read_twice(path, &options, block);
    require(!is_read(&refusing) || (is_read(&ignoring) && refusing.cells == ignoring.cells));
    return 0;
}
