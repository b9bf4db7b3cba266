#include "core.h"

static PyObject *schema_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    const char *source;
    dp2dp_error error;
    dp2dp_status status;
    static char *names[] = {"source", NULL};
    core_schema *self = PyArg_ParseTupleAndKeywords(args, keywords, "s", names, &source)
                            ? core_new((PyObject *)type)
                            : NULL;
    if (self == NULL) {
        return NULL;
    }
    CORE_WITHOUT_GIL(status = dp2dp_schema_load(source, &self->schema, &error));
    return core_made(self, status, &error);
}

static void schema_dealloc(PyObject *self) {
    dp2dp_schema_free(((core_schema *)self)->schema);
    core_delete(self);
}

static PyObject *name_of(const void *columns, size_t i) {
    return PyUnicode_FromString(((const dp2dp_schema_column *)columns)[i].name);
}

static PyObject *schema_info(PyObject *self, PyObject *unused) {
    const dp2dp_schema_info *s = dp2dp_schema_view(((core_schema *)self)->schema);
    (void)unused;
    return Py_BuildValue("{s:s,s:s#,s:N,s:d,s:n,s:N,s:N,s:N}", "name", s->name, "text", s->text,
                         (Py_ssize_t)s->text_length, "from_data",
                         PyBool_FromLong(s->origin == DP2DP_ORIGIN_FROM_DATA), "norm", s->norm,
                         "width", (Py_ssize_t)s->width, "columns",
                         core_list(s->column_count, name_of, s->columns), "classes",
                         core_list_of_texts(s->classes, s->class_count), "groups",
                         core_list_of_texts(s->groups, s->group_count));
}

/* _findings(rows) -> capsule of a stream with the findings in each row (dp2dp_schema_encode). The
 * stream borrows the schema. */
static PyObject *schema_findings(PyObject *self, PyObject *rows) {
    const dp2dp_schema *schema = ((core_schema *)self)->schema;
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    struct ArrowArrayStream stream;
    unsigned parts = DP2DP_PART_FINDINGS | DP2DP_PART_FEATURES |
                     (info->class_count > 0 ? DP2DP_PART_LABEL : 0U) |
                     (info->group_count > 0 ? DP2DP_PART_GROUP : 0U);
    return core_rows_open(rows, schema, parts, &stream) < 0 ? NULL : core_stream_capsule(&stream);
}

/* _encode(rows, labels, groups, ignore) -> (capsule of a stream, whether rows may be left out). The
 * stream borrows the schema, and has the columns of dp2dp_schema_encode. */
static PyObject *schema_encode(PyObject *self, PyObject *args) {
    const dp2dp_schema *schema = ((core_schema *)self)->schema;
    PyObject *rows;
    int labels, groups, ignore;
    struct ArrowArrayStream stream;
    if (!PyArg_ParseTuple(args, "Oppp", &rows, &labels, &groups, &ignore)) {
        return NULL;
    }
    int leaves_out = core_rows_encode(rows, schema, labels, groups, ignore, &stream);
    if (leaves_out < 0) {
        return NULL;
    }
    PyObject *capsule = core_stream_capsule(&stream);
    return capsule ? Py_BuildValue("NN", capsule, PyBool_FromLong(leaves_out)) : NULL;
}

typedef struct watched {
    const uint64_t *outside;
    const dp2dp_spread *spreads;
} watched;

static PyObject *column_watched(const void *context, size_t i) {
    const watched *w = context;
    const dp2dp_spread *s = &w->spreads[i];
    return Py_BuildValue(
        "{s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:d,s:d,s:d,s:d,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:n,s:K,"
        "s:K}",
        "outside", (unsigned long long)w->outside[i], "all", (unsigned long long)s->all,
        "same_outside", (unsigned long long)s->same_outside, "inside",
        (unsigned long long)s->inside, "values", (unsigned long long)s->values, "fractions",
        (unsigned long long)s->fractions, "numbers", (unsigned long long)s->numbers, "same_inside",
        (unsigned long long)s->same_inside, "lower", s->lower, "upper", s->upper, "smallest",
        s->smallest, "largest", s->largest, "is_narrow", s->is_narrow, "has_thousands",
        s->has_thousands, "is_lowest", s->is_lowest, "has_one_value", s->has_one_value, "are_ids",
        s->are_ids, "tells_group", s->tells_group, "tells_label", s->tells_label, "marks_label",
        s->marks_label, "marked", (Py_ssize_t)s->marked, "same_unlisted",
        (unsigned long long)s->same_unlisted, "missing_unlisted",
        (unsigned long long)s->missing_unlisted);
}

/* _watch(path, labels, groups) -> what the schema finds in the rows of a file: how many rows there
 * are and how many are kept, whether rows are repeated, and for each column dp2dp_outside.columns
 * and dp2dp_spread. NOT private. */
static PyObject *schema_watch(PyObject *self, PyObject *args) {
    const dp2dp_schema *schema = ((core_schema *)self)->schema;
    const size_t count = dp2dp_schema_view(schema)->column_count;
    PyObject *path, *result = NULL;
    int labels, groups, rows_repeated = 0;
    uint64_t rows = 0;
    if (!PyArg_ParseTuple(args, "Opp", &path, &labels, &groups)) {
        return NULL;
    }
    dp2dp_outside outside = {.columns = PyMem_Calloc(count, sizeof *outside.columns),
                             .rows_repeated = &rows_repeated};
    dp2dp_spread *spreads = PyMem_Calloc(count, sizeof *spreads);
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    const unsigned parts =
        DP2DP_PART_FEATURES | (labels ? DP2DP_PART_LABEL : 0U) | (groups ? DP2DP_PART_GROUP : 0U);
    options.outside = &outside;
    options.spreads = spreads;
    options.rows_read = &rows;
    if (outside.columns == NULL || spreads == NULL) {
        PyErr_NoMemory();
    } else if (core_rows_watch(path, schema, parts, &options) == 0) {
        const watched found = {outside.columns, spreads};
        result = Py_BuildValue("{s:K,s:K,s:O,s:N}", "rows", (unsigned long long)rows, "kept",
                               (unsigned long long)outside.rows, "rows_repeated",
                               rows_repeated ? Py_True : Py_False, "columns",
                               core_list(count, column_watched, &found));
    }
    PyMem_Free(outside.columns);
    PyMem_Free(spreads);
    return result;
}

static PyMethodDef schema_methods[] = {
    {"_encode", schema_encode, METH_VARARGS, NULL},
    {"_findings", schema_findings, METH_O, NULL},
    {"_watch", schema_watch, METH_VARARGS, NULL},
    {"_info", schema_info, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(schema, "Schema");
