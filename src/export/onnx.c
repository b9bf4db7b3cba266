/* Writes the rule as an ONNX model. The model checks every row as dp2dp predict does. A row that
 * predict refuses gets the index of a class or group that does not exist, and this index makes the
 * operator Gather fail. */
#include <stdio.h>

#include <dp2dp/version.h>

#include "base/alloc.h"
#include "decide/view.h"
#include "export/export.h"
#include "export/onnx_graph.h"
#include "export/protobuf.h"

enum { /* field numbers of ONNX messages, and versions */
    MODEL_IR_VERSION = 1,
    MODEL_PRODUCER = 2,
    MODEL_PRODUCER_VERSION = 3,
    MODEL_DOCUMENT = 6,
    MODEL_GRAPH = 7,
    MODEL_OPERATIONS = 8,
    OPERATIONS_DOMAIN = 1,
    OPERATIONS_VERSION = 2,
    GRAPH_NAME = 2,
    IR_VERSION = 7,
    OPSET = 13,
    OPSET_ML = 2,
    NAMES_SIZE = 96
};

typedef struct writer {
    const dp2dpi_export *e;
    dp2dpi_text *graph;
} writer;

/* Fills in a pattern of names: ? stands for the letter, # for the number, and < for the number
 * minus 1. */
static void fill(const char *pattern, char letter, size_t number, char out[NAMES_SIZE]) {
    size_t used = 0;
    for (const char *c = pattern; *c; c++) {
        if (*c == '#' || *c == '<') {
            used += (size_t)snprintf(out + used, NAMES_SIZE - used, "%zu", number - (*c == '<'));
        } else {
            out[used++] = *c == '?' ? letter : *c;
        }
    }
    out[used] = '\0';
}

static void put_node(const writer *w, const char *operation, char letter, size_t number,
                     const char *inputs, const char *outputs,
                     const dp2dpi_onnx_attributes *attributes) {
    char in[NAMES_SIZE], out[NAMES_SIZE];
    fill(inputs, letter, number, in);
    fill(outputs, letter, number, out);
    dp2dpi_onnx_node(w->graph, operation, in, out, attributes);
}

/* Appends a node without attributes. */
static void put(const writer *w, const char *operation, char letter, size_t number,
                const char *inputs, const char *outputs) {
    put_node(w, operation, letter, number, inputs, outputs, NULL);
}

static void put_cast(const writer *w, char letter, const char *input, const char *output,
                     dp2dpi_onnx_type type) {
    const dp2dpi_onnx_attributes to = {.names = {"to"}, .values = {type}};
    put_node(w, "Cast", letter, 0, input, output, &to);
}

/* Splits a matrix into columns. The name of a column is `letters` and a number. */
static void split(const writer *w, const char *matrix, const char *letters, size_t count) {
    const dp2dpi_onnx_attributes axis = {.names = {"axis"}, .values = {1}};
    dp2dpi_text names = {.error = w->graph->error};
    for (size_t k = 0; k < count; k++) {
        dp2dpi_text_format(&names, "%s%s%zu", k ? " " : "", letters, k);
    }
    if (names.status == DP2DP_STATUS_OK) {
        dp2dpi_onnx_node(w->graph, "Split", matrix, names.bytes, &axis);
    } else if (w->graph->status == DP2DP_STATUS_OK) {
        w->graph->status = names.status;
    }
    dp2dpi_text_clear(&names);
}

/* Appends nodes that round pf, the scores in float32, to the grid, and name the result p. The nodes
 * compute in float64, in which these steps are exact. */
static void put_on_grid(const writer *w) {
    put_cast(w, 'p', "?f", "?fd", DP2DPI_ONNX_DOUBLE);
    put(w, "Mul", 'p', 0, "?fd steps", "?scaled");
    put(w, "Add", 'p', 0, "?scaled half", "?raised");
    put(w, "Floor", 'p', 0, "?raised", "?floor");
    put(w, "Div", 'p', 0, "?floor steps", "?grid");
    put_cast(w, 'p', "?grid", "?", DP2DPI_ONNX_FLOAT);
}

/* Appends an input matrix and the nodes that check it. The nodes add up each row in float64, from
 * the first column on, and test whether the row is valid: its numbers are from 0 to 1e30, and they
 * sum to 1 or can be normalised. The letter names the resulting matrix of float32 numbers. If the
 * rule needs the columns of this matrix, their names are the letter and a number. */
