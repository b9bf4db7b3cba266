/* Finds DuckDB in Python's package duckdb. From 1.5.3 on, the package's extension module exports
 * DuckDB's C interface. */
#ifndef DP2DPI_TABLE_DUCKDB_PYTHON_H
#define DP2DPI_TABLE_DUCKDB_PYTHON_H

#include <limits.h>

typedef struct dp2dpi_duckdb_module {
    void *library;        /* from dlopen; NULL if no module was loaded */
    char path[PATH_MAX];  /* path of the module, or of the first module that did not load; "": no
                             module was found */
    char needs[PATH_MAX]; /* name of the libpython that the module needs but that is not installed,
                             or "" */
} dp2dpi_duckdb_module;

/* Looks for the module in the active environment (VIRTUAL_ENV, CONDA_PREFIX), in the environment
 * that the program is installed in, in ~/.local and in /usr/local. Loads the first module that has
 * the function `wanted`. Never searches the current folder. */
void dp2dpi_duckdb_find_module(const char *wanted, dp2dpi_duckdb_module *out);

#endif
