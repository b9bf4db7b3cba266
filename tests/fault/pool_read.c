/* A pool read from an Arrow stream: if any allocation fails, nothing leaks, no incomplete pool is
 * returned, the stream is released, and no number of a person is left in freed memory. */
#include "fault/fault_alloc.h"

#include <malloc.h>

#include "unit/phase2/table_stream.h"

enum {
    N = 60,
    RECORDS = 1000003 /* a row stands for so many records */
};

static float scores[2 * N];
static double weights[2 * N];
static int32_t offsets[N + 1], labels[N];
static int64_t records[N];
static char texts[N * 2 + 8];

static size_t left_behind; /* numbers of a person in memory that was freed */

static void fill(void) {
    for (int i = 0; i < N; i++) {
        scores[2 * i] = 0.2471F;
        scores[2 * i + 1] = 0.7529F;
        weights[i] = weights[N + i] = 0.5;
        labels[i] = i % 2;
        records[i] = RECORDS;
        texts[2 * i] = '0'; /* found only by its value */
        texts[2 * i + 1] = i % 2 ? '1' : '0';
        offsets[i + 1] = 2 * (i + 1);
    }
}

static const char *const names[] = {"0", "1"}, *const weight_names[] = {"w0", "w1"};
static dp2dp_pool_columns columns;
static dp2dp_pool_options options;

/* Sets the table, and the columns and options to read all of it. */
static table_stream whole_table(void) {
    table_stream t = table_new(N);
    fill();
    table_add_lists(&t, "p", "+w:2", NULL, "f", scores, 2);
    table_add_text(&t, "group", "u", offsets, texts);
    table_add(&t, "label", "i", labels);
    table_add(&t, "w0", "g", weights);
    table_add(&t, "w1", "g", weights + N);
    table_add(&t, "records", "l", records);
    columns = (dp2dp_pool_columns)DP2DP_POOL_COLUMNS_INIT;
    columns.classes = 2;
    columns.score_list = "p";
    columns.group = "group";
    columns.group_names = names;
    columns.label = "label";
    columns.weights = weight_names;
    columns.weight_count = 2;
    columns.multiplicity = "records";
    options = (dp2dp_pool_options)DP2DP_POOL_OPTIONS_INIT;
    options.strata = 4;
    options.labels = 2;
    options.threads = 1;
    return t;
}

static void expect_pool_or_nothing(table_stream *t) {
    FAIL_EACH_ALLOCATION(20) {
        struct ArrowArrayStream stream = table_open(t);
        HANDLE(dp2dp_pool) *pool = (dp2dp_pool *)&pool;
        FAULTY(dp2dp_pool_read(&stream, &columns, &options, &pool, &fault_error));
        assert_int_equal(pool == NULL, fault_status != OK);
        assert_released(t);
    }
}

TEST(a_pool_of_a_stream_is_whole_or_not_made) {
    table_stream t = whole_table();
    expect_pool_or_nothing(&t);
    columns.multiplicity = NULL;
    expect_pool_or_nothing(&t);
}

/* Rows are stored from the start of a block. */
static void look_for_numbers(void *memory) {
    size_t size = malloc_usable_size(memory);
    for (size_t at = 0; at + 4 <= size && at < sizeof scores; at += 4) {
        const char *word = (const char *)memory + at;
        left_behind += memcmp(word, &scores[0], 4) == 0 || memcmp(word, &scores[1], 4) == 0 ||
                       memcmp(word, &records[0], 4) == 0;
    }
}

TEST(no_score_or_multiplicity_is_left_in_memory_that_is_freed) {
    table_stream t = whole_table();
    fault_freeing = look_for_numbers;
    expect_pool_or_nothing(&t);
    assert_int_equal(left_behind, 0);
    records[N - 1] = 0; /* refused after all scores are read */
    struct ArrowArrayStream stream = table_open(&t);
    dp2dp_pool *pool = NULL;
    assert_status(dp2dp_pool_read(&stream, &columns, &options, &pool, NULL), DATA);
    assert_int_equal(left_behind, 0);
    fault_freeing = NULL;
}