static void put_input(const writer *w, const char *name, char letter, size_t count) {
    const dp2dpi_onnx_attributes rows = {
        .names = {"keepdims"}, .values = {1}, .list = "axes", .item = 1};
    const char doubled[] = {letter, 'd', '\0'}, matrix[] = {letter, '\0'};
    int normalizes = w->e->info->row_sums == DP2DP_ROW_SUMS_NORMALIZE;
    int gridded = letter == 'p' && w->e->info->grid_bits > 0;
    dp2dpi_onnx_value(w->graph, DP2DPI_ONNX_INPUT, name, DP2DPI_ONNX_FLOAT, count);
    put_cast(w, letter, name, "?d", DP2DPI_ONNX_DOUBLE);
    split(w, doubled, doubled, count);
    put(w, "Add", letter, 1, "?d0 ?d1", "?s1");
    for (size_t k = 2; k < count; k++) {
        put(w, "Add", letter, k, "?s< ?d#", "?s#");
    }
    put(w, "GreaterOrEqual", letter, 0, "?d zero", "?at_least");
    put(w, "LessOrEqual", letter, 0, "?d most", "?at_most");
    put(w, "And", letter, 0, "?at_least ?at_most", "?inside");
    put_cast(w, letter, "?inside", "?bits", DP2DPI_ONNX_INT32);
    put_node(w, "ReduceMin", letter, 0, "?bits", "?bit", &rows);
    put_cast(w, letter, "?bit", "?range_ok", DP2DPI_ONNX_BOOL);
    if (normalizes) {
        put(w, "Greater", letter, count - 1, "?s# zero", "?sum_ok");
        put(w, "Div", letter, count - 1, "?d ?s#", "?q");
        put_cast(w, letter, "?q", gridded ? "?f" : "?", DP2DPI_ONNX_FLOAT);
    } else {
        put(w, "Sub", letter, count - 1, "?s# one", "?e");
        put(w, "Abs", letter, 0, "?e", "?a");
        put(w, "LessOrEqual", letter, 0, gridded ? "?a grid_tolerance" : "?a tolerance", "?sum_ok");
        put(w, "Identity", letter, 0, name, gridded ? "?f" : "?");
    }
    if (gridded) {
        put_on_grid(w);
    }
    put(w, "And", letter, 0, "?range_ok ?sum_ok", "?ok");
    if (w->e->info->rule != DP2DP_RULE_OFFSET) {
        split(w, matrix, matrix, count);
    }
}

static void put_constants(const writer *w) {
    unsigned bits = w->e->info->grid_bits;
    dp2dpi_onnx_double(w->graph, "zero", 0.0);
    dp2dpi_onnx_double(w->graph, "most", 1e30);
    if (w->e->info->row_sums != DP2DP_ROW_SUMS_NORMALIZE) {
        dp2dpi_onnx_double(w->graph, "one", 1.0);
        dp2dpi_onnx_double(w->graph, "tolerance", DP2DPI_VIEW_TOLERANCE_SINGLE);
    }
    if (bits > 0) {
        dp2dpi_onnx_double(w->graph, "steps", (double)(1U << bits));
        dp2dpi_onnx_double(w->graph, "half", 0.5);
        dp2dpi_onnx_double(w->graph, "grid_tolerance",
                           DP2DPI_VIEW_TOLERANCE_SINGLE +
                               dp2dpi_grid_tolerance(w->e->info->classes, bits));
    }
}

/* Appends the constant t<part>: the offsets that the weight with index `part` is multiplied by. The
 * constant has one row for each table of offsets. */
static void put_offsets(const writer *w, size_t part) {
    const dp2dpi_export *e = w->e;
    size_t classes = e->info->classes;
    float *offsets = NULL;
    char name[NAMES_SIZE];
    if (w->graph->status == DP2DP_STATUS_OK) {
        w->graph->status = dp2dpi_alloc_into("an export", e->tables * classes, sizeof *offsets,
                                             &offsets, w->graph->error);
    }
    for (size_t i = 0; offsets && i < e->tables * classes; i++) {
        offsets[i] = dp2dpi_export_offset(e, i / classes, part, i % classes);
    }
    fill("t#", 't', part, name);
    if (offsets) {
        dp2dpi_onnx_floats(w->graph, name, offsets, e->tables, classes);
    }
    dp2dpi_free(offsets);
}

/* Appends the nodes that compute what the rule subtracts from the scores. Returns the name of their
 * result. */
