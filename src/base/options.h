/* Reads and writes callers' structs, which may come from an older or newer version of the interface
 * than this library. */
#ifndef DP2DPI_BASE_OPTIONS_H
#define DP2DPI_BASE_OPTIONS_H

#include <stdint.h>

#include <dp2dp/options.h>

#include "base/error.h"

/* Copies the caller's struct *given into *out, a struct of this library's version; fields that the
 * caller's struct lacks get their defaults. Afterwards use *out, not *given. Fails with ARGUMENT if
 * given is NULL, its struct_size is impossible, or a field that this library does not know is not
 * zero. The message names the INIT macro. */
dp2dp_status dp2dpi_struct_read(dp2dp_struct which, const void *given, void *out,
                                dp2dp_error *error);
/* Fails with ARGUMENT if given is NULL or its struct_size is impossible. The message names the INIT
 * macro. */
dp2dp_status dp2dpi_struct_check(dp2dp_struct which, const void *given, dp2dp_error *error);
/* Copies the fields of *from to the caller's struct *given, as far as *given has these fields.
 * Keeps the struct_size of *given, which dp2dpi_struct_check must have checked. */
void dp2dpi_struct_write(dp2dp_struct which, const void *from, void *given);

/* Read and write the value of an option in a struct of this library's version. */
double dp2dpi_option_value(const dp2dp_option *option, const void *object);
void dp2dpi_option_set(const dp2dp_option *option, void *object, double value);

/* Copies only the numeric options between two structs of this library's version. */
void dp2dpi_options_copy(dp2dp_struct which, const void *from, void *to);

/* Fails with ARGUMENT if the value is below min or above max; the message gives name, value and
 * bounds. NaN is accepted only if it is the option's default. */
dp2dp_status dp2dpi_option_check(const dp2dp_option *option, double value, dp2dp_error *error);
dp2dp_status dp2dpi_options_check(dp2dp_struct which, const void *object, dp2dp_error *error);

#endif
