#include "table/duckdb_api.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "DP2DP_DUCKDB"

static const struct function {
    const char *name;
    size_t offset;
} functions[] = {
#define DESCRIBE(result, name, parameters) {"duckdb_" #name, offsetof(dp2dpi_duckdb_api, name)},
    DP2DPI_DUCKDB_FUNCTIONS(DESCRIBE)
#undef DESCRIBE
};

static dp2dp_status not_loaded(const char *path, dp2dp_error *error) {
    if (path) {
        const char *reason = dlerror();
        return dp2dpi_fail(error, DP2DP_STATUS_IO, VARIABLE ": cannot be loaded: %s",
                           reason ? reason : path);
    }
    return dp2dpi_fail(
        error, DP2DP_STATUS_IO,
        "SQL and Parquet are read by DuckDB, and libduckdb.so is not installed: get "
        "the C library from duckdb.org, put it where the loader looks or set " VARIABLE
        " to its path");
}

dp2dp_status dp2dpi_duckdb_load(dp2dpi_duckdb_api *out, dp2dp_error *error) {
    const char *path = getenv(VARIABLE);
    dp2dp_status status = DP2DP_STATUS_OK;
    path = path && *path ? path : NULL;
    void *library = dlopen(path ? path : "libduckdb.so", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL) {
        return not_loaded(path, error);
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(library, functions[i].name);
        memcpy((char *)out + functions[i].offset, &function, sizeof function);
        if (function == NULL) {
            status = dp2dpi_fail(error, DP2DP_STATUS_IO,
                                 "%s has no function %s: DuckDB 1.1 or newer is needed",
                                 path ? path : "libduckdb.so", functions[i].name);
            break;
        }
    }
    dlclose(library);
    return status;
}
