/* Writes the rule as a C header. In the header, intermediate results are volatile, so that a
 * compiler neither fuses a product and a sum (which would round once instead of twice) nor keeps
 * extra digits. */
#include "export/export.h"

#include <stdio.h>

#include "decide/view.h"

enum {
    MORE_SIZE = 64
};

/* Appends a text as a C string. Bytes that a C compiler might read differently are written in
 * octal. */
static void put_string(dp2dpi_text *t, const char *text) {
    dp2dpi_text_put(t, "\"");
    for (const char *c = text; *c; c++) {
        if (*c >= ' ' && *c <= '~' && *c != '"' && *c != '\\' && *c != '?') {
            dp2dpi_text_bytes(t, c, 1);
        } else {
            dp2dpi_text_format(t, "\\%03o", (unsigned)(unsigned char)*c);
        }
    }
    dp2dpi_text_put(t, "\"");
}

static void put_names(dp2dpi_text *t, const char *what, const char *const *names, size_t count) {
    dp2dpi_text_format(t, "static const char *const DP2DP_RULE(%s)[%zu] = {\n", what, count);
    for (size_t i = 0; i < count; i++) {
        dp2dpi_text_put(t, "    ");
        put_string(t, names[i]);
        dp2dpi_text_put(t, ",\n");
    }
    dp2dpi_text_put(t, "};\n\n");
}

/* Appends the offsets with nine digits, which identify a float32 number. */
static void put_offsets(const dp2dpi_export *e, dp2dpi_text *t) {
    dp2dpi_text_format(t, "static const float DP2DP_RULE(offsets)[%zu][%zu][%zu] = {\n", e->tables,
                       e->parts, e->info->classes);
    for (size_t g = 0; g < e->tables; g++) {
        dp2dpi_text_put(t, "    {\n");
        for (size_t j = 0; j < e->parts; j++) {
            dp2dpi_text_put(t, "        {");
            for (size_t k = 0; k < e->info->classes; k++) {
                dp2dpi_text_format(t, k ? ", %.8eF" : "%.8eF",
                                   (double)dp2dpi_export_offset(e, g, j, k));
            }
            dp2dpi_text_put(t, "},\n");
        }
        dp2dpi_text_put(t, "    },\n");
    }
    dp2dpi_text_put(t, "};\n\n");
}

static const char top[] =
    " * The fair rule of a dp2dp model, without a classifier. It decides as dp2dp predict\n"
    " * does, bit for bit. Needs C99 or C++11 with IEEE arithmetic; do not compile with\n"
    " * -ffast-math.\n"
    " *\n"
    " * decide takes float64 numbers, decide_float takes float32 numbers, whose sum may be\n"
    " * further from 1. Both return the number of the class, from 0 on, or -1 for a row that\n"
    " * predict refuses: an unknown group, a number that is negative, NaN or above 1e30, or\n"
    " * scores whose sum is not 1 (if the model normalizes: not above 0). A group that\n"
    " * is a whole number is found as 1 and as 1.0; predict knows more spellings, such as 01.\n"
    " *\n"
    " * To use several rules in one file, define DP2DP_RULE(name) anew before each. */\n"
    "#pragma once\n"
    "#ifdef __FAST_MATH__\n"
    "#error \"-ffast-math changes decisions\"\n"
    "#endif\n"
    "#ifndef DP2DP_RULE\n"
    "#define DP2DP_RULE(name) dp2dp_rule_##name\n"
    "#endif\n\n";

static const char reader[] =
    "/* Converts numbers to float32. Returns 0 if they are not probabilities. */\n"
    "static inline int DP2DP_RULE(read)(const double *given, int count, double tolerance,\n"
    "                                   float *out) {\n"
    "    volatile double sum = 0.0;\n"
    "    for (int k = 0; k < count; k++) {\n"
    "        if (!(given[k] >= 0.0 && given[k] <= 1e30)) {\n"
    "            return 0;\n"
    "        }\n"
    "        sum = sum + given[k];\n"
    "    }\n"
    "    for (int k = 0; k < count; k++) {\n";

static const char checked[] = "        out[k] = (float)given[k];\n"
                              "    }\n"
                              "    return sum - 1.0 <= tolerance && sum - 1.0 >= -tolerance;\n"
                              "}\n\n";

static const char normalized[] = "        out[k] = (float)(given[k] / sum);\n"
                                 "    }\n"
                                 "    (void)tolerance;\n"
                                 "    return sum > 0.0;\n"
                                 "}\n\n";

