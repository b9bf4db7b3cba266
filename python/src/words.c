/* The words of the library: its solvers and reasons, each from its one table. */
#include "core.h"

#include <string.h>

static const struct {
    dp2dp_solver solver;
    const char *word;
} solvers[] = {
#define DP2DP_SOLVER(name, value, word) {DP2DP_SOLVER_##name, word},
#include <dp2dp/solver.def>
#undef DP2DP_SOLVER
};

static const struct {
    unsigned bit;
    const char *word, *meaning;
} reasons[] = {
#define DP2DP_LEAK(name, bit, word, help) {bit, word, help},
#include <dp2dp/leak.def>
#undef DP2DP_LEAK
};

enum {
    SOLVERS = sizeof solvers / sizeof solvers[0],
    LEAKS = sizeof reasons / sizeof reasons[0]
};

const char *core_solver_word(dp2dp_solver solver) {
    for (size_t i = 0; i < SOLVERS; i++) {
        if (solvers[i].solver == solver) {
            return solvers[i].word;
        }
    }
    return NULL;
}

void core_take_solver(core_options *options, dp2dp_solver *out) {
    const char *word = core_solver_word(*out);
    core_take_word(options, "solver", &word);
    for (size_t i = 0; i < SOLVERS; i++) {
        if (strcmp(word, solvers[i].word) == 0) {
            *out = solvers[i].solver;
            return;
        }
    }
    PyErr_Format(core.option_error,
                 "solver must be counts, exact, sgd or sgd-as-published, not '%s'", word);
}

PyObject *core_list_of_reasons(unsigned bits) {
    const char *words[LEAKS];
    size_t count = 0;
    for (size_t i = 0; i < LEAKS; i++) {
        if (bits & reasons[i].bit) {
            words[count++] = reasons[i].word;
        }
    }
    return core_list_of_texts(words, count);
}

void core_take_reasons(core_options *options, unsigned *bits) {
    const char *const *words = NULL;
    size_t count = 0;
    core_take_names(options, "leaks", &count, &words);
    for (size_t i = 0; i < count; i++) {
        unsigned bit = 0;
        for (size_t j = 0; j < LEAKS; j++) {
            bit |= strcmp(words[i], reasons[j].word) == 0 ? reasons[j].bit : 0;
        }
        if (bit == 0) {
            PyErr_Format(core.option_error, "no leak is called '%s'", words[i]);
            return;
        }
        *bits |= bit;
    }
}

/* The meanings of reasons, so that Python has no second copy of them. */
int core_add_words(PyObject *module) {
    PyObject *meanings = PyDict_New();
    int failed = meanings == NULL;
    for (size_t i = 0; !failed && i < LEAKS; i++) {
        failed = core_put(meanings, reasons[i].word, PyUnicode_FromString(reasons[i].meaning)) < 0;
    }
    failed = failed || PyModule_AddObjectRef(module, "leaks", meanings) < 0;
    Py_XDECREF(meanings);
    return failed ? -1 : 0;
}
