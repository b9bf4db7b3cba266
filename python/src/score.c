/* Model._score: the classifier's probabilities of rows. */
#include "core.h"

/* (schema of the classifier, rows, parts) -> capsule of a stream, which borrows model and schema.
 */
PyObject *core_model_score(PyObject *self, PyObject *args) {
    PyObject *schema, *rows;
    unsigned parts;
    struct ArrowArrayStream encoded, stream;
    dp2dp_error error;
    if (!PyArg_ParseTuple(args, "O!OI", core.schema, &schema, &rows, &parts) ||
        core_rows_open(rows, ((core_schema *)schema)->schema, parts | DP2DP_PART_FEATURES,
                       &encoded) < 0) {
        return NULL;
    }
    dp2dp_status status = dp2dp_model_score(((core_model *)self)->model, &encoded, &stream, &error);
    return core_check(status, &error) == 0 ? core_stream_capsule(&stream) : NULL;
}
