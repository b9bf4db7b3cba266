/* The pool: the records that Phase 2 learns from. Each record has class probabilities and a stratum
 * under which it is counted.
 *
 * For demographic parity the stratum is the record's group. Every record has exactly one stratum,
 * which is private. The lists of strata and classes are public, and the caller gives them. */
#ifndef DP2DP_POOL_H
#define DP2DP_POOL_H

#include <stdint.h>

#include <dp2dp/arrow.h>
#include <dp2dp/data.h>
#include <dp2dp/model.h>
#include <dp2dp/options.h>
#include <dp2dp/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dp2dp_pool dp2dp_pool;

typedef struct dp2dp_pool_options {
    size_t struct_size;
    size_t strata; /* number of strata, at least 2; stratum codes count from 0 */
    dp2dp_row_sums row_sums;
    dp2dp_dither dither; /* width 0 means no dither */
    unsigned threads;    /* 0: one per processor */
    unsigned reserved;   /* unused; older programs have padding here */
    int leaves_out; /* 1: a record with the stratum code −1 is left out, and its scores are not
                       read. 0: the code −1 is refused. Public: the choice must not depend on
                       whether a record is left out */
    dp2dp_bad_rows bad_rows; /* IGNORE: a record is left out if dp2dp_pool_new would refuse its
                                scores or its stratum code; the pool then acts as if leaves_out were
                                1. Public: the choice must not depend on the records */
    size_t labels; /* 0 or 1 if a stratum is a group. Otherwise the number of classes: stratum g ×
                      labels + y then has group g and label y */
    const dp2dp_matrix *weights; /* probabilities of the strata, or of the groups, for a rule that
                                    does not see the group; NULL if the rule sees the group */
    /* How records are counted. LABELS: the argument `strata` of dp2dp_pool_new holds stratum codes.
     * SCORES: that argument holds group codes, and may be NULL if there are weights. */
    dp2dp_counted counted;
    dp2dp_dither_key dither_key;
    const uint64_t *ids; /* only for the dither key `id`: one number for each record */
    /* How many records each row stands for, at least 1. NULL: every row is one record. A row that
     * stands for w records counts as w equal rows. Do not use this for survey weights: a person
     * whose row stands for w records needs rows_per_person >= w. Not allowed with a dither, because
     * the records of a row would need different random numbers */
    const uint64_t *multiplicity;
    /* The number b of bits that scores are rounded to, from 1 to 20. After row_sums each score p,
     * in float32, becomes floor(p 2^b + 1/2) / 2^b. Weights are not rounded. The model stores b,
     * and predict rounds scores in the same way. 0: no rounding */
    unsigned grid_bits;
} dp2dp_pool_options;

DP2DP_DEFINE_DEFAULT(dp2dp_pool_options, DP2DP_STRUCT_POOL_OPTIONS)
#define DP2DP_POOL_OPTIONS_INIT dp2dp_pool_options_default()

/* Makes a pool. Copies the scores once, as float32, laid out for counting.
 *
 * Refuses a score that is negative or not a number, a row that does not sum to 1, and a stratum
 * code out of range; the error names row and column. With grid_bits = b, each score may have been
 * rounded already, so the allowed difference of the sum from 1 is larger by classes / 2^(b+1). With
 * bad_rows IGNORE, a record that would be refused is left out instead, but a bad multiplicity is
 * always refused. A record that is left out counts in the number of records and keeps its position,
 * which the dither uses.
 *
 * The multiplicities must sum to at most 2^48, or to less than 2^42 if counted is SCORES; dp2dp_fit
 * may allow fewer records. A pool may have no record or only one, because it may be a part of a
 * larger table. A fit needs at least two records.
 *
 * Privacy: validation happens here, before anything is released. Afterwards, records influence
 * results only through charged releases. Ownership: the pool does not depend on the views. It is
 * immutable, and threads may share it; free accepts NULL. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_pool_new(
    const dp2dp_matrix *scores, const dp2dp_column *strata, const dp2dp_pool_options *options,
    dp2dp_pool **out, dp2dp_error *error);
DP2DP_API void dp2dp_pool_free(dp2dp_pool *pool);

/* Returns a bit for each suspicious fact about the records; 0 if there is none. Bits below
 * DP2DP_WARNING_MEASURED are dp2dp_oddity bits. The others are the dp2dp_warning bits
 * ROWS_REPEATED, SURVEY_WEIGHTS, WEIGHTS_TELL_NOTHING and WEIGHTS_UNCALIBRATED and, if records are
 * counted under their labels, LABELS_ARE_DECISIONS, WORSE_THAN_GUESSING and
 * NO_BETTER_THAN_GUESSING. Privacy: NONE. The answer is exact, so show it only to somebody who may
 * see the records. Do not call this function if bad rows are ignored, because then nothing visible
 * may depend on a bad row. */
