/* Reads and writes callers' structs, which may come from an older or newer version than the
 * library's own ("ours" below). */
#ifndef DP2DPI_BASE_OPTIONS_H
#define DP2DPI_BASE_OPTIONS_H

#include <stdint.h>

#include <dp2dp/options.h>

#include "base/error.h"

/* Copies the caller's struct into *out, one of ours; fields that the caller lacks get their
 * defaults. ARGUMENT, naming the INIT macro, for NULL, an impossible struct_size, and fields beyond
 * ours that are not zero. Use our copy from then on. */
dp2dp_status dp2dpi_struct_read(dp2dp_struct which, const void *given, void *out,
                                dp2dp_error *error);
/* ARGUMENT, naming the INIT macro, for NULL and for an impossible struct_size. */
dp2dp_status dp2dpi_struct_check(dp2dp_struct which, const void *given, dp2dp_error *error);
/* Copies *from to the caller's struct, which was checked before, as far as that struct has room.
 * Keeps its struct_size. */
void dp2dpi_struct_write(dp2dp_struct which, const void *from, void *given);

/* Reads and writes the value of an option in one of our structs. */
double dp2dpi_option_value(const dp2dp_option *option, const void *object);
void dp2dpi_option_set(const dp2dp_option *option, void *object, double value);

/* Copies only the options from one of our structs to another. */
void dp2dpi_options_copy(dp2dp_struct which, const void *from, void *to);

/* ARGUMENT, with name, value and bounds, unless min ≤ value ≤ max. NaN is allowed only as the
 * default. */
dp2dp_status dp2dpi_option_check(const dp2dp_option *option, double value, dp2dp_error *error);
/* Checks every option of one of our structs. */
dp2dp_status dp2dpi_options_check(dp2dp_struct which, const void *object, dp2dp_error *error);

#endif
