/* The extension module dp2dp._core: what its files share. Uses Python's limited API, so one binary
 * serves every version from 3.11 on, and only dp2dp's public headers.  A function that returns int
 * gives 0, or -1 with a Python exception set. `err` is an errno. */
#ifndef CORE_H
#define CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pthread.h>
#include <time.h>

#include <dp2dp/dp2dp.h>

/* Made once, when the module is loaded. */
typedef struct core_objects {
    PyObject *error, *budget_error, *data_error, *option_error, *no_bound_error;
    PyTypeObject *model, *schema, *ledger, *accountant;
} core_objects;

extern core_objects core;

typedef struct core_model {
    PyObject_HEAD dp2dp_model *model;
} core_model;

typedef struct core_schema {
    PyObject_HEAD dp2dp_schema *schema;
} core_schema;

/* A ledger serves one thread at a time. Wait for its lock only without the GIL. The lock is
 * recursive, since a progress function may read the ledger of the fit that calls it. */
typedef struct core_ledger {
    PyObject_HEAD dp2dp_ledger *ledger;
    pthread_mutex_t lock;
} core_ledger;

/* Runs a step without the GIL. */
#define CORE_WITHOUT_GIL(step)                       \
    do {                                             \
        PyThreadState *thread = PyEval_SaveThread(); \
        step;                                        \
        PyEval_RestoreThread(thread);                \
    } while (0)

/* Runs a step without the GIL and under the lock of a ledger or an accountant. */
#define CORE_LOCKED(object, step)                               \
    CORE_WITHOUT_GIL(pthread_mutex_lock(&(object)->lock); step; \
                     pthread_mutex_unlock(&(object)->lock))

/* Raises the exception of a status, unless one is set already; returns NULL. Its attributes reason,
 * row, line and column are those of the error, None where it has none. */
PyObject *core_raise(dp2dp_status status, const dp2dp_error *error);
/* 0, or -1 with the exception of a status. */
int core_check(dp2dp_status status, const dp2dp_error *error);
/* None, or the exception of a status. */
PyObject *core_none(dp2dp_status status, const dp2dp_error *error);
/* A text of the library, which is freed, as a str; or the exception of a status. */
PyObject *core_text(dp2dp_status status, char *text, size_t length, const dp2dp_error *error);

/* An instance of a type of ours, or of a subclass of it, all zero. */
void *core_new(PyObject *type);
/* An instance that the library has filled; or the exception of a status, and the instance is
 * released. */
PyObject *core_made(void *self, dp2dp_status status, const dp2dp_error *error);
/* The last step of a deallocator. */
void core_delete(PyObject *self);

/* Views of an object's memory, without a copy. On success the caller releases the buffer. */
int core_matrix(PyObject *object, const char *name, Py_buffer *buffer, dp2dp_matrix *out);
int core_column(PyObject *object, const char *name, Py_buffer *buffer, dp2dp_column *out);
/* C-contiguous, `rows` times `width` values of one format ("i": int32, "f": float32, "d":
 * float64). */
int core_flat(PyObject *object, const char *name, int writable, const char *format, size_t rows,
              size_t width, Py_buffer *buffer);
/* Refuses two columns of different lengths. */
int core_same_rows(const char *name, size_t rows, const char *other, size_t other_rows);

/* Scores and groups of the same rows. Zero-fill it first; close it also after a failure. */
typedef struct core_people {
    Py_buffer scores_buffer, groups_buffer;
    dp2dp_matrix scores;
    dp2dp_column groups;
} core_people;

/* NULL: no groups. */
int core_people_open(core_people *people, PyObject *scores, PyObject *groups);
void core_people_close(core_people *people);

/* Keywords, taken one by one: a value that is absent or None leaves *out as it is. After a failure
 * nothing more is taken; core_options_check reports it, and refuses what was not taken. Texts,
 * lists and objects are borrowed until core_options_close. */
typedef struct core_options {
    PyObject *rest; /* dict: not yet taken */
    PyObject *keep; /* list: owns the memory of the pointers given out */
} core_options;

void core_options_open(core_options *options, PyObject *dict);
int core_options_check(const core_options *options);
void core_options_close(core_options *options);
PyObject *core_take(core_options *options, const char *name); /* borrowed; NULL: nothing to take */
void core_take_number(core_options *options, const char *name, double *out);
void core_take_count(core_options *options, const char *name, uint64_t *out);
void core_take_size(core_options *options, const char *name, size_t *out);
void core_take_threads(core_options *options, unsigned *out);
void core_take_word(core_options *options, const char *name, const char **out);
void core_take_flag(core_options *options, const char *name, int *out);
void core_take_object(core_options *options, const char *name, PyTypeObject *type, void *out);
/* A list of *count texts. If *count is 0, any number of texts is allowed, and *count is set. */
void core_take_names(core_options *options, const char *name, size_t *count,
                     const char *const **out);
/* The same for a list that is not an option. The Python list `keep` owns the memory of the result;
 * NULL on failure. */
