/* Shared by the files of the extension module dp2dp._core. The module uses only dp2dp's public
 * headers and Python's limited API, so one binary serves every version from 3.11 on. A function
 * that returns int returns 0 on success, and -1 with a Python exception set on failure. */
#ifndef CORE_H
#define CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pthread.h>
#include <time.h>

#include <dp2dp/dp2dp.h>

/* The module's exceptions and types, made once when the module is loaded. */
typedef struct core_objects {
    PyObject *error, *budget_error, *data_error, *option_error, *no_bound_error;
    PyTypeObject *model, *schema, *ledger, *accountant, *shard, *pool;
} core_objects;

extern core_objects core;

typedef struct core_model {
    PyObject_HEAD dp2dp_model *model;
} core_model;

typedef struct core_schema {
    PyObject_HEAD dp2dp_schema *schema;
} core_schema;

/* Only one thread at a time may use a ledger, so each ledger has a lock. Release the GIL before
 * waiting for the lock. The lock is recursive, because a progress function may read the ledger of
 * the fit that called it. */
typedef struct core_ledger {
    PyObject_HEAD dp2dp_ledger *ledger;
    pthread_mutex_t lock;
    char *verb, *note; /* the texts given to Ledger.describe; may be NULL */
} core_ledger;

typedef struct core_pool {
    PyObject_HEAD dp2dp_pool *pool;
} core_pool;

/* Only one thread at a time may use the source of a shard, so each shard has a lock. */
typedef struct core_shard {
    PyObject_HEAD dp2dp_gradient_source source;
    pthread_mutex_t lock;
} core_shard;

#define CORE_WITHOUT_GIL(step)                       \
    do {                                             \
        PyThreadState *thread = PyEval_SaveThread(); \
        step;                                        \
        PyEval_RestoreThread(thread);                \
    } while (0)

/* Runs a step without the GIL and under the lock of a ledger, an accountant or a shard. */
#define CORE_LOCKED(object, step)                               \
    CORE_WITHOUT_GIL(pthread_mutex_lock(&(object)->lock); step; \
                     pthread_mutex_unlock(&(object)->lock))

/* Raises the exception that belongs to a status. If an exception is set already, keeps that
 * exception. Always returns NULL. The exception gets the attributes reason, row, line and column of
 * the error; an attribute whose value is not known is None. */
PyObject *core_raise(dp2dp_status status, const dp2dp_error *error);
/* Returns 0 if the status is OK. If not, raises the exception and returns -1. */
int core_check(dp2dp_status status, const dp2dp_error *error);
/* Returns None if the status is OK. If not, raises the exception and returns NULL. */
PyObject *core_none(dp2dp_status status, const dp2dp_error *error);
/* Returns the library's text as a str and frees the text; raises if the status is not OK. */
PyObject *core_text(dp2dp_status status, char *text, size_t length, const dp2dp_error *error);

/* Allocates a zero-filled instance of one of the module's types or of a subclass. */
void *core_new(PyObject *type);
/* Returns `self` if the status is OK, which means that the library has filled `self`. If not, frees
 * `self` and raises the exception. */
PyObject *core_made(void *self, dp2dp_status status, const dp2dp_error *error);
/* Frees the instance itself: the last step of a deallocator. */
void core_delete(PyObject *self);

/* Each of these two functions gets a view of an object's memory, without a copy. On success the
 * caller must release the buffer. */
int core_matrix(PyObject *object, const char *name, Py_buffer *buffer, dp2dp_matrix *out);
int core_column(PyObject *object, const char *name, Py_buffer *buffer, dp2dp_column *out);
/* Gets a view of a C-contiguous array of `rows` times `width` values. `format` is "i" for int32,
 * "f" for float32, "d" for float64, "l" for int64, "L" for uint64. */
int core_flat(PyObject *object, const char *name, int writable, const char *format, size_t rows,
              size_t width, Py_buffer *buffer);
/* Refuses two columns of different lengths. */
int core_same_rows(const char *name, size_t rows, const char *other, size_t other_rows);

/* The arrays that describe people. Each array has one row for each person. Fill the struct with
 * zeros before core_people_open, and call core_people_close even if core_people_open fails. */
typedef struct core_people {
    Py_buffer scores_buffer, groups_buffer, labels_buffer, weights_buffer, ids_buffer;
    dp2dp_matrix scores, weights;
    dp2dp_column groups, labels;
    int has_groups, has_labels, has_weights;
    const uint64_t *ids; /* the dither keys of the people; NULL if there are none */
    Py_buffer multiplicity_buffer;
    const uint64_t *multiplicity; /* if NULL, each row is one record */
    int32_t *strata; /* the stratum of each row: the row's group, or its group and label;
                        core_people_close frees the array */
} core_people;

