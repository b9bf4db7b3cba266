/* The schema inside the library.
 *
 * from_json.c       reads JSON and checks the types of the members
 * column.c          checks one column and makes its levels
 * layout.c          checks all columns together: names, positions of features, groups
 * to_json.c         writes JSON
 * built_in.c        the schemas of known data sets
 * schema.c          memory of a schema; loads it by name, from a file or from JSON text
 * encoder.c         encodes rows with a schema, as an Arrow stream
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
/* Separates the levels in the name of a group: a multiplication sign. */
#define DP2DPI_SCHEMA_TIMES " \xC3\x97 "

enum {
    DP2DPI_SCHEMA_MAJOR = 1,
    DP2DPI_SCHEMA_MINOR = 0,
    DP2DPI_SCHEMA_COLUMNS_MAX = 100000,
    DP2DPI_SCHEMA_LEVELS_MAX = 1 << 20,  /* levels of one column */
    DP2DPI_SCHEMA_MARKERS_MAX = 1 << 10, /* missing markers; a table has the same limit */
    DP2DPI_SCHEMA_WIDTH_MAX = 1 << 24,
    DP2DPI_SCHEMA_NAME_MAX = 512 /* bytes of a name; the same limit as in a model */
};
#define DP2DPI_SCHEMA_NORM 3.0 /* default bound R on the ℓ₂ norm of a row */

/* Largest |(x - centre) / scale| allowed for x in [lower, upper], so that a row's norm does not
 * overflow a float. */
#define DP2DPI_SCHEMA_VALUE_MAX 1e6

struct dp2dp_schema {
    dp2dp_schema_info info;
    dp2dp_schema_column *columns;
    dp2dpi_lookup *lookups;  /* one for each column */
    dp2dpi_lookup *by_value; /* one for each column; empty unless its levels are numbers */
    dp2dpi_lookup markers;
    json_t *root; /* owns the texts that were read from JSON */
    void *kept;   /* linked list of all other memory of the schema */
    char *text;
};

/* Allocates zero-filled memory that lives as long as the schema. */
dp2dp_status dp2dpi_schema_keep(dp2dp_schema *schema, size_t count, size_t size, void **out,
                                dp2dp_error *error);

dp2dp_status dp2dpi_schema_from_json(const char *text, size_t length, dp2dp_schema **out,
                                     dp2dp_error *error);
/* As dp2dpi_schema_from_json, from a JSON value. Ownership: takes the reference to root, also on
 * failure. */
dp2dp_status dp2dpi_schema_from_value(json_t *root, dp2dp_schema **out, dp2dp_error *error);
/* Writes the schema as JSON to info.text. */
dp2dp_status dp2dpi_schema_write(dp2dp_schema *schema, dp2dp_error *error);

/* Removes the blanks around the missing markers and makes their lookup. */
dp2dp_status dp2dpi_schema_index_markers(dp2dp_schema *schema, const char **markers,
                                         dp2dp_error *error);
/* Checks column i after it was read, names its levels and makes its lookup. DATA if a check fails;
 * the message names the column. */
dp2dp_status dp2dpi_schema_complete(dp2dp_schema *schema, size_t i, dp2dp_error *error);
/* Checks all columns together after each was completed. Sets the positions of the features, the
 * classes and the groups. */
dp2dp_status dp2dpi_schema_lay_out(dp2dp_schema *schema, dp2dp_error *error);

/* Returns the level that a text stands for in column i; -1 if there is none. */
static inline int32_t dp2dpi_schema_level(const dp2dp_schema *schema, size_t i, const char *text,
                                          size_t length) {
    int32_t level = dp2dpi_lookup_find(&schema->lookups[i], text, length);
    return level >= 0 ? level : dp2dpi_lookup_find_value(&schema->by_value[i], text, length);
}
/* Returns the number of cuts that are less than x, which is the level of x. */
int32_t dp2dpi_schema_cut(const dp2dp_schema_column *column, double x);

/* Returns ARGUMENT unless parts are dp2dp_part bits and the schema has columns for all of them. */
dp2dp_status dp2dpi_schema_check_parts(const dp2dp_schema_info *info, unsigned parts,
                                       dp2dp_error *error);
/* Returns the part that a column with this role belongs to; 0 if none. */
unsigned dp2dpi_schema_part(dp2dp_role role);
/* Lists the columns that the parts (dp2dp_part bits) need, and their indices in the schema. Returns
 * their number. Both arrays have room for info->column_count entries. */
size_t dp2dpi_schema_choose(const dp2dp_schema_info *info, unsigned parts,
                            dp2dp_table_column *wanted, size_t *columns);

/* The JSON text of a built-in schema; NULL if no built-in schema has this name. */
const char *dp2dpi_schema_built_in(const char *name);

#endif
