#include "table/duckdb.h"

#include <string.h>
#include <time.h>

#include "arrow/column_names.h"
#include "base/alloc.h"
#include "table/foreign.h"
#include "table/options.h"

static const char what[] = "the columns of a query";

/* Turns a message of DuckDB into an error. The message begins with its kind, as in "Conversion
 * Error: …", and the rest may show the value of a cell. The error repeats only messages of the
 * kinds listed below, because they are about the query, its names and its files. The error repeats
 * only the first line of a message, because names in later lines could be cells of a file without a
 * header. */
static dp2dp_status judge(const dp2dpi_duckdb *duckdb, const char *message, dp2dp_error *error) {
    static const struct kind {
        const char *name;
        dp2dp_status status;
    } kinds[] = {{"Parser Error: ", DP2DP_STATUS_ARGUMENT},
                 {"Binder Error: ", DP2DP_STATUS_ARGUMENT},
                 {"Catalog Error: ", DP2DP_STATUS_ARGUMENT},
                 {"Missing Extension Error: ", DP2DP_STATUS_ARGUMENT},
                 {"IO Error: ", DP2DP_STATUS_IO}};
    if (message == NULL || strncmp(message, "Out of Memory Error", 19) == 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_MEMORY, "DuckDB is out of memory: %s", duckdb->name);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].name);
        if (strncmp(message, kinds[i].name, length) == 0) {
            return dp2dpi_fail(error, kinds[i].status, "%.*s: %s", (int)strcspn(message, "\n"),
                               message, duckdb->name);
        }
    }
    size_t length = strcspn(message, ":");
    int has_kind = length >= 5 && length <= 32 && strncmp(message + length - 5, "Error", 5) == 0;
    return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                       "DuckDB reports: %.*s; the rest of its message is left out, because it may "
                       "show the value of a cell (%s)",
                       has_kind ? (int)length : 8, has_kind ? message : "an Error", duckdb->name);
}

/* Opens an in-memory database, so that only the query decides what is read. DuckDB may not fetch or
 * load extensions, and may not write rows to temporary files. */
static dp2dp_status open_database(dp2dpi_duckdb *duckdb, dp2dp_error *error) {
    static const char *const settings[][2] = {{"autoinstall_known_extensions", "false"},
                                              {"autoload_known_extensions", "false"},
                                              {"preserve_insertion_order", "true"},
                                              {"temp_directory", ""}};
    const dp2dpi_duckdb_api *api = &duckdb->api;
    void *config = NULL;
    char *message = NULL;
    int failed = api->create_config(&config);
    for (size_t i = 0; i < sizeof settings / sizeof *settings && !failed; i++) {
        failed = api->set_config(config, settings[i][0], settings[i][1]);
    }
    failed = failed || api->open_ext(NULL, &duckdb->database, config, &message) ||
             api->connect(duckdb->database, &duckdb->connection);
    api->destroy_config(&config);
    api->free(message);
    return failed
               ? dp2dpi_fail(error, DP2DP_STATUS_IO, "DuckDB cannot be started: %s", duckdb->name)
               : DP2DP_STATUS_OK;
}

void dp2dpi_duckdb_end(dp2dpi_duckdb *duckdb) {
    const dp2dpi_duckdb_api *api = &duckdb->api;
    if (duckdb->connection == NULL) {
        return;
    }
    api->destroy_data_chunk(&duckdb->chunk);
    api->destroy_result(&duckdb->result);
    api->destroy_pending(&duckdb->pending);
    api->destroy_prepare(&duckdb->statement);
    memset(&duckdb->result, 0, sizeof duckdb->result);
    duckdb->chunk_row = duckdb->chunk_rows = 0;
    duckdb->at_end = 0;
}

void dp2dpi_duckdb_free(dp2dpi_duckdb *duckdb) {
    dp2dpi_duckdb_end(duckdb);
    if (duckdb->connection) {
        duckdb->api.disconnect(&duckdb->connection);
    }
    if (duckdb->database) {
        duckdb->api.close(&duckdb->database);
    }
    dp2dpi_free(duckdb->columns);
}

