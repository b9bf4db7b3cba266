#include "export/onnx_graph.h"

#include <string.h>

#include "export/export.h"
#include "export/protobuf.h"

enum { /* field numbers of ONNX messages */
    GRAPH_NODE = 1,
    GRAPH_CONSTANT = 5,
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_OPERATION = 4,
    NODE_ATTRIBUTE = 5,
    NODE_DOMAIN = 7,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_INT = 3,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_STRINGS = 9,
    ATTRIBUTE_TYPE = 20,
    TENSOR_DIMENSION = 1,
    TENSOR_TYPE = 2,
    TENSOR_STRING = 6,
    TENSOR_NAME = 8,
    TENSOR_RAW = 9,
    VALUE_NAME = 1,
    VALUE_TYPE = 2,
    TYPE_TENSOR = 1,
    TYPE_ELEMENT = 1,
    TYPE_SHAPE = 2,
    SHAPE_DIMENSION = 1,
    DIMENSION_SIZE = 1,
    DIMENSION_SYMBOL = 2
};

enum { /* kinds of attributes */
    IS_INT = 2,
    IS_INTS = 7,
    IS_STRINGS = 8
};

static void put_names(dp2dpi_text *node, unsigned field, const char *names) {
    while (*names) {
        size_t length = strcspn(names, " ");
        dp2dpi_protobuf_bytes(node, field, names, length);
        names += length + (names[length] == ' ');
    }
}

static void put_int(dp2dpi_text *node, const char *name, int64_t value) {
    dp2dpi_text attribute = {.error = node->error};
    dp2dpi_protobuf_string(&attribute, ATTRIBUTE_NAME, name);
    dp2dpi_protobuf_int(&attribute, ATTRIBUTE_INT, value);
    dp2dpi_protobuf_int(&attribute, ATTRIBUTE_TYPE, IS_INT);
    dp2dpi_protobuf_message(node, NODE_ATTRIBUTE, &attribute);
}

static void put_ints(dp2dpi_text *node, const char *name, const int64_t *values, size_t count) {
    dp2dpi_text attribute = {.error = node->error};
    dp2dpi_protobuf_string(&attribute, ATTRIBUTE_NAME, name);
    for (size_t i = 0; i < count; i++) {
        dp2dpi_protobuf_int(&attribute, ATTRIBUTE_INTS, values[i]);
    }
    dp2dpi_protobuf_int(&attribute, ATTRIBUTE_TYPE, IS_INTS);
    dp2dpi_protobuf_message(node, NODE_ATTRIBUTE, &attribute);
}

void dp2dpi_onnx_node(dp2dpi_text *graph, const char *operation, const char *inputs,
                      const char *outputs, const dp2dpi_onnx_attributes *attributes) {
    dp2dpi_text node = {.error = graph->error};
    put_names(&node, NODE_INPUT, inputs);
    put_names(&node, NODE_OUTPUT, outputs);
    dp2dpi_protobuf_string(&node, NODE_OPERATION, operation);
    for (size_t i = 0; attributes && i < 2 && attributes->names[i]; i++) {
        put_int(&node, attributes->names[i], attributes->values[i]);
    }
    if (attributes && attributes->list) {
        put_ints(&node, attributes->list, &attributes->item, 1);
    }
    dp2dpi_protobuf_message(graph, GRAPH_NODE, &node);
}

void dp2dpi_onnx_encoder(dp2dpi_text *graph, const char *input, const char *output,
                         const char *const *names, size_t count, int integers) {
    dp2dpi_text node = {.error = graph->error}, keys = {.error = graph->error},
                places = {.error = graph->error};
    dp2dpi_protobuf_string(&node, NODE_INPUT, input);
    dp2dpi_protobuf_string(&node, NODE_OUTPUT, output);
    dp2dpi_protobuf_string(&node, NODE_OPERATION, "LabelEncoder");
    dp2dpi_protobuf_string(&node, NODE_DOMAIN, "ai.onnx.ml");
    dp2dpi_protobuf_string(&keys, ATTRIBUTE_NAME, integers ? "keys_int64s" : "keys_strings");
    dp2dpi_protobuf_string(&places, ATTRIBUTE_NAME, "values_int64s");
    for (size_t i = 0; i < count; i++) {
        long long number;
        if (integers && dp2dpi_export_integer(names[i], &number)) {
            dp2dpi_protobuf_int(&keys, ATTRIBUTE_INTS, number);
        } else {
            dp2dpi_protobuf_string(&keys, ATTRIBUTE_STRINGS, names[i]);
        }
        dp2dpi_protobuf_int(&places, ATTRIBUTE_INTS, (int64_t)i);
    }
    dp2dpi_protobuf_int(&keys, ATTRIBUTE_TYPE, integers ? IS_INTS : IS_STRINGS);
    dp2dpi_protobuf_int(&places, ATTRIBUTE_TYPE, IS_INTS);
    dp2dpi_protobuf_message(&node, NODE_ATTRIBUTE, &keys);
    dp2dpi_protobuf_message(&node, NODE_ATTRIBUTE, &places);
    put_int(&node, "default_int64", (int64_t)count);
    dp2dpi_protobuf_message(graph, GRAPH_NODE, &node);
}

