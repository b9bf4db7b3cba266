/* The schema inside the library.
 *
 * from_json.c       text in: types of the members
 * column.c          one column: what must hold of it, its levels
 * layout.c          all columns together: names, positions of the features, groups
 * to_json.c         text out
 * built_in.c        the schemas of known data sets
 * schema.c          life, and where a schema comes from
 * encoder.c         rows through a schema
 * encoder_stream.c  the same as an Arrow stream */
#ifndef DP2DPI_SCHEMA_SCHEMA_H
#define DP2DPI_SCHEMA_SCHEMA_H

#include <stdint.h>

#include <dp2dp/schema.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/words.h"

#define DP2DPI_SCHEMA_FORMAT "dp2dp-schema"
#define DP2DPI_SCHEMA_UNKNOWN "(unknown)"
#define DP2DPI_SCHEMA_MISSING "(missing)"
/* Between the levels of a group: a multiplication sign. */
#define DP2DPI_SCHEMA_TIMES " \xC3\x97 "

enum {
    DP2DPI_SCHEMA_MAJOR = 1,
    DP2DPI_SCHEMA_MINOR = 0,
    DP2DPI_SCHEMA_COLUMNS_MAX = 100000,
    DP2DPI_SCHEMA_LEVELS_MAX = 1 << 20,  /* of one column */
    DP2DPI_SCHEMA_MARKERS_MAX = 1 << 10, /* as many as a table may have */
    DP2DPI_SCHEMA_WIDTH_MAX = 1 << 24,
    DP2DPI_SCHEMA_NAME_MAX = 512 /* bytes, as in a model */
};
#define DP2DPI_SCHEMA_NORM 3.0 /* R where none is given */

/* Largest |(x - centre) / scale| within the bounds: a row's norm must not overflow a float. */
#define DP2DPI_SCHEMA_VALUE_MAX 1e6

/* A text and the level it means; sorted by length, then bytes. */
typedef struct dp2dpi_meaning {
    const char *text;
    size_t length;
    int32_t level;
} dp2dpi_meaning;

typedef struct dp2dpi_lookup {
    dp2dpi_meaning *meanings;
    size_t count;
} dp2dpi_lookup;

struct dp2dp_schema {
    dp2dp_schema_info info;
    dp2dp_schema_column *columns;
    dp2dpi_lookup *lookups; /* one for each column */
    dp2dpi_lookup markers;
    json_t *root; /* owns the texts that were read */
    void *kept;   /* all other memory, as a list of blocks */
    char *text;
};

/* Zero-filled memory that lives as long as the schema. */
dp2dp_status dp2dpi_schema_keep(dp2dp_schema *schema, size_t count, size_t size, void **out,
                                dp2dp_error *error);

dp2dp_status dp2dpi_schema_from_json(const char *text, size_t length, dp2dp_schema **out,
                                     dp2dp_error *error);
/* The same from a JSON value. Ownership: takes the reference to root, also on failure. */
dp2dp_status dp2dpi_schema_from_value(json_t *root, dp2dp_schema **out, dp2dp_error *error);
/* Sets info.text. */
dp2dp_status dp2dpi_schema_write(dp2dp_schema *schema, dp2dp_error *error);

/* Trims the markers and builds their lookup. */
dp2dp_status dp2dpi_schema_index_markers(dp2dp_schema *schema, const char **markers,
                                         dp2dp_error *error);
/* Checks what was read of column i and completes it: names of all levels, the lookup. DATA, with
 * the name of the column. */
dp2dp_status dp2dpi_schema_complete(dp2dp_schema *schema, size_t i, dp2dp_error *error);
/* Finishes the schema, once all columns are complete. */
dp2dp_status dp2dpi_schema_lay_out(dp2dp_schema *schema, dp2dp_error *error);

/* The level that a text means, -1: none. */
int32_t dp2dpi_schema_level(const dp2dpi_lookup *lookup, const char *text, size_t length);
/* How many cuts are below x. */
int32_t dp2dpi_schema_cut(const dp2dp_schema_column *column, double x);

/* The text of a built-in schema, NULL: none of that name. */
const char *dp2dpi_schema_built_in(const char *name);

#endif
