#include <dp2dp/table.h>

#include "arrow/codes.h"
#include "base/error.h"
#include "base/lookup.h"

dp2dp_status dp2dp_table_codes(const struct ArrowArray *column, const char *const *given,
                               size_t count, int32_t *codes, dp2dp_error *error) {
    if (column == NULL || (given == NULL && count > 0) || codes == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "column, names and codes must not be NULL");
    }
    if (column->length == 0) {
        return DP2DP_STATUS_OK;
    }
    const char *first, *second;
    DP2DPI_TRY(dp2dpi_names_same_number(given, count, &first, &second, error));
    if (first) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the names '%.40s' and '%.40s' are two spellings of one number; list "
                           "only one of the two: rows may use either spelling",
                           first, second);
    }
    dp2dpi_codes names;
    size_t rows = (size_t)column->length;
    const unsigned char *valid = column->buffers[0];
    dp2dpi_codes_open(&names, given, count);
    dp2dp_status status =
        dp2dpi_codes_find(&names, column->buffers[2],
                          (const int32_t *)column->buffers[1] + column->offset, rows, codes, error);
    for (size_t i = 0; status == DP2DP_STATUS_OK && valid && i < rows; i++) {
        codes[i] = dp2dpi_bit(valid, column->offset + (int64_t)i) ? codes[i] : -1;
    }
    dp2dpi_codes_close(&names);
    return status;
}