/* Gets views of the scores and the groups. `groups` may be NULL. */
int core_people_open(core_people *people, PyObject *scores, PyObject *groups);
/* Adds views of labels, weights and ids, each of which may be NULL. */
int core_people_add(core_people *people, PyObject *labels, PyObject *weights, PyObject *ids);
void core_people_close(core_people *people);

/* Keyword options. Each core_take function removes one option from a copy of the dict and converts
 * the value to *out. If the option is absent or None, *out stays unchanged. After a failure, later
 * core_take calls do nothing. core_options_check returns -1 after a failure, and also if the dict
 * has an option that no call took. Texts, lists and objects in *out stay valid until
 * core_options_close. */
typedef struct core_options {
    PyObject *rest;  /* dict of the options that are not taken yet */
    PyObject *keep;  /* list that owns the memory of the returned pointers */
    PyObject *known; /* list of the valid option names; for a misspelt name, the message suggests
                        one of them */
} core_options;

void core_options_open(core_options *options, PyObject *dict);
int core_options_check(const core_options *options);
void core_options_close(core_options *options);
/* Returns a borrowed reference, or NULL if the option is absent or None. */
PyObject *core_take(core_options *options, const char *name);
void core_take_number(core_options *options, const char *name, double *out);
void core_take_count(core_options *options, const char *name, uint64_t *out);
void core_take_threads(core_options *options, unsigned *out);
void core_take_word(core_options *options, const char *name, const char **out);
void core_take_flag(core_options *options, const char *name, int *out);
/* Reads a bool of Python or numpy, or 0 or 1. Returns -1 and raises OptionError for anything else.
 */
int core_flag_of(PyObject *value, const char *name, int *out);
PyObject *core_flag(PyObject *module, PyObject *args);
void core_take_object(core_options *options, const char *name, PyTypeObject *type, void *out);
/* Takes a list of *count texts. If *count is 0, any number of texts is allowed, and *count becomes
 * that number. */
void core_take_names(core_options *options, const char *name, size_t *count,
                     const char *const **out);
/* Does the same as core_take_names for a list of texts that is not an option. The Python list
 * `keep` owns the memory of the result. Returns NULL on failure. */
const char *const *core_texts(PyObject *keep, PyObject *list, const char *name, size_t *count);
/* Takes the option "insecure_seed". If the option is given, *rng becomes the insecure generator. */
void core_take_seed(core_options *options, dp2dp_rng_kind *rng, uint64_t *seed);
/* Returns the enum value of an option that is a word, or `value` if the option is absent. */
int core_take_value(core_options *options, const char *name, dp2dp_word_table table, int value);
/* Takes all numeric options of a struct. `fields` is a table such as dp2dp_options returns. */
void core_take_fields(core_options *options, const dp2dp_option *fields, size_t count,
                      void *object);
/* Converts a dict to an event. The texts of the event stay valid until the caller closes the
 * options. */
int core_event_of(core_options *options, PyObject *dict, dp2dp_event *event);

int core_threads_of(PyObject *value, unsigned *out);
int core_count_of(PyObject *value, const char *name, uint64_t *out);
/* Converters for PyArg_ParseTuple, from a word to a dp2dp_adjacency or a dp2dp_backend. */
int core_adjacency(PyObject *word, void *out);
int core_backend(PyObject *word, void *out);
/* Returns the UTF-8 bytes of a str. The str owns the bytes. Raises TypeError for any other
 * object. */
const char *core_utf8(PyObject *value, const char *name, size_t *length);
/* Converts a word of a table to its enum value. */
int core_word_of(dp2dp_word_table table, const char *word, int *out);

/* Makes a list of `count` items; item(context, i) makes item i. */
typedef PyObject *(*core_item)(const void *context, size_t i);
PyObject *core_list(size_t count, core_item item, const void *context);
PyObject *core_list_of_texts(const char *const *texts, size_t count);
/* Returns a float, or None for NAN. */
PyObject *core_number_or_none(double value);
/* Sets dict[name] to value, and takes over the reference to value. Fails if value is NULL, which
 * means that an exception is set already. */
int core_put(PyObject *dict, const char *name, PyObject *value);
/* Sets dict[name] to the value of each numeric field of a struct; NAN becomes None. */
int core_put_fields(PyObject *dict, const dp2dp_option *fields, size_t count, const void *object);
/* Converts an event to a dict. core_event_of does the reverse. */
PyObject *core_event_dict(const dp2dp_event *event);

/* core_progress is the progress callback of dp2dp_fit and dp2dp_train. It checks for Ctrl-C and
 * calls the user's Python function, if any. After Ctrl-C or an exception it returns 1, which stops
 * the fit or training. Called without the GIL. */
