/* Reads CSV, NPY and NPZ files, plain or compressed, as Arrow record batches, in constant memory.
 * With DuckDB, also reads SQL queries and Parquet files, and writes Parquet files
 * (docs/tables.md). */
#ifndef DP2DP_TABLE_H
#define DP2DP_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include <dp2dp/arrow.h>
#include <dp2dp/data.h>
#include <dp2dp/options.h>
#include <dp2dp/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How to read the values of a column. The caller decides, and nothing is guessed from the rows. */
typedef enum dp2dp_table_type {
    /* float64, Arrow format "g". An NPY file or a query of float32 numbers gives Arrow format "f",
     * which shows the precision of the source. */
    DP2DP_TABLE_NUMBER = 1,
    DP2DP_TABLE_TEXT = 2 /* UTF-8, Arrow format "u"; integers of an NPY file or query become decimal
                            text */
} dp2dp_table_type;

typedef struct dp2dp_table_column {
    const char *name; /* UTF-8; must equal the name in the header byte for byte */
    dp2dp_table_type type;
} dp2dp_table_column;

/* Where the column names of a CSV file come from. NPY columns are always "0", "1", … */
typedef enum dp2dp_table_header {
    DP2DP_TABLE_HEADER_FIRST_LINE = 0,
    DP2DP_TABLE_HEADER_NONE = 1 /* every line is a row, and the columns are "0", "1", … */
} dp2dp_table_header;

/* What the values of a column look like: where they lie between the bounds or cuts, whether all are
 * the same, and whether they reveal the group. NOT PRIVATE: the counts are exact. The comment above
 * each member says for which kind of column the member is measured; for other columns the member is
 * 0. */
typedef struct dp2dp_spread {
    /* The next members are for a feature that is encoded as a number. The feature must have log1p,
     * or a scale that is not small compared with the bounds of the schema. `lower` and `upper` are
     * the ends of the strip, which is an interval between these bounds. The strip is a fiftieth as
     * wide as the range between the bounds, and lies where it holds the most numbers. With log1p,
     * the strip is a thousandth as wide as this range, and begins at the lower bound. */
    uint64_t values; /* how many numbers are not 0, not equal to a bound and not missing */
    uint64_t inside; /* how many of these numbers are in the strip */
    double lower, upper;
    int is_narrow; /* 1: the column probably uses another unit than the schema. Set in two cases.
                      (a) There are at least 20 values, more than 99 % of them are in the strip, and
                      those in the strip include at least 10 different numbers. (b) There are only 5
                      to 19 values, nearly all different; each is at most a thousandth of the range
                      between the bounds away from 0 (or from the bound nearest to 0); and at least
                      one other column is like this too. In case (b), the strip consists of all
                      numbers that are this near */
    /* The next members are for a sensitive column or a label. */
    int has_one_level; /* 1: all values have the same level. There must be at least 20 values if the
                          column has cuts, or 100 if it has a list of levels. For a column with cuts
                          and at least 200 values, also 1 if more than 99.5 % of the values have the
                          same level */
    size_t level;      /* this level */
    uint64_t in_level; /* how many values have this level */
    /* The next member is for any feature, if features and groups are encoded together. */
    int tells_group; /* 1: each value of the column was seen in one group only, so the column
                        reveals the group to a rule that must not see it. Set only if there are at
                        most 20 different values, at least 10 rows per value on average, and at
                        least 20 rows outside the largest group */
    /* The next member is for any feature, if features and labels are encoded together. */
    int tells_label; /* 1: each value of the column was seen with one class only, so the column may
                        be a copy of the label. Set under the conditions of tells_group. Also set if
                        each class has its own range of numbers, no two ranges overlap, and at least
                        100 people are on each side of some gap between the ranges */
    /* The next two members are for any feature. */
    int has_one_value; /* 1: all values are the same. There must be at least 100 values, or 1000 if
                          the value is a text, 0 or a bound */
    int has_thousands; /* 1: most numbers, not counting zeros, are fractions of up to three
                          decimals, and the larger numbers are whole and below 1000. A dot that
                          separates thousands, as in 2.345, was then probably read as a decimal
                          point */
    /* The next members are for any column. */
    uint64_t all; /* number of values that are not missing */
    /* How many numbers of a feature are not 0 (`numbers`), and how many are not whole
     * (`fractions`). Counting stops early if has_thousands cannot become 1. */
    uint64_t numbers, fractions;
    /* For a feature that is encoded as a number: how often one number outside the bounds occurs,
     * such as -999 for a missing value. The number must occur at least 20 times, and make up at
     * least 95 % of the values beyond the same bound; otherwise same_outside is 0. The count may be
     * too small: if other values outside the bounds come first, the count may miss the first
     * occurrences of the number. */
    uint64_t same_outside;
    /* For a feature of numbers. 1: the numbers are probably ids of people or positions in a table.
     * There are at least 1000 numbers. As far as a sample shows, all are different. All numbers are
     * whole, and lie in a range of at most 20 times the number of values. */
    int are_ids;
    /* For a feature of numbers with at least one value: the smallest and the largest value. If
     * these are exactly the bounds of the schema, the bounds were probably read off the rows. */
    double smallest, largest;
    /* For a feature that is encoded as a number: how often a number such as 999 or -1 occurs that
     * probably stands for a missing value, although it is within the bounds. It is the largest
     * number of the column or, if is_lowest is 1, the smallest one. All its digits are 9, or it is
     * -1. At least 20 values, and at least one value in 100, are this number, and its distance to
     * all other numbers is at least 3 times the range of these others. If there is no such number,
     * same_inside is 0. */
    uint64_t same_inside;
    int is_lowest;
    /* For any feature, if features and labels are encoded together. 1: exactly the people with the
     * class `marked` have a certain value, or exactly these people have no value. 2: exactly the
     * people with this class have a number that is neither 0 nor missing. Set only if at least 100
     * people have the class, and at least 100 others do not. */
    int marks_label;
    size_t marked;
    /* For a column of texts, if its list lacks some of them: how often one and the same unlisted
     * text occurs. It must occur at least 20 times, and make up at least 95 % of the unlisted
     * texts; otherwise 0. The count may be too small, like same_outside. */
    uint64_t same_unlisted;
    /* For a column of texts: how many unlisted texts look like missing values, such as NA or ?
     * (DP2DP_WORDS_MISSING, in upper or lower case). 0 if there are fewer than 20. */
    uint64_t missing_unlisted;
} dp2dp_spread;

