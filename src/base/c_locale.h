/* Switches the calling thread to the C locale and back. In the C locale, numbers are read and
 * written with a decimal dot; the program's own locale may use a comma. */
#ifndef DP2DPI_BASE_C_LOCALE_H
#define DP2DPI_BASE_C_LOCALE_H

#include <locale.h>

#include "base/error.h"

typedef struct dp2dpi_c_locale {
    locale_t c;
    locale_t before;
} dp2dpi_c_locale;

dp2dp_status dp2dpi_c_locale_enter(dp2dpi_c_locale *scope, dp2dp_error *error);
/* Restores the thread's locale. Does nothing if dp2dpi_c_locale_enter failed. */
void dp2dpi_c_locale_leave(dp2dpi_c_locale *scope);

#endif
