/* The internal form of a schema.
 *
 * from_json.c       reads JSON and checks the types of the members
 * column.c          checks one column and makes its levels
 * layout.c          checks all columns together: names, positions of features, groups
 * to_json.c         writes JSON
 * built_in.c        the schemas of known data sets
 * schema.c          memory of a schema; loads it by name, from a file or from JSON text
 * encoder.c         encodes rows with a schema, as an Arrow stream
 * parts.c           which columns the parts of a row need
 * spread.c          where the numbers of a column lie within its bounds
 * tells.c           whether the values of a feature reveal the group or the label
 * marks.c           whether one class has values of a feature that no other class has
 * block.c           the Arrow form of encoded rows
 * open.c            opens a table file and encodes its rows */
#ifndef DP2DPI_SCHEMA_SCHEMA_H
#define DP2DPI_SCHEMA_SCHEMA_H

#include <stdint.h>

#include <dp2dp/schema.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/lookup.h"
#include "base/words.h"

#define DP2DPI_SCHEMA_FORMAT "dp2dp-schema"
#define DP2DPI_SCHEMA_UNKNOWN "(unknown)"
#define DP2DPI_SCHEMA_MISSING "(missing)"
/* Separates the levels in the name of a group: a multiplication sign between two blanks. */
#define DP2DPI_SCHEMA_TIMES " \xC3\x97 "

enum {
    DP2DPI_SCHEMA_MAJOR = 1,
    DP2DPI_SCHEMA_MINOR = 0,
    DP2DPI_SCHEMA_COLUMNS_MAX = 100000,
    DP2DPI_SCHEMA_LEVELS_MAX = 1 << 20, /* largest number of levels of one column */
    DP2DPI_SCHEMA_MARKERS_MAX =
        1 << 10, /* largest number of markers of missing values; a table has the same limit */
    DP2DPI_SCHEMA_WIDTH_MAX = 1 << 24,
    DP2DPI_SCHEMA_NAME_MAX = 512 /* longest name, in bytes; a model has the same limit */
};
#define DP2DPI_SCHEMA_NORM 3.0 /* default bound on the ℓ₂ norm of a row */

/* Largest |(x - centre) / scale| allowed for x in [lower, upper], so that the norm of a row fits a
 * float. */
#define DP2DPI_SCHEMA_VALUE_MAX 1e6

struct dp2dp_schema {
    dp2dp_schema_info info;
    dp2dp_schema_column *columns;
    dp2dpi_lookup *lookups;
    dp2dpi_lookup *by_value; /* for each column, a lookup of levels by their value as a number (1.0
                                finds "1"); empty if some level is not a number */
    dp2dpi_lookup markers;
    json_t *root; /* owns the texts that were read from JSON */
    void *kept;   /* linked list of all memory that dp2dpi_schema_keep allocated */
    char *text;
};

dp2dp_status dp2dpi_schema_keep(dp2dp_schema *schema, size_t count, size_t size, void **out,
                                dp2dp_error *error);

dp2dp_status dp2dpi_schema_from_json(const char *text, size_t length, dp2dp_schema **out,
                                     dp2dp_error *error);
/* Reads a schema from a JSON value, like dp2dpi_schema_from_json. Ownership: takes the reference to
 * root, also on failure. */
dp2dp_status dp2dpi_schema_from_value(json_t *root, dp2dp_schema **out, dp2dp_error *error);
dp2dp_status dp2dpi_schema_write(dp2dp_schema *schema, dp2dp_error *error);

/* Removes the blanks around the markers of missing values and makes the lookup of the markers. */
dp2dp_status dp2dpi_schema_index_markers(dp2dp_schema *schema, const char **markers,
                                         dp2dp_error *error);
/* Checks column i after the column was read, names its levels and makes its lookup. If a check
 * fails, fails with DATA and names the column. */
dp2dp_status dp2dpi_schema_complete(dp2dp_schema *schema, size_t i, dp2dp_error *error);
/* Checks all columns together, after dp2dpi_schema_complete for each column. Sets the positions of
 * the features, the classes and the groups. */
dp2dp_status dp2dpi_schema_lay_out(dp2dp_schema *schema, dp2dp_error *error);

/* Returns the level that a text stands for in column i; -1 if the text is unknown. */
static inline int32_t dp2dpi_schema_level(const dp2dp_schema *schema, size_t i, const char *text,
                                          size_t length) {
    int32_t level = dp2dpi_lookup_find(&schema->lookups[i], text, length);
    return level >= 0 ? level : dp2dpi_lookup_find_value(&schema->by_value[i], text, length);
}
/* Returns the level of x: the number of cuts that are less than x. */
int32_t dp2dpi_schema_cut(const dp2dp_schema_column *column, double x);

/* Fails with ARGUMENT if `parts` is not a valid combination of dp2dp_part bits, or if it asks for a
 * column that the schema lacks. */
dp2dp_status dp2dpi_schema_check_parts(const dp2dp_schema_info *info, unsigned parts,
                                       dp2dp_error *error);
/* Returns the dp2dp_part to which a column with this role belongs; 0 if there is no such part. */
unsigned dp2dpi_schema_part(dp2dp_role role);
/* Writes the columns that `parts` (dp2dp_part bits) needs to `wanted`, and their positions in the
 * schema to `columns`. Returns the number of these columns. Each array has room for
 * info->column_count entries. */
size_t dp2dpi_schema_choose(const dp2dp_schema_info *info, unsigned parts,
                            dp2dp_table_column *wanted, size_t *columns);

/* Where to count values while rows are encoded: the members `outside` and `spreads` of
 * dp2dp_table_options. Each pointer may be NULL. */
typedef struct dp2dpi_schema_counts {
    dp2dp_outside *outside;
    dp2dp_spread *spreads;
} dp2dpi_schema_counts;

/* Encodes rows like dp2dp_schema_encode and also counts values. `counts` may be NULL; otherwise it
 * says where to count the values. The arrays that `counts` points to are borrowed until *out is
 * released. */
dp2dp_status dp2dpi_schema_encode(const dp2dp_schema *schema, unsigned parts,
                                  struct ArrowArrayStream *rows, const char *source,
                                  const dp2dpi_schema_counts *counts, struct ArrowArrayStream *out,
                                  dp2dp_error *error);

/* Returns the JSON text of a built-in schema; NULL if no built-in schema has this name. */
const char *dp2dpi_schema_built_in(const char *name);

#endif