static dp2dp_status check_cancelled(const dp2dpi_duckdb *duckdb, dp2dp_error *error) {
    const dp2dp_table_options *o = duckdb->options;
    if (o->cancel && o->cancel(o->cancel_context)) {
        duckdb->api.interrupt(duckdb->connection);
        return dp2dpi_fail(error, DP2DP_STATUS_CANCELLED, "cancelled during the query: %s",
                           duckdb->name);
    }
    return DP2DP_STATUS_OK;
}

/* Uses DuckDB's function prepare, which refuses a text with more than one statement. */
dp2dp_status dp2dpi_duckdb_run(dp2dpi_duckdb *duckdb, const char *sql, dp2dp_error *error) {
    static const struct timespec moment = {.tv_nsec = 100000};
    const dp2dpi_duckdb_api *api = &duckdb->api;
    if (api->prepare(duckdb->connection, sql, &duckdb->statement)) {
        return judge(duckdb, api->prepare_error(duckdb->statement), error);
    }
    int state = DP2DPI_DUCKDB_NOT_READY;
    if (api->pending_prepared_streaming(duckdb->statement, &duckdb->pending)) {
        state = DP2DPI_DUCKDB_ERROR;
    }
    while (state == DP2DPI_DUCKDB_NOT_READY || state == DP2DPI_DUCKDB_NO_TASKS) {
        DP2DPI_TRY(check_cancelled(duckdb, error));
        state = api->pending_execute_task(duckdb->pending);
        if (state == DP2DPI_DUCKDB_NO_TASKS) {
            nanosleep(&moment, NULL);
        }
    }
    if (state == DP2DPI_DUCKDB_ERROR) {
        return judge(duckdb, api->pending_error(duckdb->pending), error);
    }
    return api->execute_pending(duckdb->pending, &duckdb->result)
               ? judge(duckdb, api->result_error(&duckdb->result), error)
               : DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_duckdb_fetch(dp2dpi_duckdb *duckdb, dp2dp_error *error) {
    const dp2dpi_duckdb_api *api = &duckdb->api;
    DP2DPI_TRY(check_cancelled(duckdb, error));
    if (duckdb->at_end) {
        return DP2DP_STATUS_OK;
    }
    api->destroy_data_chunk(&duckdb->chunk);
    duckdb->chunk = api->fetch_chunk(duckdb->result);
    duckdb->chunk_rows = duckdb->chunk ? (size_t)api->data_chunk_get_size(duckdb->chunk) : 0;
    duckdb->chunk_row = 0;
    if (duckdb->chunk_rows > 0) {
        return DP2DP_STATUS_OK;
    }
    api->destroy_data_chunk(&duckdb->chunk);
    duckdb->at_end = 1;
    const char *message = api->result_error(&duckdb->result);
    return message && *message ? judge(duckdb, message, error) : DP2DP_STATUS_OK;
}

const char *dp2dpi_duckdb_bytes(const dp2dpi_duckdb_text *text) {
    const char *pointer = text->bytes;
    if (text->length > sizeof text->bytes) {
        memcpy(&pointer, text->bytes + 4, sizeof pointer);
    }
    return pointer;
}

typedef struct header {
    const char *kinds; /* one letter for each column; points into the current chunk */
    size_t width;      /* number of columns of the query or file */
    dp2dpi_name *names;
    size_t *positions;
    int takes_all; /* 1: the options name no column, so all columns are read, each as text */
} header;

static dp2dp_status read_header(dp2dpi_duckdb *duckdb, header *h, dp2dp_table_options *options,
                                dp2dp_error *error) {
    const dp2dpi_duckdb_api *api = &duckdb->api;
    const dp2dpi_duckdb_text *cells[2];
    if (duckdb->chunk_rows != 1) {
        return dp2dpi_fail(error, DP2DP_STATUS_INTERNAL, "DuckDB did not describe the columns: %s",
                           duckdb->name);
    }
    for (size_t i = 0; i < 2; i++) {
        cells[i] = api->vector_get_data(api->data_chunk_get_vector(duckdb->chunk, i));
    }
    h->kinds = dp2dpi_duckdb_bytes(cells[1]);
    h->width = cells[1]->length;
    DP2DPI_TRY(DP2DPI_ALLOC(h->names, h->width, what, error));
    const char *name = dp2dpi_duckdb_bytes(cells[0]), *end = name + cells[0]->length;
    for (size_t i = 0; i < h->width; i++) {
        size_t length = name < end ? strlen(name) : 0;
        h->names[i] = (dp2dpi_name) {name, length, i};
        name += name < end ? length + 1 : 0;
    }
    h->takes_all = options->column_count == 0;
    DP2DPI_TRY(dp2dpi_table_options_take_all(options, h->names, h->width, error));
    DP2DPI_TRY(DP2DPI_ALLOC(h->positions, options->column_count, what, error));
    return DP2DPI_ALLOC(duckdb->columns, options->column_count, what, error);
}

static dp2dp_status find_columns(dp2dpi_duckdb *duckdb, const header *h, dp2dp_error *error) {
    const dp2dp_table_options *o = duckdb->options;
    DP2DPI_TRY(dp2dpi_names_find(h->names, h->width, o->columns, o->column_count, h->positions,
                                 duckdb->name, error));
    for (size_t i = 0; i < o->column_count; i++) {
        dp2dpi_duckdb_column *column = &duckdb->columns[i];
        column->position = h->positions[i];
        column->kind = h->kinds[column->position];
        column->kind = column->kind == '?' && h->takes_all ? 't' : column->kind;
        column->form = dp2dpi_duckdb_form_of(column->kind, o->columns[i].type);
        if (column->form == NULL) {
            char shown[DP2DPI_SHOWN_SIZE];
            dp2dpi_utf8_show(o->columns[i].name, strlen(o->columns[i].name), shown);
            const dp2dpi_place place = {.reason = DP2DP_REASON_COLUMN_TYPE,
                                        .column = o->columns[i].name};
            return dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &place,
                                  "column \"%s\" has neither numbers nor text; use CAST in the "
                                  "query to convert lists, structs, dates … (%s)",
                                  shown, duckdb->name);
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status describe(dp2dpi_duckdb *duckdb, const char *operand,
                             dp2dp_table_options *options, char **select, dp2dp_error *error) {
    header h = {0};
    char *sql = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(dp2dpi_duckdb_describe_sql(operand, &sql, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_duckdb_run(duckdb, sql, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_duckdb_fetch(duckdb, error));
    DP2DPI_TRY_OR_DONE(read_header(duckdb, &h, options, error));
    DP2DPI_TRY_OR_DONE(find_columns(duckdb, &h, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_duckdb_select_sql(operand, h.width, duckdb->columns,
                                                duckdb->options->column_count, select, error));
done:
    dp2dpi_duckdb_end(duckdb);
    dp2dpi_free(sql);
    dp2dpi_free(h.names);
    dp2dpi_free(h.positions);
    return status;
}

dp2dp_status dp2dpi_duckdb_start(dp2dpi_duckdb *duckdb, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_duckdb_load(&duckdb->api, error));
    return open_database(duckdb, error);
}

dp2dp_status dp2dpi_duckdb_open(dp2dpi_duckdb *duckdb, const char *operand,
                                dp2dp_table_options *options, dp2dp_error *error) {
    char *select = NULL;
    duckdb->options = options;
    dp2dpi_utf8_show(operand, strlen(operand), duckdb->name);
    DP2DPI_TRY(dp2dpi_foreign_check_parquet(operand, duckdb->name, error));
    DP2DPI_TRY(dp2dpi_duckdb_start(duckdb, error));
    DP2DPI_TRY(describe(duckdb, operand, options, &select, error));
    dp2dp_status status = dp2dpi_duckdb_run(duckdb, select, error);
    dp2dpi_free(select);
    return status;
}
