/* The pool: the records that Phase 2 learns from, each with its class probabilities and the stratum
 * it is counted under.
 *
 * For demographic parity the stratum is the record's group. A record has exactly one stratum, which
 * is private; the lists of strata and classes are public, and the caller gives them. */
#ifndef DP2DP_POOL_H
#define DP2DP_POOL_H

#include <stdint.h>

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
    size_t strata; /* J ≥ 2: stratum codes are 0..J−1 */
    dp2dp_row_sums row_sums;
    dp2dp_dither dither; /* width 0: none */
    unsigned threads;    /* 0: one per processor */
    unsigned reserved;   /* not used: older programs have padding here */
    int leaves_out; /* 1: a record may have the stratum code −1: it is left out, and its scores are
                       not read; 0: the code −1 is refused. Public: it must not depend on whether a
                       record is left out */
    dp2dp_bad_rows bad_rows; /* IGNORE: a record with such scores or such a stratum code as
                                dp2dp_pool_new refuses is left out; leaves_out is then 1, whatever
                                it says here. Public */
    size_t labels; /* Y: 0 or 1 if a stratum is a group; K if stratum g Y + y has group g and label
                      y */
    const dp2dp_matrix *weights; /* probabilities of the J strata, or of the J/Y groups, for a rule
                                    that does not see the group; NULL: the rule sees the group */
    dp2dp_counted counted;       /* SCORES: strata has group codes, and may be NULL if there are
                                    weights */
    dp2dp_dither_key dither_key;
    const uint64_t *ids; /* for the dither key `id`: one number for each record */
} dp2dp_pool_options;

DP2DP_DEFINE_DEFAULT(dp2dp_pool_options, DP2DP_STRUCT_POOL_OPTIONS)
#define DP2DP_POOL_OPTIONS_INIT dp2dp_pool_options_default()

/* Copies the scores once, as float32, laid out for counting. Refuses a score that is negative or
 * not a number, a row that does not sum to 1, and a stratum code outside 0..J−1; the error names
 * row and column. With bad_rows IGNORE such a record is left out instead. A record that is left out
 * counts in N and keeps its position, which the dither uses. Privacy: validation happens here,
 * before anything is released; the records themselves leave only through charged releases.
 * Ownership: the pool does not depend on the views, is immutable, and threads may share it; free
 * accepts NULL. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_pool_new(
    const dp2dp_matrix *scores, const dp2dp_column *strata, const dp2dp_pool_options *options,
    dp2dp_pool **out, dp2dp_error *error);
DP2DP_API void dp2dp_pool_free(dp2dp_pool *pool);

/* A source answers one question: how many records of stratum e get class k under the offsets, by
 * its rule (dp2dp_rule)? It counts each record in exactly one of the J ×
 * K cells, or, if leaves_out is 1, in one more cell: the records that are left out. All cells sum
 * to N. If counted is SCORES, a record adds to the cells of one class numbers that sum to at most
 * 1. The privacy argument needs this property and nothing else from a source; a custom source
 * must guarantee it. Counts add over shards, so a source may span files, machines or sites. */
typedef struct dp2dp_source {
    size_t struct_size;
    uint64_t records;        /* N, public */
    size_t strata;           /* J */
    size_t classes;          /* K */
    dp2dp_row_sums row_sums; /* row_sums is applied to the scores first, */
    dp2dp_dither dither;     /* then the dither; predict does the same */
    void *context;
    /* Overwrites all J × K cells of table, row-major by stratum, and after them, if leaves_out is
     * 1, the number of records that are left out; offsets are J × K. */
    dp2dp_status (*count)(void *context, const float *offsets, int64_t *table, dp2dp_error *error);
    int leaves_out;  /* 1: records may be left out, and the table has the extra cell; public */
    dp2dp_rule rule; /* how the offsets decide (dp2dp/model.h) */
    size_t labels;   /* Y: 0 or 1 without labels, else K */
    dp2dp_counted counted; /* SCORES: a record adds non-negative numbers that sum to at most 1 to
                              the cells of one class */
    dp2dp_dither_key dither_key;
    unsigned unit_bits;    /* the table is in units of 2^-unit_bits, from 0 to 24; 0 unless
                              counted is SCORES */
    size_t weight_columns; /* of the rule `weighted`: J or J/Y; else 0 */
} dp2dp_source;

DP2DP_DEFINE_DEFAULT(dp2dp_source, DP2DP_STRUCT_SOURCE)
#define DP2DP_SOURCE_INIT dp2dp_source_default()

/* Sets up *source, which comes from DP2DP_SOURCE_INIT, to count the records of the pool. */
DP2DP_API void dp2dp_pool_fill_source(const dp2dp_pool *pool, dp2dp_source *source);

/* The pool as a source. Ownership: borrows the pool. */
static inline dp2dp_source dp2dp_pool_source(const dp2dp_pool *pool) {
    dp2dp_source source = DP2DP_SOURCE_INIT;
    dp2dp_pool_fill_source(pool, &source);
    return source;
}

#ifdef __cplusplus
}
#endif
#endif
