#include "core.h"

#include <limits.h>
#include <math.h>

int core_word_of(dp2dp_word_table table, const char *word, int *out) {
    dp2dp_error error;
    return core_check(dp2dp_word_parse(table, word, out, &error), &error);
}

int core_take_value(core_options *options, const char *name, dp2dp_word_table table, int value) {
    const char *word = NULL;
    core_take_word(options, name, &word);
    if (word) {
        core_word_of(table, word, &value);
    }
    return value;
}

void core_take_fields(core_options *options, const dp2dp_option *fields, size_t count,
                      void *object) {
    for (size_t i = 0; i < count; i++) {
        void *at = (char *)object + fields[i].offset;
        if (fields[i].type == DP2DP_OPTION_COUNT) {
            core_take_count(options, fields[i].name, at);
        } else {
            core_take_number(options, fields[i].name, at);
        }
    }
}

int core_put_fields(PyObject *dict, const dp2dp_option *fields, size_t count, const void *object) {
    int failed = 0;
    for (size_t i = 0; !failed && i < count; i++) {
        const void *at = (const char *)object + fields[i].offset;
        failed = core_put(dict, fields[i].name,
                          fields[i].type == DP2DP_OPTION_COUNT
                              ? PyLong_FromUnsignedLongLong(*(const uint64_t *)at)
                              : core_number_or_none(*(const double *)at));
    }
    return failed;
}

static PyObject *number_of(const dp2dp_option *option, double value) {
    int whole = option->type == DP2DP_OPTION_COUNT && !isnan(value);
    return whole ? PyLong_FromDouble(value) : core_number_or_none(value);
}

static PyObject *option_item(const void *options, size_t i) {
    const dp2dp_option *o = (const dp2dp_option *)options + i;
    return Py_BuildValue("(sNNNzs)", o->name, number_of(o, o->default_value), number_of(o, o->min),
                         number_of(o, o->max), o->used_by, o->help);
}

/* options(of_train) -> [(name, default, min, max, used by, help), ...]: the options of train if
 * of_train is true, and the options of fit if not. */
PyObject *core_option_table(PyObject *module, PyObject *of_train) {
    size_t count;
    (void)module;
    const dp2dp_option *options = dp2dp_options(
        Py_IsTrue(of_train) ? DP2DP_STRUCT_TRAIN_OPTIONS : DP2DP_STRUCT_FIT_OPTIONS, &count);
    return core_list(count, option_item, options);
}

PyObject *core_list_of_bits(dp2dp_word_table table, unsigned bits) {
    const char *found[CHAR_BIT * sizeof bits];
    size_t count, used = 0;
    const dp2dp_word *words = dp2dp_words(table, &count);
    for (size_t i = 0; i < count; i++) {
        if (bits & (unsigned)words[i].value) {
            found[used++] = words[i].word;
        }
    }
    return core_list_of_texts(found, used);
}

/* warnings_of_budget(epsilon, delta, records) -> [word, ...] */
PyObject *core_warnings_of_budget(PyObject *module, PyObject *args) {
    double epsilon, delta;
    unsigned long long records;
    (void)module;
    if (!PyArg_ParseTuple(args, "ddK", &epsilon, &delta, &records)) {
        return NULL;
    }
    return core_list_of_bits(DP2DP_WORDS_WARNING, dp2dp_warn_of_budget(epsilon, delta, records));
}

/* Returns the explanation of word i. Words for the same value share the explanation of the first of
 * these words. */
static const char *meaning_of(const dp2dp_word *words, size_t i) {
    size_t first = 0;
    while (words[first].value != words[i].value) {
        first++;
    }
    return words[first].help;
}

static int add_meanings(PyObject *module, const char *name, dp2dp_word_table table) {
    size_t count;
    const dp2dp_word *words = dp2dp_words(table, &count);
    PyObject *meanings = PyDict_New();
    int failed = meanings == NULL;
    for (size_t i = 0; !failed && i < count; i++) {
        failed = core_put(meanings, words[i].word, PyUnicode_FromString(meaning_of(words, i))) < 0;
    }
    failed = failed || PyModule_AddObjectRef(module, name, meanings) < 0;
    Py_XDECREF(meanings);
    return failed ? -1 : 0;
}

/* Adds the dicts not_private_because, warnings, oddities, missing and criteria, which explain each
 * word. */
int core_add_words(PyObject *module) {
    return add_meanings(module, "not_private_because", DP2DP_WORDS_NOT_PRIVATE) < 0 ||
                   add_meanings(module, "warnings", DP2DP_WORDS_WARNING) < 0 ||
                   add_meanings(module, "oddities", DP2DP_WORDS_ODDITY) < 0 ||
                   add_meanings(module, "missing", DP2DP_WORDS_MISSING) < 0 ||
                   add_meanings(module, "criteria", DP2DP_WORDS_CRITERION) < 0
               ? -1
               : 0;
}