DP2DP_API unsigned dp2dp_pool_warnings(const dp2dp_pool *pool);

/* The columns of an Arrow stream that a pool is made from. Groups and labels are codes, or values
 * that stand for names in a public list. dp2dp_table_codes says which name a value stands for; an
 * integer is compared as decimal text. Columns may be dictionaries or slices and may have nulls. */
typedef struct dp2dp_pool_columns {
    size_t struct_size;
    size_t classes;
    /* Give either `scores` or `score_list`. scores: the score columns, one for each class, with
     * floats or integers. score_list: one column with a list of `classes` floats in each row, as
     * dp2dp_model_score gives. */
    const char *const *scores;
    const char *score_list;
    const char *group; /* column of groups; may be NULL only if dp2dp_pool_new would accept NULL for
                          `strata` */
    const char *const *group_names; /* names of the groups; NULL: the column holds codes */
    const char *label; /* column of true classes; NULL if records are counted under their group
                          alone */
    const char *const *label_names; /* names of the classes; NULL: the column holds codes */
    /* For a rule that does not see the group, give either `weights` or `weight_list`. weights: the
     * columns of weights. weight_list: one column with a list of weights in each row. weight_count
     * is the number of weights in a row; 0 if there are no weights. */
    const char *const *weights;
    const char *weight_list;
    size_t weight_count;
    const char *id; /* column of ids, only for the dither key `id`: texts or integers, as for
                       dp2dp_dither_id */
    const char *multiplicity; /* column with the number of records that each row stands for; NULL:
                                 every row is one record */
} dp2dp_pool_columns;

DP2DP_DEFINE_DEFAULT(dp2dp_pool_columns, DP2DP_STRUCT_POOL_COLUMNS)
#define DP2DP_POOL_COLUMNS_INIT dp2dp_pool_columns_default()

/* Makes the same pool as dp2dp_pool_new would make from these rows, in one pass over a stream.
 * Needs only the memory of the pool itself and a few megabytes. options->strata is the number of
 * groups, or of groups × labels if options->labels is above 1; options->weights, options->ids and
 * options->multiplicity must be NULL.
 *
 * Scores are read as float32 if all score columns are float32, and as float64 otherwise; the sum of
 * a row is checked before the scores become float32. A row is bad if it has a null, a value that is
 * not in the list of names, or an empty id. If leaves_out is 1, a record with the group or label
 * code −1 is left out; a column of names cannot have the code −1. Ownership: rows is read to its
 * end and released, also on failure. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_pool_read(
    struct ArrowArrayStream *rows, const dp2dp_pool_columns *columns,
    const dp2dp_pool_options *options, dp2dp_pool **out, dp2dp_error *error);

/* A source answers one question: for given offsets of the rule (dp2dp_rule), how many records of
 * each stratum get each class? The answer is a strata × classes table. If leaves_out is 1, the
 * table has one more cell, for the records that are left out.
 *
 * If counted is LABELS, every record adds 1 to exactly one cell, so all cells sum to the number of
 * records. If counted is SCORES, a record that is not left out is divided among the strata: for the
 * class that the record gets, the cell of every stratum grows by a non-negative number. The sum of
 * these numbers is at most 1, and they do not depend on the offsets.
 *
 * Privacy: the proof needs only that every record is counted in this way. A custom source must
 * guarantee this. dp2dp_fit and dp2dp_certify refuse a table with a negative count or a wrong sum.
 * dp2dp_fit also refuses a table whose row sums differ from those of the first table. These checks
 * do not find every fault. For example, they do not notice that a source counts one person twice
 * and leaves out another. The tables of several shards may be added up, so a source may span files,
 * machines or sites. */
