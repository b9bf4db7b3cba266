#include "base/c_locale.h"

dp2dp_status dp2dpi_c_locale_enter(dp2dpi_c_locale *scope, dp2dp_error *error) {
    scope->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (scope->c == (locale_t)0) {
        return dp2dpi_fail(error, DP2DP_STATUS_MEMORY, "out of memory for the C locale");
    }
    scope->before = uselocale(scope->c);
    return DP2DP_STATUS_OK;
}

void dp2dpi_c_locale_leave(dp2dpi_c_locale *scope) {
    if (scope->c != (locale_t)0) {
        (void)uselocale(scope->before);
        freelocale(scope->c);
    }
}
