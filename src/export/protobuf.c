#include "export/protobuf.h"

#include <string.h>

enum {
    VARINT = 0, /* VARINT and SIZED are wire types of Protocol Buffers */
    SIZED = 2,
    KIND_BITS = 3,
    DIGIT_BITS = 7,
    MORE = 128 /* if a byte has this bit, another byte of the same number follows */
};

static void put_varint(dp2dpi_text *t, uint64_t value) {
    while (value >= MORE) {
        const unsigned char digit = (unsigned char)(value % MORE + MORE);
        dp2dpi_text_bytes(t, &digit, 1);
        value >>= DIGIT_BITS;
    }
    const unsigned char last = (unsigned char)value;
    dp2dpi_text_bytes(t, &last, 1);
}

void dp2dpi_protobuf_int(dp2dpi_text *t, unsigned field, int64_t value) {
    put_varint(t, field << KIND_BITS | VARINT);
    put_varint(t, (uint64_t)value);
}

void dp2dpi_protobuf_bytes(dp2dpi_text *t, unsigned field, const void *bytes, size_t length) {
    put_varint(t, field << KIND_BITS | SIZED);
    put_varint(t, length);
    dp2dpi_text_bytes(t, bytes, length);
}

void dp2dpi_protobuf_string(dp2dpi_text *t, unsigned field, const char *text) {
    dp2dpi_protobuf_bytes(t, field, text, strlen(text));
}

void dp2dpi_protobuf_message(dp2dpi_text *t, unsigned field, dp2dpi_text *message) {
    if (t->status == DP2DP_STATUS_OK) {
        t->status = message->status;
    }
    dp2dpi_protobuf_bytes(t, field, message->bytes, message->length);
    dp2dpi_text_clear(message);
}