const char *const *core_texts(PyObject *keep, PyObject *list, const char *name, size_t *count);
/* "insecure_seed": present means the insecure generator. */
void core_take_seed(core_options *options, dp2dp_rng_kind *rng, uint64_t *seed);
/* The value of a word of the library; `value` where there is none. */
int core_take_value(core_options *options, const char *name, dp2dp_word_table table, int value);
/* Why a model is not private: words, whose bits are added. */
void core_take_reasons(core_options *options, const char *name, unsigned *bits);
/* Numbers of a struct, by a table as dp2dp_options gives it. */
void core_take_fields(core_options *options, const dp2dp_option *fields, size_t count,
                      void *object);
/* The whole dict as an event, which borrows its texts. The caller closes the options. */
int core_event_of(core_options *options, PyObject *dict, dp2dp_event *event);

int core_threads_of(PyObject *value, unsigned *out);
int core_count_of(PyObject *value, const char *name, uint64_t *out);
/* Converters for PyArg_ParseTuple: a word as a dp2dp_adjacency or a dp2dp_backend. */
int core_adjacency(PyObject *word, void *out);
int core_backend(PyObject *word, void *out);
/* The UTF-8 of a str, which keeps it; NULL: it is not a str. */
const char *core_utf8(PyObject *value, const char *name, size_t *length);
/* A word of the library as its value. */
int core_word_of(dp2dp_word_table table, const char *word, int *out);

/* A list of `count` items that a function makes. */
typedef PyObject *(*core_item)(const void *context, size_t i);
PyObject *core_list(size_t count, core_item item, const void *context);
PyObject *core_list_of_texts(const char *const *texts, size_t count);
PyObject *core_list_of_reasons(unsigned bits);
/* float, or None for NAN. */
PyObject *core_number_or_none(double value);
/* d[name] = value, whose reference is taken; value NULL: an exception is set already. */
int core_put(PyObject *dict, const char *name, PyObject *value);
/* d[name] = value for the numbers of a struct; None for NAN. */
int core_put_fields(PyObject *dict, const dp2dp_option *fields, size_t count, const void *object);
/* An event as the dict that core_event_of takes. */
PyObject *core_event_dict(const dp2dp_event *event);

/* For dp2dp_fit and dp2dp_train: lets Ctrl-C through, and calls a Python function if there is one.
 * Called without the GIL. */
typedef struct core_watch {
    PyObject *function; /* NULL: none; borrowed */
    struct timespec last;
} core_watch;

int core_progress(void *watch, uint64_t step, uint64_t total);
/* Was Ctrl-C pressed? If so, the exception is set. Called without the GIL. */
int core_is_interrupted(void);
/* "progress": refused here if it is not a function, before anything is charged. */
void core_take_progress(core_options *options, core_watch *watch);

/* Ledgers are locked without the GIL; NULL is no ledger. */
void core_ledger_lock(core_ledger *ledger);
void core_ledger_unlock(core_ledger *ledger);

/* Rows as a stream: a path, or a capsule of the Arrow stream interface, which is emptied. `parts`
 * are dp2dp_part bits. */
int core_rows_open(PyObject *rows, const dp2dp_schema *schema, unsigned parts,
                   struct ArrowArrayStream *out);

/* A stream, which is moved, as a capsule; NULL: it is released. */
PyObject *core_stream_capsule(struct ArrowArrayStream *stream);

/* Takes the stream out of a capsule that has not been used yet. The capsule is then empty for other
 * threads and for Python code behind the stream. */
int core_stream_take(PyObject *capsule, struct ArrowArrayStream *out);
/* Releases the stream without the GIL, which its threads may be waiting for. */
void core_stream_release(struct ArrowArrayStream *stream);

/* The type of a struct core_<name>, from its functions <name>_new and <name>_dealloc and its
 * table <name>_methods. */
#define CORE_TYPE(object, python_name)                     \
    static PyType_Slot object##_slots[] = {                \
        {Py_tp_new, (void *)object##_new},                 \
        {Py_tp_dealloc, (void *)object##_dealloc},         \
        {Py_tp_methods, object##_methods},                 \
        {0, NULL},                                         \
    };                                                     \
    PyType_Spec core_##object##_spec = {                   \
        .name = "dp2dp._core." python_name,                \
        .basicsize = sizeof(core_##object),                \
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, \
        .slots = object##_slots,                           \
    }

/* What each file adds to the module. */
extern PyType_Spec core_model_spec, core_schema_spec, core_ledger_spec, core_accountant_spec;
int core_add_words(PyObject *module);
PyObject *core_option_table(PyObject *module, PyObject *of_train);
PyObject *core_evaluate(PyObject *module, PyObject *args);
PyObject *core_stream_new(PyObject *module, PyObject *args);
PyObject *core_columns(PyObject *module, PyObject *args);

/* Methods of the model that have files of their own. */
PyObject *core_model_info(PyObject *self, PyObject *unused);
PyObject *core_model_fit(PyObject *type, PyObject *args);
PyObject *core_model_train(PyObject *type, PyObject *args);
PyObject *core_model_score(PyObject *self, PyObject *args);
PyObject *core_certify(PyObject *self, PyObject *args);

#endif
