#include "core.h"

core_objects core;

int core_add_type(PyObject *module, PyType_Spec *spec, const char *name, PyTypeObject **out) {
    *out = (PyTypeObject *)PyType_FromSpec(spec);
    return *out ? PyModule_AddObjectRef(module, name, (PyObject *)*out) : -1;
}

/* An exception dp2dp.NAME that is also one of Python's own. */
static int add_exception(PyObject *module, const char *name, const char *meaning, PyObject *like,
                         PyObject **out) {
    PyObject *bases = core.error ? PyTuple_Pack(2, core.error, like) : PyTuple_Pack(1, like);
    char full[64];
    PyOS_snprintf(full, sizeof full, "dp2dp.%s", name);
    *out = bases ? PyErr_NewExceptionWithDoc(full, meaning, bases, NULL) : NULL;
    Py_XDECREF(bases);
    return *out ? PyModule_AddObjectRef(module, name, *out) : -1;
}

static int execute(PyObject *module) {
    if (core.error) { /* types and exceptions are made once, and belong to one interpreter */
        PyErr_SetString(PyExc_ImportError, "dp2dp can be imported by one interpreter only");
        return -1;
    }
    return add_exception(module, "Error", "Whatever dp2dp refuses.", PyExc_Exception, &core.error) <
                       0 ||
                   add_exception(module, "BudgetError",
                                 "The privacy budget does not allow this release.",
                                 PyExc_RuntimeError, &core.budget_error) < 0 ||
                   add_exception(module, "DataError", "The input data are malformed.",
                                 PyExc_ValueError, &core.data_error) < 0 ||
                   add_exception(module, "OptionError", "An option is outside its bounds.",
                                 PyExc_ValueError, &core.option_error) < 0 ||
                   add_exception(module, "NoBoundError",
                                 "No finite privacy bound can be certified.", PyExc_RuntimeError,
                                 &core.no_bound_error) < 0 ||
                   PyModule_AddStringConstant(module, "version", dp2dp_version()) < 0 ||
                   core_add_words(module) < 0 || core_add_model(module) < 0 ||
                   core_add_schema(module) < 0 || core_add_accountant(module) < 0 ||
                   core_add_ledger(module) < 0 || core_add_columns(module) < 0
               ? -1
               : 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)execute},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "dp2dp._core",
    .m_doc = "The C library. Use dp2dp.core, which documents what is here.",
    .m_methods = core_metrics_methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void) {
    return PyModuleDef_Init(&definition);
}
