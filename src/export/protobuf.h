/* Writes messages of Protocol Buffers, the format of ONNX files. A field has a number, and fields
 * of one message may stand in any order. */
#ifndef DP2DPI_EXPORT_PROTOBUF_H
#define DP2DPI_EXPORT_PROTOBUF_H

#include <stdint.h>

#include "base/text.h"

void dp2dpi_protobuf_int(dp2dpi_text *t, unsigned field, int64_t value);
void dp2dpi_protobuf_bytes(dp2dpi_text *t, unsigned field, const void *bytes, size_t length);
void dp2dpi_protobuf_string(dp2dpi_text *t, unsigned field, const char *text);
/* Appends a message as a field, and clears the message. If the message has failed, t fails too. */
void dp2dpi_protobuf_message(dp2dpi_text *t, unsigned field, dp2dpi_text *message);

#endif