typedef struct core_watch {
    PyObject *function; /* a borrowed reference to the user's function, or NULL */
    struct timespec last;
} core_watch;

int core_progress(void *watch, uint64_t step, uint64_t total);
/* Returns 1 and sets the exception if Ctrl-C was pressed. Called without the GIL. */
int core_is_interrupted(void);
/* Takes the option "progress". If the value is not a function, fails before anything is charged. */
void core_take_progress(core_options *options, core_watch *watch);

/* The ledger that a fit, a training or a certificate charges, and the note on the new entries of
 * this ledger. */
typedef struct core_charging {
    core_ledger *ledger; /* NULL if no ledger is given */
    const char *note;    /* if NULL, the note given to Ledger.describe is used */
} core_charging;

/* Takes the options "ledger" and "note". Refuses a note without a ledger. */
void core_take_charging(core_options *options, core_charging *out);
dp2dp_ledger *core_ledger_of(const core_charging *charging);
/* core_charging_begin locks the ledger and sets the note of the next entries. Always call
 * core_charging_end afterwards, even after a failure. Without a ledger, both functions do nothing.
 * Both are called without the GIL. */
dp2dp_status core_charging_begin(const core_charging *charging, dp2dp_error *error);
void core_charging_end(const core_charging *charging);

/* The options of a training. Fill the struct with zeros and DP2DP_TRAIN_OPTIONS_INIT. Then call
 * core_training_open, which takes the options that training on rows and training on a source have
 * in common. Then take the other options and check the keywords. Always call core_training_close,
 * even after a failure. */
typedef struct core_training {
    core_options keywords;
    core_charging charging;
    core_watch watch;
    Py_buffer weights;
    dp2dp_train_options options;
} core_training;

void core_training_open(core_training *training, PyObject *dict, const dp2dp_schema_info *info);
void core_training_close(core_training *training);

/* Takes the options "bad_rows" and "leaves_out", which say which records a pool leaves out. */
void core_take_left_out(core_options *options, dp2dp_pool_options *out);
/* Takes the options of a pool that do not depend on the criterion. The width of the dither depends
 * on the criterion, so this function does not take the width. */
void core_take_pool(core_options *options, dp2dp_pool_options *out);
/* Takes the options "labels", "weights" and "ids", arrays with one row for each person, and adds
 * them to *people. */
void core_take_people(core_options *options, core_people *people);
/* Returns the code in one row of a column of int8, int16 or int32. */
int32_t core_code_of(const dp2dp_column *column, size_t row);
/* Takes the option "multiplicity": how many records each row stands for. */
void core_take_multiplicity(core_options *options, core_people *people);
/* Sets *out to the stratum of each row: the row's group or, with labels, the row's group and label.
 * If the people have no groups, *out becomes an empty column. Copies the pointers to the weights,
 * ids and multiplicity of the people to *options. Before the call, options->strata must be the
 * number of strata. Called without the GIL. */
dp2dp_status core_people_codes(core_people *people, dp2dp_pool_options *options, dp2dp_column *out,
                               dp2dp_error *error);
/* Makes a pool of the people. Called without the GIL. */
dp2dp_status core_people_pool(core_people *people, dp2dp_pool_options *options, dp2dp_pool **out,
                              dp2dp_error *error);

/* Calls `function`, the option "noticed", with a list of words: the warnings about the records of a
 * pool. If a person may have several rows, the list has no warnings about repeated rows. Calls the
 * function even if the list is empty, because the function also looks at the records (the pool has
 * already checked that they are valid). Does nothing if `function` is NULL. If the Python function
 * raises an exception, returns CANCELLED and leaves the exception set. Called without the GIL,
 * before anything is charged. */
dp2dp_status core_tell_noticed(PyObject *function, const dp2dp_pool *pool,
                               uint64_t rows_per_person);

/* A source whose tables come from a Python function. The function gets the offsets as bytes of
 * float32. It returns a C-contiguous array of `cells` int64 values, or raises an exception. */
typedef struct core_source {
    PyObject *function; /* borrowed */
    size_t offsets, cells;
} core_source;

enum {
    CORE_UNIT_BITS = 20 /* dp2dp_count counts scores in units of 2^-20 */
};

/* The callback `count` of a dp2dp_source. If the Python function fails, its exception stays set.
 * Called without the GIL. */
dp2dp_status core_source_count(void *source, const float *offsets, int64_t *table,
                               dp2dp_error *error);

/* Returns a new list with a pair (class, labels) for each statistic. `labels` is a bytes object
 * with one flag for each label, or None if the statistic does not depend on the label. */
