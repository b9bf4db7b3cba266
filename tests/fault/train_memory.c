/* The most memory that training allocates beyond its rows and labels. */
#include <malloc.h>

#include "base/alloc.h"
#include "unit/phase1/data.h"

enum {
    ROWS = 45222, /* the shape of Adult: 6 numbers and 7 categories make 102 features */
    NUMBERS = 6,
    CATEGORIES = 7,
    WIDTH = 102
};

static size_t held, peak;

void *dp2dpi_system_alloc(size_t size) {
    void *memory = malloc(size);
    held += memory ? malloc_usable_size(memory) : 0;
    peak = held > peak ? held : peak;
    return memory;
}

void dp2dpi_system_free(void *memory) {
    held -= memory ? malloc_usable_size(memory) : 0;
    free(memory);
}

static crowd adult_like(size_t classes) {
    static const uint32_t levels[CATEGORIES] = {7, 16, 7, 14, 6, 5, 41};
    crowd c = crowd_new(ROWS, NUMBERS, CATEGORIES, classes);
    uint64_t seed = classes;
    c.width = WIDTH;
    for (size_t i = 0; i < ROWS; i++) {
        size_t first = NUMBERS;
        double sum = 0;
        for (size_t j = 0; j < NUMBERS; j++) {
            c.rows.x[i * NUMBERS + j] = (float)(2 * uniform(&seed) - 1);
            sum += (double)c.rows.x[i * NUMBERS + j];
        }
        for (size_t q = 0; q < CATEGORIES; q++) {
            c.rows.codes[i * CATEGORIES + q] = (int32_t)(first + draw(&seed) % levels[q]);
            first += levels[q];
        }
        c.labels[i] = (int32_t)((uint64_t)(sum > 0) + draw(&seed) % (classes - 1));
        dp2dpi_rows_clip(&c.rows, i, c.norm);
    }
    return c;
}

/* Peak bytes allocated by training, relative to the bytes of the rows and labels. */
static double beyond(dp2dp_train_method method, size_t classes, double epsilon) {
    crowd c = adult_like(classes);
    dp2dp_train_options options = train_seeded(method, epsilon, 1);
    size_t before = held;
    peak = held;
    if (method == DP2DP_TRAIN_DPGD) { /* more steps need no more memory, only time */
        options.steps = 2;
    }
    free(train_crowd(&c, &options, NULL));
    assert_int_equal(held, before);
    crowd_free(&c);
    double part = (double)(peak - before) / (ROWS * 4.0 * (NUMBERS + CATEGORIES + 2));
    print_message("method %d, %zu classes: %.3f of the rows\n", (int)method, classes, part);
    return part;
}

TEST(training_allocates_less_than_a_third_of_the_rows) {
    for (size_t classes = 2; classes <= 6; classes += classes == 2 ? 1 : 3) {
        assert_true(beyond(DP2DP_TRAIN_NONE, classes, NAN) < (classes == 2 ? 0.12 : 0.33));
        assert_true(beyond(DP2DP_TRAIN_DPGD, classes, 1) < 0.33);
    }
    assert_true(beyond(DP2DP_TRAIN_DPSGD, 2, 1) < 0.33);
    assert_true(beyond(DP2DP_TRAIN_DPSGD, 2, 0.5) < 0.33);
    assert_true(beyond(DP2DP_TRAIN_DPSGD, 2, 4) < 0.33);
}
