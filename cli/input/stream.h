/* Reads streams of batches, either in the calling thread or in a separate thread that reads ahead.
 */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "common/error.h"

/* Finds the type of a table's numbers: float32 for an NPY file of float32, otherwise float64. On
 * failure, releases the stream. */
dp2dp_status cli_stream_type(struct ArrowArrayStream *stream, dp2dp_type *out, dp2dp_error *error);

/* A function that is called with every batch. It must not keep the batch. */
typedef dp2dp_status (*cli_batch_use)(void *context, const struct ArrowArray *batch,
                                      dp2dp_error *error);
/* Passes every batch of a stream to `use`, up to the end or the first failure, and releases the
 * stream. */
dp2dp_status cli_stream_each(struct ArrowArrayStream *stream, cli_batch_use use, void *context,
                             dp2dp_error *error);

enum {
    CLI_WATCHED_CLASSES =
        16, /* if there are more classes than this, labels are not compared with scores */
    CLI_WATCHED_WEIGHTS = 64, /* if there are more columns of group scores than this, their order is
                                 not judged */
    CLI_WATCHED_IDS = 16      /* largest number of different ids that are stored */
};

/* The scores of one class, among people with and without its label. */
typedef struct cli_cut {
    uint64_t inside, outside; /* number of people with this label, and with another label */
    double least,
        most; /* smallest score among people with this label, largest score among all others */
} cli_cut;

/* State shared by the thread that reads a table and the thread that uses its rows. */
typedef struct cli_watch {
    uint64_t
        rows; /* number of rows read so far, including dropped rows; final at the stream's end */
    atomic_int given_up;   /* set to 1 to stop reading, when no more rows are needed */
    dp2dp_outside outside; /* final at the stream's end; outside.columns NULL: nothing is counted */
    dp2dp_spread *spreads; /* final at the stream's end; NULL if outside.columns is NULL */
    int hides_group; /* 1: the rule must not see the group, so look for columns that reveal the
                        group */
    int is_training; /* 1: the rows are for training, so look for columns of ids and for bounds that
                        were read off the rows */
    int ignores_bad; /* 1: bad rows are ignored, and nothing is said about rows */
    int seeks_copies;  /* 1: a person has one row, so look for rows that are repeated */
    int rows_repeated; /* final at the stream's end; see dp2dp_outside */
    /* What cli_odd_scores_note has seen, written by the thread that uses the rows. */
    uint64_t scored;            /* rows with scores */
    double least_sum, most_sum; /* smallest and largest sum of a row's scores, not normalized */
    int graded;                 /* 1: some score is neither 0 nor 1 */
    uint64_t first_scores;      /* hash of the scores of the first row */
    int varied;                 /* 1: at least one row has other scores than the first row */
    uint64_t weighted;          /* rows with group scores */
    int weights_graded;         /* 1: some group score is neither 0 nor 1 */
    double weight_sums[CLI_WATCHED_WEIGHTS]; /* sums of the columns of group scores, each row
                                                divided by its sum */
    /* What cli_odd_scores_note_groups has seen. */
    uint64_t grouped;    /* rows of a table of scores whose group was read */
    int32_t first_group; /* the group code of the first row */
    int groups_vary;     /* 1: another row has another group code */
    /* What cli_odd_scores_note_ids has seen. */
    uint64_t identified;           /* rows with an id */
    uint64_t ids[CLI_WATCHED_IDS]; /* the first ids that were found, each once */
    size_t id_count;               /* number of different ids, counted up to CLI_WATCHED_IDS + 1 */
    uint64_t frequent_id, id_lead; /* the only id that more than half of the rows can have, and a
                                      lower bound on the number of rows with this id */
    uint64_t alike; /* rows whose unknown group differs from a name only in blanks, case or accents
                     */
    /* What cli_labels_note has seen, written by the thread that uses the rows. */
    uint64_t guessed; /* number of records whose class with the largest score was determined */
    int32_t guess;    /* the class with the largest score in the first row */
    int guesses_vary; /* 1: in some row, another class has the largest score */
    uint64_t labelled, right; /* number of records with a label, and number of those whose label is
                                 the class with the largest score */
    cli_cut cuts[CLI_WATCHED_CLASSES];
} cli_watch;

/* Returns given_up of the watch in `context`: a callback for dp2dp_table_options.cancel. */
int cli_watch_given_up(void *context);

/* A stream whose next batch is read by a separate thread while the previous one is used. */
typedef struct cli_ahead {
    struct ArrowArrayStream *stream; /* only the reading thread touches it */
    cli_watch *watch;
    int has_reader; /* 0: there is no reading thread, since it could not be started */
    pthread_t reader;
    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t changed;
    int is_full;    /* 1: a batch, a failure or the end of the stream is waiting to be taken */
    int is_stopped; /* 1: no more batches are wanted */
    struct ArrowArray batch;
    dp2dp_status status;
    dp2dp_error error;
} cli_ahead;

/* Starts to read. The stream's table must be opened with this watch, so that watch->given_up can
 * stop the reading thread even while that thread waits for input from a pipe. The stream and the
 * watch are borrowed until cli_ahead_stop, which releases the stream. */
void cli_ahead_start(cli_ahead *ahead, struct ArrowArrayStream *stream, cli_watch *watch);
void cli_ahead_stop(cli_ahead *ahead);
/* Gets the next batch as dp2dp_stream_next does. After the end of the stream or a failure, every
 * later call gives the same result again. */
dp2dp_status cli_ahead_next(cli_ahead *ahead, struct ArrowArray *out, dp2dp_error *error);

/* As cli_stream_each, but a separate thread reads the next batch while `use` works
 * (cli_ahead_start). */
dp2dp_status cli_stream_each_ahead(struct ArrowArrayStream *stream, cli_watch *watch,
                                   cli_batch_use use, void *context, dp2dp_error *error);

#endif