/* Counts of values that a schema has to change. NOT PRIVATE: the counts are exact. */
typedef struct dp2dp_outside {
    uint64_t rows;     /* rows that were encoded, without those that are left out */
    uint64_t *columns; /* for every column of the schema: numbers outside its bounds, which are
                          clipped, and texts that are not in its list, which become "(unknown)" */
    /* With DP2DP_PART_GROUP, for every group of the schema: rows that were encoded, and rows that
     * are left out because a value is missing. A row whose group is unknown is counted in neither
     * array. Both pointers may be NULL. */
    uint64_t *kept, *left_out;
    /* Set with each batch, also with DP2DP_PART_FINDINGS. 1: far more rows than chance allows are
     * equal to another row in all columns that are read; the table may have been joined to itself.
     * 0: otherwise. May be NULL. */
    int *rows_repeated;
} dp2dp_outside;

typedef struct dp2dp_table_options {
    size_t struct_size;
    /* Columns to read, in this order. NULL and 0: every column of the file, as text. A CSV file
     * whose first line has a number is then refused, because that line may hold someone's
     * values. */
    const dp2dp_table_column *columns;
    size_t column_count;
    char separator; /* CSV: an ASCII character other than a letter, digit, quote, '+', '-', '.' or
                       line end */
    dp2dp_table_header header;
    size_t skip_lines; /* CSV: lines to skip before the table; at most 2^20 */
    /* Texts that mark a missing value, such as "" and "NA". A CSV field is compared without the
     * quotes and blanks around it. Missing values are Arrow nulls; a missing number also has the
     * value NaN. By default there are no markers, so an empty field is an error in a number column
     * and an empty text in a text column. */
    const char *const *missing;
    size_t missing_count;
    /* Largest number of rows in one batch, from 1 to 2^24. Wide tables and long texts give smaller
     * batches. */
    size_t chunk_rows;
    /* The thread that opens the table or calls get_next calls this function before every block and
     * every batch, and repeatedly while it waits for input. A return value other than 0 cancels.
     * May be NULL. */
    int (*cancel)(void *context);
    void *cancel_context;
    uint64_t *rows_read; /* grows by the number of rows in each batch; may be NULL */
    /* IGNORE: a row is null in the struct array if one of its values cannot be read; the other
     * values of the row then mean nothing. Values that cannot be read are a text in a number
     * column, a number out of range, a text that is not UTF-8, and an SQL NULL if `missing` has no
     * markers. Faults of the file itself are always refused: a line with more or fewer fields than
     * the first line, misplaced quotes, an empty line among the rows, a lone carriage return, a NUL
     * byte in CSV, and damaged compression. */
    dp2dp_bad_rows bad_rows;
    /* For dp2dp_schema_open: counts that grow with each batch of encoded rows; may be NULL, and is
     * not used with DP2DP_PART_IGNORE_BAD. If most values of a column are outside its bounds or
     * list, the column probably uses another unit or spelling than the schema. */
    dp2dp_outside *outside;
    /* For dp2dp_schema_open: one element for every column of the schema, which is filled in with
     * each batch, also with DP2DP_PART_FINDINGS; may be NULL, and is not used with
     * DP2DP_PART_IGNORE_BAD. */
    dp2dp_spread *spreads;
} dp2dp_table_options;

