/* Writes the nodes, constants, inputs and outputs of an ONNX graph. Field numbers and types are
 * those of onnx.proto. */
#ifndef DP2DPI_EXPORT_ONNX_GRAPH_H
#define DP2DPI_EXPORT_ONNX_GRAPH_H

#include <stdint.h>

#include "base/text.h"

typedef enum dp2dpi_onnx_type {
    DP2DPI_ONNX_FLOAT = 1,
    DP2DPI_ONNX_INT32 = 6,
    DP2DPI_ONNX_INT64 = 7,
    DP2DPI_ONNX_STRING = 8,
    DP2DPI_ONNX_BOOL = 9,
    DP2DPI_ONNX_DOUBLE = 11
} dp2dpi_onnx_type;

/* Attributes of a node: at most two integers and a list of one integer. */
typedef struct dp2dpi_onnx_attributes {
    const char *names[2]; /* NULL: not used */
    int64_t values[2];
    const char *list; /* name of the list; NULL: none */
    int64_t item;
} dp2dpi_onnx_attributes;

/* Appends a node. Names of inputs and outputs are separated by blanks. */
void dp2dpi_onnx_node(dp2dpi_text *graph, const char *operation, const char *inputs,
                      const char *outputs, const dp2dpi_onnx_attributes *attributes);
/* Appends a node that turns each name into its position in `names`, or into `count` if `names`
 * lacks it. integers is 1 if the names are integers. */
void dp2dpi_onnx_encoder(dp2dpi_text *graph, const char *input, const char *output,
                         const char *const *names, size_t count, int integers);

/* Append constants. A matrix of floats is row-major. */
void dp2dpi_onnx_floats(dp2dpi_text *graph, const char *name, const float *values, size_t rows,
                        size_t columns);
void dp2dpi_onnx_double(dp2dpi_text *graph, const char *name, double value);
void dp2dpi_onnx_int64(dp2dpi_text *graph, const char *name, int64_t value);
/* Appends a constant list of names, as integers or as texts. */
void dp2dpi_onnx_names(dp2dpi_text *graph, const char *name, const char *const *names, size_t count,
                       int integers);

typedef enum dp2dpi_onnx_direction {
    DP2DPI_ONNX_INPUT = 11, /* field numbers of an ONNX graph */
    DP2DPI_ONNX_OUTPUT = 12
} dp2dpi_onnx_direction;
/* Appends an input or output. Its shape is N × columns, or just N if columns is 0. N is the number
 * of rows, which the graph leaves open. */
void dp2dpi_onnx_value(dp2dpi_text *graph, dp2dpi_onnx_direction direction, const char *name,
                       dp2dpi_onnx_type type, size_t columns);

#endif
