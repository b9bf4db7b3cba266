/* Hostile lines of the protocol of sources. A line is refused in words of the reader's own, or what
 * is read from it keeps the reader's promises. Anything else ends the process. Each input is tried
 * as every kind of line. */
#include <math.h>

#include "fuzz.h"
#include "source/protocol.h"

enum {
    STRATA = 2,
    CLASSES = 3,
    CELLS = STRATA * CLASSES
};

static void try_promise(const char *text, size_t size) {
    cli_promise promise;
    if (cli_promise_read(text, size, &promise) == NULL) {
        require(promise.records <= CLI_RECORDS_MAX);
        require(promise.leaves_out == 0 || promise.leaves_out == 1);
        require(promise.row_sums == DP2DP_ROW_SUMS_CHECK ||
                promise.row_sums == DP2DP_ROW_SUMS_NORMALIZE);
    }
}

static void try_table(const char *text, size_t size, int leaves_out) {
    const cli_promise promise = {.records = 10, .leaves_out = leaves_out};
    int64_t table[CELLS + 1] = {0};
    int64_t sum = 0;
    if (cli_table_read(text, size, 1, &promise, STRATA, CLASSES, table) == NULL) {
        for (size_t i = 0; i <= CELLS; i++) {
            require(table[i] >= 0 && table[i] <= 10);
            sum += table[i];
        }
        require(sum == 10 && (leaves_out || table[CELLS] == 0));
    }
}

static void try_question(const char *text, size_t size) {
    float offsets[CELLS] = {0};
    uint64_t number;
    if (cli_question_read(text, size, STRATA, CLASSES, &number, offsets) == NULL) {
        for (size_t i = 0; i < CELLS; i++) {
            require(isfinite(offsets[i]));
        }
    }
}

static void try_hello(const char *text, size_t size) {
    cli_hello hello;
    if (cli_hello_read(text, size, &hello) == NULL) {
        require(hello.group_count >= 2 && hello.class_count >= 2 && hello.questions >= 1);
        require(hello.strata % hello.group_count == 0);
        require(hello.grid_bits <= 20);
        require(hello.dither.width >= 0 && hello.dither.width <= 1);
        require(hello.epsilon > 0 && (isinf(hello.epsilon) || hello.delta > 0));
        for (size_t i = 0; i < hello.group_count; i++) {
            require(hello.groups[i] != NULL);
        }
    }
    cli_hello_free(&hello);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char nothing[1] = "";
    const char *text = size > 0 ? (const char *)data : nothing;
    try_promise(text, size);
    try_table(text, size, 0);
    try_table(text, size, 1);
    try_question(text, size);
    try_hello(text, size);
    return 0;
}
