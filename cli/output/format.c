#include "output/format.h"

#include <string.h>
#include <strings.h>

/* What each verb writes to --out, and the endings that the name of such a file may have. */
static const struct product {
    const char *verb;
    const char *given; /* the option that chooses this product; NULL: there is no choice */
    const char *what, *ends;
} products[] = {
    {"certify", NULL, "a certificate in JSON", "json"},
    {"data", NULL, "a table in CSV", "csv"},
    {"export", "sql", "SQL", "sql"},
    {"export", "onnx", "an ONNX model", "onnx"},
    {"export", "c-header", "a C header", "h"},
    {"fit", NULL, "a model in JSON", "json"},
    {"predict", NULL, "a table", "csv|csv.gz|parquet"},
    {"report", NULL, "a page in HTML", "html|htm"},
    {"schema", NULL, "a schema in JSON", "json"},
    {"sweep", NULL, "a table in CSV", "csv"},
    {"synth", NULL, "a table in CSV", "csv"},
    {"train", NULL, "a model in JSON", "json"},
};

/* Endings of file names that stand for a known format. */
static const char formats[] =
    "7z|arrow|avro|bz2|csv|db|doc|docx|dta|duckdb|feather|gz|h5|hdf5|htm|html|ipynb|joblib|jpg|"
    "json|jsonl|md|npy|npz|odt|ods|onnx|orc|parquet|pdf|pickle|pkl|png|pt|py|rds|sav|sql|sqlite|"
    "svg|tar|tex|tgz|tsv|txt|xls|xlsx|xml|xz|yaml|yml|zip|zst";

/* Endings of programs, which are refused only for a C header. A model, for example, may be called
 * m.c. */
static const char programs[] = "c|cc|cpp|cxx";

static int is_exempt(const char *path) {
    return path == NULL || strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0;
}

static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Returns whether a name ends in a dot and one of the endings of a list, in upper or lower case. */
static int ends_in(const char *name, const char *list) {
    size_t length = strlen(name);
    for (const char *end = list; *end; end += strcspn(end, "|"), end += *end == '|') {
        size_t size = strcspn(end, "|");
        if (length > size + 1 && name[length - size - 1] == '.' &&
            strncasecmp(name + length - size, end, size) == 0) {
            return 1;
        }
    }
    return 0;
}

cli_format cli_format_of(const char *path) {
    return is_exempt(path)                     ? CLI_FORMAT_PLAIN
           : ends_in(name_of(path), "csv.gz")  ? CLI_FORMAT_GZIP
           : ends_in(name_of(path), "parquet") ? CLI_FORMAT_PARQUET
                                               : CLI_FORMAT_PLAIN;
}

/* Writes endings like "a|b|c" as ".a, .b or .c". */
static void show_ends(const char *list, char text[64]) {
    size_t used = 0;
    for (const char *end = list; *end; end += *end == '|') {
        int size = (int)strcspn(end, "|");
        const char *before = end == list ? "" : strchr(end, '|') ? ", " : " or ";
        used += (size_t)snprintf(text + used, 64 - used, "%s.%.*s", before, size, end);
        end += size;
    }
}

dp2dp_status cli_format_check(const cli_args *args, const char *path, dp2dp_error *error) {
    const struct product *product = NULL;
    char ends[64];
    for (size_t i = 0; i < sizeof products / sizeof *products && product == NULL; i++) {
        if (strcmp(products[i].verb, args->verb->name) == 0 &&
            (products[i].given == NULL || cli_given(args, products[i].given))) {
            product = &products[i];
        }
    }
    if (product == NULL || is_exempt(path) || ends_in(name_of(path), product->ends)) {
        return DP2DP_STATUS_OK;
    }
    const char *name = name_of(path), *dot = strrchr(name, '.');
    int is_table = strcmp(product->verb, "predict") == 0;
    int is_other =
        ends_in(name, formats) || (strcmp(product->ends, "h") == 0 && ends_in(name, programs));
    if (dot == NULL || dot == name || (!is_table && !is_other)) {
        return DP2DP_STATUS_OK;
    }
    show_ends(product->ends, ends);
    return cli_refuse(error, "--out %.200s: the output is %s, so its name must end in %s", path,
                      product->what, ends);
}
