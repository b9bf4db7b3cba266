#include "table/duckdb_api.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "table/duckdb_python.h"

#define VARIABLE "DP2DP_DUCKDB"

static const struct function {
    const char *name;
    size_t offset;
} functions[] = {
#define DESCRIBE(result, name, parameters) {"duckdb_" #name, offsetof(dp2dpi_duckdb_api, name)},
    DP2DPI_DUCKDB_FUNCTIONS(DESCRIBE)
#undef DESCRIBE
};

#define GET_IT "pip install duckdb"

static dp2dp_status not_loaded(const dp2dpi_duckdb_module *module, dp2dp_error *error) {
    if (module->needs[0]) {
        return dp2dpi_fail(error, DP2DP_STATUS_IO,
                           "SQL and Parquet need DuckDB. %s is installed, but it needs %s, which "
                           "is not installed; on Debian, run apt-get install %.*s",
                           module->path, module->needs,
                           (int)(strstr(module->needs, ".so") - module->needs), module->needs);
    }
    if (module->path[0]) {
        return dp2dpi_fail(error, DP2DP_STATUS_IO,
                           "SQL and Parquet need DuckDB 1.5.3 or newer. %s is older or does not "
                           "load; run pip install --upgrade duckdb",
                           module->path);
    }
    return dp2dpi_fail(error, DP2DP_STATUS_IO,
                       "SQL and Parquet need DuckDB, which is not installed; run " GET_IT
                       ", or set " VARIABLE " to the path of libduckdb.so");
}

/* Writes the addresses of the library's functions to *out. `name` is the library's name for
 * messages. */
static dp2dp_status find_functions(void *library, const char *name, dp2dpi_duckdb_api *out,
                                   dp2dp_error *error) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(library, functions[i].name);
        memcpy((char *)out + functions[i].offset, &function, sizeof function);
        if (function == NULL) {
            return dp2dpi_fail(error, DP2DP_STATUS_IO,
                               "%s has no function %s: DuckDB 1.1 or newer is needed", name,
                               functions[i].name);
        }
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_duckdb_load(dp2dpi_duckdb_api *out, dp2dp_error *error) {
    const char *path = getenv(VARIABLE), *name = "libduckdb.so";
    dp2dpi_duckdb_module module;
    name = path && *path ? path : name;
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL && name == path) {
        const char *reason = dlerror();
        return dp2dpi_fail(error, DP2DP_STATUS_IO, VARIABLE ": cannot be loaded: %s",
                           reason ? reason : path);
    }
    if (library == NULL) {
        dp2dpi_duckdb_find_module(functions[0].name, &module);
        library = module.library;
        name = module.path;
    }
    if (library == NULL) {
        return not_loaded(&module, error);
    }
    dp2dp_status status = find_functions(library, name, out, error);
    dlclose(library);
    return status;
}