static const char *put_shift(const writer *w, char sum[NAMES_SIZE]) {
    const dp2dpi_export *e = w->e;
    size_t labels = e->info->labels;
    for (size_t j = 0; j < e->parts; j++) {
        put_offsets(w, j);
        if (e->sees_group) {
            put(w, "Gather", 'g', j, "t# code", "o#");
        }
        if (e->info->rule == DP2DP_RULE_OFFSET) {
            return "o0";
        }
        if (dp2dpi_export_multiplies(e)) {
            char pair[NAMES_SIZE];
            (void)snprintf(pair, sizeof pair, "w%zu p%zu", j / labels, j % labels);
            put(w, "Mul", 'w', j, pair, "x#");
        }
        const char *product = e->sees_group                 ? "p# o#"
                              : dp2dpi_export_multiplies(e) ? "x# t#"
                                                            : "w# t#";
        put(w, "Mul", 'm', j, product, j ? "m#" : "shift0");
        if (j > 0) {
            put(w, "Add", 'm', j, "shift< m#", "shift#");
        }
    }
    fill("shift#", 's', e->parts - 1, sum);
    return sum;
}

static void put_graph(const writer *w) {
    const dp2dpi_export *e = w->e;
    const dp2dp_names *names = &e->info->names;
    const dp2dpi_onnx_attributes best = {.names = {"axis", "keepdims"}, .values = {1, 1}};
    char sum[NAMES_SIZE], inputs[NAMES_SIZE + 2];
    int integers = dp2dpi_export_integers(names->classes, e->info->classes);
    dp2dpi_protobuf_string(w->graph, GRAPH_NAME, "dp2dp");
    put_constants(w);
    put_input(w, "scores", 'p', e->info->classes);
    if (e->sees_group) {
        int numbered = dp2dpi_export_integers(names->groups, e->info->groups);
        dp2dpi_onnx_value(w->graph, DP2DPI_ONNX_INPUT, "group",
                          numbered ? DP2DPI_ONNX_INT64 : DP2DPI_ONNX_STRING, 0);
        dp2dpi_onnx_encoder(w->graph, "group", "code", names->groups, e->info->groups, numbered);
    } else {
        put_input(w, "group_scores", 'w', e->info->weight_columns);
        put(w, "And", 'w', 0, "pok wok", "ok");
    }
    (void)snprintf(inputs, sizeof inputs, "p %s", put_shift(w, sum));
    put(w, "Sub", 'v', 0, inputs, "values");
    put_node(w, "ArgMax", 'v', 0, "values", "best", &best);
    dp2dpi_onnx_int64(w->graph, "none", (int64_t)e->info->classes);
    put(w, "Where", 'v', 0, e->sees_group ? "pok best none" : "ok best none", "chosen");
    dp2dpi_onnx_int64(w->graph, "second", 1);
    put(w, "Squeeze", 'v', 0, "chosen second", "index");
    dp2dpi_onnx_names(w->graph, "classes", names->classes, e->info->classes, integers);
    put(w, "Gather", 'v', 0, "classes index", "prediction");
    dp2dpi_onnx_value(w->graph, DP2DPI_ONNX_OUTPUT, "prediction",
                      integers ? DP2DPI_ONNX_INT64 : DP2DPI_ONNX_STRING, 0);
}

static void put_operations(dp2dpi_text *t, const char *domain, int64_t version) {
    dp2dpi_text set = {.error = t->error};
    dp2dpi_protobuf_string(&set, OPERATIONS_DOMAIN, domain);
    dp2dpi_protobuf_int(&set, OPERATIONS_VERSION, version);
    dp2dpi_protobuf_message(t, MODEL_OPERATIONS, &set);
}

void dp2dpi_export_onnx(const dp2dpi_export *e, dp2dpi_text *t) {
    dp2dpi_text graph = {.error = t->error}, about = graph;
    put_graph(&(writer) {e, &graph});
    dp2dpi_text_put(&about,
                    "The fair rule of a dp2dp model, without a classifier. This model refuses to "
                    "run if dp2dp predict would refuse a row of the input.");
    dp2dpi_text_put(&about, *dp2dpi_export_warning(e) ? " " : "");
    dp2dpi_text_put(&about, dp2dpi_export_warning(e));
    dp2dpi_protobuf_int(t, MODEL_IR_VERSION, IR_VERSION);
    dp2dpi_protobuf_string(t, MODEL_PRODUCER, "dp2dp");
    dp2dpi_protobuf_string(t, MODEL_PRODUCER_VERSION, DP2DP_VERSION);
    dp2dpi_protobuf_message(t, MODEL_DOCUMENT, &about);
    dp2dpi_protobuf_message(t, MODEL_GRAPH, &graph);
    put_operations(t, "", OPSET);
    put_operations(t, "ai.onnx.ml", OPSET_ML);
}