typedef struct dp2dp_source {
    size_t struct_size;
    uint64_t records; /* public number of records, from 2 to 2^48; some fits have a lower maximum */
    size_t strata;
    size_t classes;
    /* What to do, before anything else, with rows of scores that do not sum to 1. */
    dp2dp_row_sums row_sums;
    dp2dp_dither dither; /* added to the scores after row_sums; predict does the same */
    void *context;
    /* Overwrites all strata × classes cells of table, row-major by stratum. If leaves_out is 1, the
     * next cell gets the number of records that are left out, in the same unit. offsets is strata ×
     * classes. If count returns a status other than OK, the function that called it (such as
     * dp2dp_fit) fails with IO. The returned status and the message in *error are not shown,
     * because both may depend on a record. */
    dp2dp_status (*count)(void *context, const float *offsets, int64_t *table, dp2dp_error *error);
    int leaves_out;  /* 1 if records may be left out and the table has the extra cell; public */
    dp2dp_rule rule; /* how the offsets decide (dp2dp/model.h) */
    size_t labels;   /* number of labels: 0 or 1 without labels, else the number of classes */
    dp2dp_counted counted; /* LABELS: a record adds 1 to the cell of its stratum and class. SCORES:
                              a record adds a non-negative number to every cell of its class; the
                              sum of these numbers is at most 1 */
    dp2dp_dither_key dither_key;
    /* The unit of the table is 2^-unit_bits: a cell with the number n counts as n × 2^-unit_bits
     * records. unit_bits is at most 24, and 0 if counted is LABELS. */
    unsigned unit_bits;
    size_t weight_columns; /* number of weights of a record: for the rule `weighted`, the number of
                              strata or of groups; else 0 */
    unsigned grid_bits;    /* the scores are rounded as in dp2dp_pool_options, after row_sums and
                              before the dither; 0: no rounding */
} dp2dp_source;

DP2DP_DEFINE_DEFAULT(dp2dp_source, DP2DP_STRUCT_SOURCE)
#define DP2DP_SOURCE_INIT dp2dp_source_default()

/* Sets up *source, which must come from DP2DP_SOURCE_INIT, as a source that counts the records of
 * this pool. Nothing is counted yet. */
DP2DP_API void dp2dp_pool_fill_source(const dp2dp_pool *pool, dp2dp_source *source);

/* Returns a source that counts the records of the pool. Ownership: borrows the pool. */
static inline dp2dp_source dp2dp_pool_source(const dp2dp_pool *pool) {
    dp2dp_source source = DP2DP_SOURCE_INIT;
    dp2dp_pool_fill_source(pool, &source);
    return source;
}

/* Counts the records of one part of the data, for a source that adds up the tables of all parts.
 * table has options->strata × classes cells, row-major by stratum. If options->leaves_out is 1 or
 * options->bad_rows is IGNORE, table has one more cell, for the records that are left out. If
 * options->counted is SCORES, the unit of the table is 2^-20 records. Refuses the rows that
 * dp2dp_pool_new refuses, and a dither with the key `row`, because the position of a record among
 * all records is not known. Privacy: the table is exact. Give the table only to a source, and never
 * publish it. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_count(
    const dp2dp_matrix *scores, const dp2dp_column *strata, const dp2dp_pool_options *options,
    const float *offsets, int64_t *table, dp2dp_error *error);

#ifdef __cplusplus
}
#endif
#endif
