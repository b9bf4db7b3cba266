#include "num/rows.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

dp2dp_status dp2dpi_rows_new(size_t numbers, size_t categories, size_t capacity, dp2dpi_rows *out,
                             dp2dp_error *error) {
    static const char what[] = "encoded rows";
    *out = (dp2dpi_rows) {.capacity = capacity, .numbers = numbers, .categories = categories};
    DP2DPI_TRY(dp2dpi_alloc_into(what, capacity, numbers * sizeof(float), &out->x, error));
    DP2DPI_TRY(dp2dpi_alloc_into(what, capacity, categories * sizeof(int32_t), &out->codes, error));
    return DP2DPI_ALLOC(out->scale, capacity, what, error);
}

void dp2dpi_rows_free(dp2dpi_rows *rows) {
    dp2dpi_free(rows->x);
    dp2dpi_free(rows->codes);
    dp2dpi_free(rows->scale);
    memset(rows, 0, sizeof *rows);
}

/* The squares of floats are exact in double, but their sum is not. Raising the sum by (numbers +
 * categories + 8) units in the last place covers the rounding of the sum. */
void dp2dpi_rows_clip(dp2dpi_rows *rows, size_t row, double norm) {
    const float *x = rows->x + row * rows->numbers;
    const int32_t *codes = rows->codes + row * rows->categories;
    double square = 0;
    for (size_t j = 0; j < rows->numbers; j++) {
        square += (double)x[j] * (double)x[j];
    }
    for (size_t q = 0; q < rows->categories; q++) {
        square += codes[q] >= 0;
    }
    square *= 1 + (double)(rows->numbers + rows->categories + 8) * 0x1p-52;
    float scale = 1;
    if (square > norm * norm) {
        scale = (float)(norm / sqrt(square));
        while ((double)scale * (double)scale * square > norm * norm) {
            scale = nextafterf(scale, 0);
        }
    }
    rows->scale[row] = scale;
}
