/* The functions of DuckDB's C interface that dp2dp calls. They are loaded at run time, so the build
 * does not need DuckDB. The declarations follow DuckDB's documentation, "C API"; handles are opaque
 * pointers, and a result of 0 means success. */
#ifndef DP2DPI_TABLE_DUCKDB_API_H
#define DP2DPI_TABLE_DUCKDB_API_H

#include <stdint.h>

#include "base/error.h"

typedef struct dp2dpi_duckdb_result {
    uint64_t unused_counts[3];
    void *unused_pointers[2];
    void *internal;
} dp2dpi_duckdb_result;

/* A VARCHAR. A text of at most 12 bytes is in `bytes` itself; for a longer text, the last 8 of
 * these bytes are a pointer to the text. */
typedef struct dp2dpi_duckdb_text {
    uint32_t length;
    char bytes[12];
} dp2dpi_duckdb_text;

enum {
    DP2DPI_DUCKDB_READY = 0,
    DP2DPI_DUCKDB_NOT_READY = 1,
    DP2DPI_DUCKDB_ERROR = 2,
    DP2DPI_DUCKDB_NO_TASKS = 3
};

/* Expands F(type of the result, name, parameters) for every DuckDB function that is used. */
#define DP2DPI_DUCKDB_FUNCTIONS(F)                                                    \
    F(int, create_config, (void **config))                                            \
    F(int, set_config, (void *config, const char *name, const char *value))           \
    F(void, destroy_config, (void **config))                                          \
    F(int, open_ext, (const char *path, void **database, void *config, char **error)) \
    F(void, free, (void *memory))                                                     \
    F(void, close, (void **database))                                                 \
    F(int, connect, (void *database, void **connection))                              \
    F(void, disconnect, (void **connection))                                          \
    F(void, interrupt, (void *connection))                                            \
    F(int, prepare, (void *connection, const char *sql, void **statement))            \
    F(const char *, prepare_error, (void *statement))                                 \
    F(void, destroy_prepare, (void **statement))                                      \
    F(int, pending_prepared_streaming, (void *statement, void **pending))             \
    F(const char *, pending_error, (void *pending))                                   \
    F(int, pending_execute_task, (void *pending))                                     \
    F(int, execute_pending, (void *pending, dp2dpi_duckdb_result *result))            \
    F(void, destroy_pending, (void **pending))                                        \
    F(const char *, result_error, (dp2dpi_duckdb_result * result))                    \
    F(void, destroy_result, (dp2dpi_duckdb_result * result))                          \
    F(void *, fetch_chunk, (dp2dpi_duckdb_result result))                             \
    F(void, destroy_data_chunk, (void **chunk))                                       \
    F(uint64_t, data_chunk_get_size, (void *chunk))                                   \
    F(void *, data_chunk_get_vector, (void *chunk, uint64_t column))                  \
    F(void *, vector_get_data, (void *vector))                                        \
    F(uint64_t *, vector_get_validity, (void *vector))

typedef struct dp2dpi_duckdb_api {
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration cannot have parentheses */
#define DP2DPI_DECLARE(result, name, parameters) result(*name) parameters;
    DP2DPI_DUCKDB_FUNCTIONS(DP2DPI_DECLARE)
#undef DP2DPI_DECLARE
} dp2dpi_duckdb_api;

/* Loads the library that the environment variable DP2DP_DUCKDB names, or else libduckdb.so, or else
 * Python's package duckdb (table/duckdb_python.h). The library has its own threads and state, so it
 * stays loaded until the process ends. Fails with IO, and advises what to install, if the library
 * cannot be loaded. */
dp2dp_status dp2dpi_duckdb_load(dp2dpi_duckdb_api *out, dp2dp_error *error);

#endif