/* Begins a constant. It has one dimension if columns is 0. */
static dp2dpi_text begin(dp2dpi_text *graph, const char *name, dp2dpi_onnx_type type, size_t rows,
                         size_t columns) {
    dp2dpi_text tensor = {.error = graph->error};
    dp2dpi_protobuf_int(&tensor, TENSOR_DIMENSION, (int64_t)rows);
    if (columns > 0) {
        dp2dpi_protobuf_int(&tensor, TENSOR_DIMENSION, (int64_t)columns);
    }
    dp2dpi_protobuf_int(&tensor, TENSOR_TYPE, type);
    dp2dpi_protobuf_string(&tensor, TENSOR_NAME, name);
    return tensor;
}

/* Appends the bytes of a number, the lowest first. */
static void put_raw(dp2dpi_text *t, uint64_t bits, size_t size) {
    for (size_t i = 0; i < size; i++) {
        const unsigned char byte = (unsigned char)(bits >> (8 * i) & 0xFF);
        dp2dpi_text_bytes(t, &byte, 1);
    }
}

void dp2dpi_onnx_floats(dp2dpi_text *graph, const char *name, const float *values, size_t rows,
                        size_t columns) {
    dp2dpi_text tensor = begin(graph, name, DP2DPI_ONNX_FLOAT, rows, columns);
    dp2dpi_text raw = {.error = graph->error};
    for (size_t i = 0; i < rows * columns; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        put_raw(&raw, bits, sizeof bits);
    }
    dp2dpi_protobuf_message(&tensor, TENSOR_RAW, &raw);
    dp2dpi_protobuf_message(graph, GRAPH_CONSTANT, &tensor);
}

static void put_one(dp2dpi_text *graph, const char *name, dp2dpi_onnx_type type, uint64_t bits) {
    dp2dpi_text tensor = begin(graph, name, type, 1, 0), raw = {.error = graph->error};
    put_raw(&raw, bits, sizeof bits);
    dp2dpi_protobuf_message(&tensor, TENSOR_RAW, &raw);
    dp2dpi_protobuf_message(graph, GRAPH_CONSTANT, &tensor);
}

void dp2dpi_onnx_double(dp2dpi_text *graph, const char *name, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_one(graph, name, DP2DPI_ONNX_DOUBLE, bits);
}

void dp2dpi_onnx_int64(dp2dpi_text *graph, const char *name, int64_t value) {
    put_one(graph, name, DP2DPI_ONNX_INT64, (uint64_t)value);
}

void dp2dpi_onnx_names(dp2dpi_text *graph, const char *name, const char *const *names, size_t count,
                       int integers) {
    dp2dpi_text tensor =
        begin(graph, name, integers ? DP2DPI_ONNX_INT64 : DP2DPI_ONNX_STRING, count, 0);
    dp2dpi_text raw = {.error = graph->error};
    for (size_t i = 0; i < count; i++) {
        long long number;
        if (integers && dp2dpi_export_integer(names[i], &number)) {
            put_raw(&raw, (uint64_t)number, sizeof(uint64_t));
        } else {
            dp2dpi_protobuf_string(&tensor, TENSOR_STRING, names[i]);
        }
    }
    if (integers) {
        dp2dpi_protobuf_message(&tensor, TENSOR_RAW, &raw);
    }
    dp2dpi_protobuf_message(graph, GRAPH_CONSTANT, &tensor);
}

void dp2dpi_onnx_value(dp2dpi_text *graph, dp2dpi_onnx_direction direction, const char *name,
                       dp2dpi_onnx_type type, size_t columns) {
    dp2dpi_text value = {.error = graph->error}, kind = value, tensor = value, shape = value,
                rows = value, width = value;
    dp2dpi_protobuf_string(&rows, DIMENSION_SYMBOL, "N");
    dp2dpi_protobuf_message(&shape, SHAPE_DIMENSION, &rows);
    if (columns > 0) {
        dp2dpi_protobuf_int(&width, DIMENSION_SIZE, (int64_t)columns);
        dp2dpi_protobuf_message(&shape, SHAPE_DIMENSION, &width);
    }
    dp2dpi_protobuf_int(&tensor, TYPE_ELEMENT, type);
    dp2dpi_protobuf_message(&tensor, TYPE_SHAPE, &shape);
    dp2dpi_protobuf_message(&kind, TYPE_TENSOR, &tensor);
    dp2dpi_protobuf_string(&value, VALUE_NAME, name);
    dp2dpi_protobuf_message(&value, VALUE_TYPE, &kind);
    dp2dpi_protobuf_message(graph, (unsigned)direction, &value);
}