static const char finder[] =
    "/* Returns the place of a text in a list, or -1 if the list lacks it. */\n"
    "static inline int DP2DP_RULE(find)(const char *text, const char *const *list, int count) {\n"
    "    for (int i = 0; text && i < count; i++) {\n"
    "        const char *a = list[i], *b = text;\n"
    "        while (*a && *a == *b) {\n"
    "            a++;\n"
    "            b++;\n"
    "        }\n"
    "        if (*a == *b) {\n"
    "            return i;\n"
    "        }\n"
    "    }\n"
    "    return -1;\n"
    "}\n\n"
    "/* Returns the number of a group, or -1 if it is unknown. */\n"
    "static inline int DP2DP_RULE(group)(const char *name) {\n";

/* Appends an array of other spellings of the groups whose names are whole numbers. Elements g and
 * count + g are the spellings of group g. Returns 0, and appends nothing, if there are no other
 * spellings. */
static int put_spellings(const dp2dpi_export *e, dp2dpi_text *t) {
    const char *const *names = e->info->names.groups;
    size_t count = e->info->groups, found = 0;
    char spelling[DP2DPI_SPELLING_SIZE];
    for (size_t i = 0; i < DP2DPI_SPELLINGS * count; i++) {
        found +=
            (size_t)dp2dpi_export_spelling(names, count, i % count, (int)(i / count), spelling);
    }
    if (found == 0) {
        return 0;
    }
    dp2dpi_text_format(t, "static const char *const DP2DP_RULE(spellings)[%zu] = {\n",
                       DP2DPI_SPELLINGS * count);
    for (size_t i = 0; i < DP2DPI_SPELLINGS * count; i++) {
        size_t g = i % count;
        int other = dp2dpi_export_spelling(names, count, g, (int)(i / count), spelling);
        dp2dpi_text_put(t, "    ");
        put_string(t, other ? spelling : names[g]);
        dp2dpi_text_put(t, ",\n");
    }
    dp2dpi_text_put(t, "};\n\n");
    return 1;
}

/* Appends the function that finds a group. */
static void put_finder(const dp2dpi_export *e, dp2dpi_text *t) {
    size_t count = e->info->groups;
    int numbers = put_spellings(e, t);
    dp2dpi_text_put(t, finder);
    if (numbers) {
        dp2dpi_text_format(t,
                           "    const int g = DP2DP_RULE(find)(name, DP2DP_RULE(groups), %zu);\n"
                           "    const int s = DP2DP_RULE(find)(name, DP2DP_RULE(spellings), %zu);\n"
                           "    return g >= 0 || s < 0 ? g : s %% %zu;\n}\n\n",
                           count, DP2DPI_SPELLINGS * count, count);
    } else {
        dp2dpi_text_format(t, "    return DP2DP_RULE(find)(name, DP2DP_RULE(groups), %zu);\n}\n\n",
                           count);
    }
}

/* Appends the function that returns the class with the largest adjusted score. */
static void put_choose(const dp2dpi_export *e, dp2dpi_text *t) {
    dp2dpi_text_put(t, "static inline int DP2DP_RULE(choose)(const float *scores, const float "
                       "*weights, int table) {\n"
                       "    int winner = 0;\n"
                       "    float best = 0.0F;\n");
    dp2dpi_text_format(t, "    for (int k = 0; k < %zu; k++) {\n", e->info->classes);
    dp2dpi_text_put(t, "        volatile float shift = 0.0F;\n");
    dp2dpi_text_format(t, "        for (int j = 0; j < %zu; j++) {\n", e->parts);
    dp2dpi_text_put(t, "            volatile float product = weights[j] * "
                       "DP2DP_RULE(offsets)[table][j][k];\n"
                       "            shift = shift + product;\n"
                       "        }\n"
                       "        volatile float value = scores[k] - shift;\n"
                       "        if (k == 0 || value > best) {\n"
                       "            best = value;\n"
                       "            winner = k;\n"
                       "        }\n"
                       "    }\n"
                       "    return winner;\n"
                       "}\n\n");
}

/* Appends the head of a function that decides. `type` is the C type of the scores, and `more` holds
 * further parameters. */
static void put_head(const dp2dpi_export *e, const char *name, const char *type, const char *more,
                     dp2dpi_text *t) {
    dp2dpi_text_format(t, "static inline int DP2DP_RULE(%s)(const %s *scores, ", name, type);
    if (e->sees_group) {
        dp2dpi_text_format(t, "const char *group%s) {\n", more);
    } else {
        dp2dpi_text_format(t, "const %s *group_scores%s) {\n", type, more);
    }
}

/* Appends code that rounds the scores to the grid. The arithmetic of this code is exact. No score
 * is negative, so a cast to an integer rounds down. */
static void put_on_grid(const dp2dpi_export *e, dp2dpi_text *t) {
    unsigned steps = 1U << e->info->grid_bits;
    if (e->info->grid_bits > 0) {
        dp2dpi_text_format(t, "    for (int k = 0; k < %zu; k++) {\n", e->info->classes);
        dp2dpi_text_format(t,
                           "        p[k] = (float)((double)(long)((double)p[k] * %u.0 + 0.5) "
                           "/ %u.0);\n    }\n",
                           steps, steps);
    }
}