DP2DP_DEFINE_DEFAULT(dp2dp_table_options, DP2DP_STRUCT_TABLE_OPTIONS)
#define DP2DP_TABLE_OPTIONS_INIT dp2dp_table_options_default()

/* Opens a table and reads its header; "-" is standard input. If `path` is an SQL query or ends in
 * .parquet, DuckDB is used and must be installed. Otherwise the first bytes of the file show
 * whether the file is CSV, NPY or NPZ, and whether it is compressed with gzip or zstd. The path
 * "file.npz::name" selects the array `name` of an NPZ archive. The stream gives the rows as struct
 * arrays, whose children are the columns in the order of options->columns. The columns are nullable
 * if options->missing has markers. A table without rows gives no batch.
 *
 * This function fails if a column is missing or occurs twice, if the header is malformed, or if the
 * file is empty. For an error further down the file, get_next and every later get_next return
 * EINVAL (DATA), EIO (IO), ENOMEM (MEMORY) or ECANCELED (CANCELLED). get_last_error returns the
 * message; dp2dp_stream_next fills in the whole error. A message names file, line and column, never
 * the value of a cell. If the file changes while it is read, the last get_next fails.
 *
 * Ownership: everything in options is copied, except that cancel_context, rows_read, outside and
 * spreads are borrowed until the stream is released. The caller releases the stream; batches and
 * schemas may outlive it. On failure out->release is NULL. Use the stream from one thread at a
 * time. The stream reads larger inputs ahead in its own thread, so a forked child cannot use it. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_table_open(
    const char *path, const dp2dp_table_options *options, struct ArrowArrayStream *out,
    dp2dp_error *error);

/* Copies the rows of a CSV file, in their order, to a Parquet file, with DuckDB. The first line of
 * the CSV file must have the names in `columns`, in this order. Texts must be in quotes, and
 * numbers become float32. NULL without quotes is a missing value. An existing file is
 * overwritten. If csv is NULL, nothing is written: the call only checks that DuckDB can be loaded.
 *
 * `types_from` is another Parquet file, or NULL. A text column gets the type of the column with the
 * same name in that file, if the type is an integer, a decimal, a boolean or a floating-point
 * number. All other text columns stay text.
 *
 * Fails with IO if DuckDB is not installed, and says how to install it. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_table_to_parquet(
    const char *csv, const dp2dp_table_column *columns, size_t column_count, const char *types_from,
    const char *parquet, dp2dp_error *error);

/* Gets the next batch of any Arrow stream. out->release is NULL at the end and on failure. Unlike
 * get_next, this function fills in a whole dp2dp_error. For a stream of this library, the error has
 * reason, row, line and column. For any other stream, the error has the stream's message and the
 * status that matches the errno value. Ownership: the caller releases the batch. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out, dp2dp_error *error);

/* Finds each text of a column in a list of names, in the same way as a schema finds levels. A text
 * stands for the name that equals it byte by byte. If all names are different numbers, a text also
 * stands for the name of the same value: 1.0 and 01 stand for "1". codes[i] is the position of the
 * name, or -1 for a null and for a text that stands for no name. `column` is a TEXT column of a
 * batch of dp2dp_table_open; codes has room for column->length values. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_table_codes(
    const struct ArrowArray *column, const char *const *names, size_t count, int32_t *codes,
    dp2dp_error *error);

#ifdef __cplusplus
}
#endif
#endif
