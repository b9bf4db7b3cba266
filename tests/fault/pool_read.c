/* A pool read from an Arrow stream: if any allocation fails, nothing leaks, no incomplete pool is
 * returned, and the stream is released. */
#include "fault/fault_alloc.h"

#include "unit/phase2/table_stream.h"

enum {
    N = 60
};

static float scores[2 * N];
static double weights[2 * N];
static int32_t offsets[N + 1], labels[N];
static int64_t records[N];
static char texts[N * 2 + 8];

static void fill(void) {
    for (int i = 0; i < N; i++) {
        scores[2 * i] = 0.25F;
        scores[2 * i + 1] = 0.75F;
        weights[i] = weights[N + i] = 0.5;
        labels[i] = i % 2;
        records[i] = 1 + i % 3;
        (void)snprintf(texts + 2 * i, 3, "0%d", i % 2); /* found only by its value */
        offsets[i + 1] = 2 * (i + 1);
    }
}

static void expect_pool_or_nothing(table_stream *t, const dp2dp_pool_columns *columns,
                                   const dp2dp_pool_options *options) {
    FAIL_EACH_ALLOCATION(20) {
        struct ArrowArrayStream stream = table_open(t);
        HANDLE(dp2dp_pool) *pool = (dp2dp_pool *)&pool;
        FAULTY(dp2dp_pool_read(&stream, columns, options, &pool, &fault_error));
        assert_int_equal(pool == NULL, fault_status != OK);
        assert_released(t);
    }
}

TEST(a_pool_of_a_stream_is_whole_or_not_made) {
    static const char *const names[] = {"0", "1"}, *const weight_names[] = {"w0", "w1"};
    dp2dp_pool_columns columns = DP2DP_POOL_COLUMNS_INIT;
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    table_stream t = table_new(N);
    fill();
    table_add_lists(&t, "p", "+w:2", NULL, "f", scores, 2);
    table_add_text(&t, "group", "u", offsets, texts);
    table_add(&t, "label", "i", labels);
    table_add(&t, "w0", "g", weights);
    table_add(&t, "w1", "g", weights + N);
    table_add(&t, "records", "l", records);
    columns.classes = 2;
    columns.score_list = "p";
    columns.group = "group";
    columns.group_names = names;
    columns.label = "label";
    columns.weights = weight_names;
    columns.weight_count = 2;
    options.strata = 4;
    options.labels = 2;
    options.threads = 1;
    expect_pool_or_nothing(&t, &columns, &options);
    columns.multiplicity = "records";
    expect_pool_or_nothing(&t, &columns, &options);
}