/* Appends the function that decide and decide_float both call. */
static void put_decide(const dp2dpi_export *e, dp2dpi_text *t) {
    char more[MORE_SIZE] = "";
    if (e->info->grid_bits > 0) {
        (void)snprintf(more, sizeof more, " + %zu.0 / %u.0", e->info->classes,
                       2U << e->info->grid_bits);
    }
    put_head(e, "decide_within", "double", ", double tolerance", t);
    dp2dpi_text_format(t, "    float p[%zu];\n", e->info->classes);
    if (e->sees_group) {
        dp2dpi_text_put(t, "    int table = DP2DP_RULE(group)(group);\n");
        if (e->info->rule == DP2DP_RULE_OFFSET) {
            dp2dpi_text_put(t, "    const float w[1] = {1.0F};\n");
        }
        dp2dpi_text_format(
            t, "    if (table < 0 || !DP2DP_RULE(read)(scores, %zu, tolerance%s, p)) {\n",
            e->info->classes, more);
    } else {
        dp2dpi_text_format(t, "    float w[%zu];\n", e->info->strata);
        dp2dpi_text_format(t, "    if (!DP2DP_RULE(read)(scores, %zu, tolerance%s, p) ||\n",
                           e->info->classes, more);
        dp2dpi_text_format(t, "        !DP2DP_RULE(read)(group_scores, %zu, tolerance, w)) {\n",
                           e->info->weight_columns);
    }
    dp2dpi_text_put(t, "        return -1;\n    }\n");
    put_on_grid(e, t);
    if (dp2dpi_export_multiplies(e)) {
        /* The loop in the header runs backwards, so that no weight is overwritten before its
         * use. */
        dp2dpi_text_format(t, "    for (int e = %zu; e >= 0; e--) {\n", e->info->strata - 1);
        dp2dpi_text_format(t, "        volatile float weight = w[e / %zu] * p[e %% %zu];\n",
                           e->info->labels, e->info->labels);
        dp2dpi_text_put(t, "        w[e] = weight;\n    }\n");
    }
    dp2dpi_text_format(t, "    return DP2DP_RULE(choose)(p, %s, %s);\n}\n\n",
                       e->info->rule == DP2DP_RULE_LINEAR ? "p" : "w",
                       e->sees_group ? "table" : "0");
}

/* Appends decide and decide_float, the two functions that a user calls. */
static void put_doors(const dp2dpi_export *e, dp2dpi_text *t) {
    const char *second = e->sees_group ? "group" : "group_scores";
    put_head(e, "decide", "double", "", t);
    dp2dpi_text_format(t, "    return DP2DP_RULE(decide_within)(scores, %s, %g);\n}\n\n", second,
                       DP2DPI_VIEW_TOLERANCE_DOUBLE);
    put_head(e, "decide_float", "float", "", t);
    dp2dpi_text_format(t, "    double p[%zu];\n", e->info->classes);
    dp2dpi_text_format(t, "    for (int k = 0; k < %zu; k++) {\n", e->info->classes);
    dp2dpi_text_put(t, "        p[k] = (double)scores[k];\n    }\n");
    if (!e->sees_group) {
        dp2dpi_text_format(t, "    double w[%zu];\n", e->info->weight_columns);
        dp2dpi_text_format(t, "    for (int j = 0; j < %zu; j++) {\n", e->info->weight_columns);
        dp2dpi_text_put(t, "        w[j] = (double)group_scores[j];\n    }\n");
    }
    dp2dpi_text_format(t, "    return DP2DP_RULE(decide_within)(p, %s, %g);\n}\n",
                       e->sees_group ? "group" : "w", DP2DPI_VIEW_TOLERANCE_SINGLE);
}

void dp2dpi_export_c_header(const dp2dpi_export *e, dp2dpi_text *t) {
    const char *warning = dp2dpi_export_warning(e);
    dp2dpi_text_put(t, "/*");
    dp2dpi_text_put(t, *warning ? " " : "");
    dp2dpi_text_put(t, warning);
    dp2dpi_text_put(t, *warning ? "\n *\n" : "\n");
    dp2dpi_text_put(t, top);
    put_names(t, "classes", e->info->names.classes, e->info->classes);
    if (e->sees_group) {
        put_names(t, "groups", e->info->names.groups, e->info->groups);
        put_finder(e, t);
    }
    put_offsets(e, t);
    dp2dpi_text_put(t, reader);
    dp2dpi_text_put(t, e->info->row_sums == DP2DP_ROW_SUMS_NORMALIZE ? normalized : checked);
    put_choose(e, t);
    put_decide(e, t);
    put_doors(e, t);
}
