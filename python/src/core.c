#include "core.h"

core_objects core;

/* Adds the exceptions to the module. Each exception is also a subclass of a built-in exception of
 * Python. */
static int add_exceptions(PyObject *module) {
    const struct {
        const char *name, *meaning;
        PyObject *like, **out;
    } exceptions[] = {
        {"dp2dp.Error",
         "The base class of dp2dp's exceptions. Attributes say what the message is about: "
         "``reason`` (a word), ``row`` and ``line`` (from 1), ``column`` (a name). An attribute is "
         "None if its value is not known.",
         PyExc_Exception, &core.error},
        {"dp2dp.BudgetError", "The privacy budget does not allow this release.", PyExc_RuntimeError,
         &core.budget_error},
        {"dp2dp.DataError", "The input data are malformed.", PyExc_ValueError, &core.data_error},
        {"dp2dp.OptionError", "An option is missing or outside its bounds.", PyExc_ValueError,
         &core.option_error},
        {"dp2dp.NoBoundError", "No finite privacy bound can be certified.", PyExc_RuntimeError,
         &core.no_bound_error},
    };
    int failed = 0;
    for (size_t i = 0; !failed && i < sizeof exceptions / sizeof exceptions[0]; i++) {
        PyObject *like = exceptions[i].like, *made = NULL;
        PyObject *bases = i > 0 ? PyTuple_Pack(2, core.error, like) : PyTuple_Pack(1, like);
        PyObject *places = Py_BuildValue("{s:z,s:z,s:z,s:z}", "reason", NULL, "row", NULL, "line",
                                         NULL, "column", NULL);
        if (bases && places) {
            made =
                PyErr_NewExceptionWithDoc(exceptions[i].name, exceptions[i].meaning, bases, places);
        }
        failed = made == NULL || PyModule_AddType(module, (PyTypeObject *)made) < 0;
        *exceptions[i].out = made;
        Py_XDECREF(places);
        Py_XDECREF(bases);
    }
    return failed ? -1 : 0;
}

static int add_types(PyObject *module) {
    const struct {
        PyType_Spec *spec;
        PyTypeObject **out;
    } types[] = {
        {&core_model_spec, &core.model},           {&core_schema_spec, &core.schema},
        {&core_accountant_spec, &core.accountant}, {&core_ledger_spec, &core.ledger},
        {&core_shard_spec, &core.shard},           {&core_pool_spec, &core.pool},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        *types[i].out = (PyTypeObject *)PyType_FromSpec(types[i].spec);
        if (*types[i].out == NULL || PyModule_AddType(module, *types[i].out) < 0) {
            return -1;
        }
    }
    return 0;
}

static int execute(PyObject *module) {
    if (core.error) { /* a second import: the types in `core` belong to the interpreter of the first
                         import */
        PyErr_SetString(PyExc_ImportError,
                        "another interpreter of this process has imported dp2dp already; only one "
                        "interpreter of a process can use dp2dp");
        return -1;
    }
    if (add_exceptions(module) < 0 || add_types(module) < 0 || core_add_words(module) < 0) {
        return -1;
    }
    return PyModule_AddStringConstant(module, "version", dp2dp_version());
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)execute},
    {0, NULL},
};

static PyMethodDef functions[] = {
    {"evaluate", core_evaluate, METH_VARARGS, NULL},
    {"verify", core_verify, METH_VARARGS, NULL},
    {"options", core_option_table, METH_O, NULL},
    {"needed_dither", core_needed_dither, METH_VARARGS, NULL},
    {"stream", core_stream_new, METH_VARARGS, NULL},
    {"columns", core_columns, METH_VARARGS, NULL},
    {"ids", core_ids, METH_VARARGS, NULL},
    {"factor_objects", core_factor_objects, METH_VARARGS, NULL},
    {"factor_texts", core_factor_texts, METH_VARARGS, NULL},
    {"warnings_of_budget", core_warnings_of_budget, METH_VARARGS, NULL},
    {"flag", core_flag, METH_VARARGS, NULL},
    {"count_sql", core_count_sql, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "dp2dp._core",
    .m_doc = "The C library. Use dp2dp.core, which is documented.",
    .m_methods = functions,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void) {
    return PyModuleDef_Init(&definition);
}