PyObject *core_list_of_statistics(const dp2dp_statistic *statistics, size_t count, size_t labels);
/* Takes the option "positive", the code of a class. */
void core_take_positive(core_options *options, int32_t *out);
/* Takes the option "statistics", a list of the form that core_list_of_statistics returns. `labels`
 * is the number of labels. */
void core_take_statistics(core_options *options, size_t labels, const dp2dp_statistic **out,
                          size_t *count);

/* Opens a stream of encoded rows. `rows` is a path, or a capsule with an Arrow stream, which is
 * moved out of the capsule. `parts` are dp2dp_part bits. */
int core_rows_open(PyObject *rows, const dp2dp_schema *schema, unsigned parts,
                   struct ArrowArrayStream *out);

/* Wraps a stream to check for Ctrl-C between its batches and at its end. Releases the stream on
 * failure. */
dp2dp_status core_stream_listen(struct ArrowArrayStream *stream, dp2dp_error *error);

/* Returns the dp2dp_part bits for a stream in which every row is a record. Such a stream does not
 * skip the rows that the schema leaves out, but marks them. With `ignore`, the stream also marks
 * bad rows instead of failing. */
unsigned core_parts_of_records(int ignore);

/* Opens a stream of the features of every record. With `labels` or `groups`, the stream also has
 * the label or the group of every record. Returns 1 if records may be left out, 0 if not, and -1
 * with an exception after a failure. */
int core_rows_encode(PyObject *rows, const dp2dp_schema *schema, int labels, int groups, int ignore,
                     struct ArrowArrayStream *out);
/* Reads a file to its end, so that options->outside and options->spreads hold what the schema finds
 * in its rows. Returns 0, or -1 with an exception. */
int core_rows_watch(PyObject *path, const dp2dp_schema *schema, unsigned parts,
                    dp2dp_table_options *options);

/* Make an Arrow array or an Arrow schema, with room for children and, in an array, for buffers. The
 * children are filled with zeros, and the buffers are NULL. Both functions return 0 or an errno
 * value. The caller must release *out even after a failure. `format` is not copied. */
int core_array_new(size_t rows, size_t buffers, size_t children, struct ArrowArray *out);
int core_schema_new(const char *format, const char *name, size_t children, struct ArrowSchema *out);

/* Moves a stream into a new capsule. On failure releases the stream and returns NULL. */
PyObject *core_stream_capsule(struct ArrowArrayStream *stream);

/* Moves the stream out of a capsule that has not been used yet. The capsule is then empty, so that
 * neither other threads nor the Python code that produces the rows can use the stream. */
int core_stream_take(PyObject *capsule, struct ArrowArrayStream *out);

/* Defines the type of a struct core_<name>, from its functions <name>_new and <name>_dealloc and
 * its table <name>_methods. */
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

/* The types and functions that each file adds to the module. */
extern PyType_Spec core_model_spec, core_schema_spec, core_ledger_spec, core_accountant_spec,
    core_shard_spec, core_pool_spec;
int core_add_words(PyObject *module);
PyObject *core_warnings_of_budget(PyObject *module, PyObject *args);
/* Returns a list of those words of a table that have their bit set in `bits`. */
PyObject *core_list_of_bits(dp2dp_word_table table, unsigned bits);
PyObject *core_option_table(PyObject *module, PyObject *of_train);
PyObject *core_needed_dither(PyObject *module, PyObject *args);
PyObject *core_evaluate(PyObject *module, PyObject *args);
PyObject *core_verify(PyObject *module, PyObject *args);
PyObject *core_stream_new(PyObject *module, PyObject *args);
PyObject *core_columns(PyObject *module, PyObject *args);
PyObject *core_ids(PyObject *module, PyObject *args);
PyObject *core_factor_objects(PyObject *module, PyObject *args);
PyObject *core_factor_texts(PyObject *module, PyObject *args);
PyObject *core_count_sql(PyObject *module, PyObject *args);

/* The methods of Model that are not defined in model.c. */
PyObject *core_model_info(PyObject *self, PyObject *unused);
PyObject *core_model_fit(PyObject *type, PyObject *args);
PyObject *core_model_fit_stream(PyObject *type, PyObject *args);
PyObject *core_model_fit_source(PyObject *type, PyObject *args);
PyObject *core_model_fit_plan(PyObject *type, PyObject *args);
PyObject *core_model_train(PyObject *type, PyObject *args);
PyObject *core_model_train_plan(PyObject *type, PyObject *args);
PyObject *core_model_train_source(PyObject *type, PyObject *args);
PyObject *core_model_score(PyObject *self, PyObject *args);
PyObject *core_certify(PyObject *self, PyObject *args);
PyObject *core_report(PyObject *self, PyObject *args);
PyObject *core_export(PyObject *self, PyObject *args);

#endif
