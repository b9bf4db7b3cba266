#ifndef DP2DPI_SCHEMA_BLOCK_H
#define DP2DPI_SCHEMA_BLOCK_H

#include <dp2dp/schema.h>

#include "num/rows.h"

/* Bits for internal use, beside the public dp2dp_part bits. Each bit says that the stream has one
 * kind of probabilities instead of features. */
enum {
    DP2DPI_PART_SCORES = 1 << 8,
    DP2DPI_PART_GROUP_WEIGHTS = 1 << 9,
    DP2DPI_PART_STRATUM_WEIGHTS = 1 << 10
};

typedef struct dp2dpi_block {
    dp2dpi_rows rows;       /* the encoded features; rows.count is set even if the block has no
                               features */
    int64_t *positions;     /* index of each row in the caller's table, counted from 0 */
    int32_t *labels;        /* NULL if the block has no labels */
    int32_t *groups;        /* NULL if the block has no groups */
    float *scores;          /* rows.count × number of classes; NULL if the block has no scores */
    int8_t *left_out;       /* for each row, 1 if it is left out; NULL if no row can be left out */
    int8_t *findings;       /* a dp2dp_finding for each row and column; NULL if the block has no
                               findings */
    int8_t *outcomes;       /* a dp2dp_outcome for each row; NULL if the block has no outcomes */
    float *group_weights;   /* rows.count × number of groups; NULL if the block has no such
                               weights */
    float *stratum_weights; /* rows.count × number of groups × number of classes; NULL if the block
                               has no such weights */
} dp2dpi_block;

/* The columns of an Arrow stream of encoded rows, in the order of the stream. */
typedef enum dp2dpi_encoded_child {
    DP2DPI_ENCODED_ROW = 0,
    DP2DPI_ENCODED_NUMBERS,
    DP2DPI_ENCODED_LEVELS,
    DP2DPI_ENCODED_SCALE,
    DP2DPI_ENCODED_SCORES,
    DP2DPI_ENCODED_LABEL,
    DP2DPI_ENCODED_GROUP,
    DP2DPI_ENCODED_LEFT_OUT,
    DP2DPI_ENCODED_FINDINGS,
    DP2DPI_ENCODED_OUTCOME,
    DP2DPI_ENCODED_GROUP_WEIGHTS,
    DP2DPI_ENCODED_STRATUM_WEIGHTS,
    DP2DPI_ENCODED_CHILDREN
} dp2dpi_encoded_child;

typedef struct dp2dpi_encoded_column {
    const char *name;
    const char *format; /* Arrow format string of one value */
    size_t size;        /* bytes of one value */
    unsigned part;      /* the dp2dp_part bit that asks for the column; 0 if every stream has the
                           column */
} dp2dpi_encoded_column;

extern const dp2dpi_encoded_column dp2dpi_encoded_columns[DP2DPI_ENCODED_CHILDREN];

enum {
    DP2DPI_ENCODED_FORMAT_SIZE = 32 /* bytes for the list format "+w:<each>" */
};

/* Returns the length of the lists in a column; SIZE_MAX if the column has plain values. */
size_t dp2dpi_encoded_each(const dp2dp_schema_info *info, dp2dpi_encoded_child child);

void dp2dpi_block_free(dp2dpi_block *block);

/* Moves the columns that `parts` needs from a block into an Arrow array. Ownership: the caller
 * frees the block, which keeps the columns that were not moved. */
dp2dp_status dp2dpi_block_publish(dp2dpi_block *block, unsigned parts,
                                  const dp2dp_schema_info *info, struct ArrowArray *out,
                                  dp2dp_error *error);
/* Makes the Arrow type of the arrays that dp2dpi_block_publish makes. */
dp2dp_status dp2dpi_block_describe(const dp2dp_schema_info *info, unsigned parts,
                                   struct ArrowSchema *out, dp2dp_error *error);

#endif
