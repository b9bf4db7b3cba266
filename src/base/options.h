/* Structs that grow, seen from inside: the caller's copy may be older or newer than ours. */
#ifndef DP2DPI_BASE_OPTIONS_H
#define DP2DPI_BASE_OPTIONS_H

#include <stdint.h>

#include <dp2dp/options.h>

#include "base/error.h"

/* Copies the caller's struct into *out, which is one of ours: fields that the caller does not have
 * take their defaults. ARGUMENT, with the name of the INIT macro, for NULL, a struct_size that
 * cannot be one, and fields beyond ours that are not zero. Use our copy from then on. */
dp2dp_status dp2dpi_struct_read(dp2dp_struct which, const void *given, void *out,
                                dp2dp_error *error);
/* ARGUMENT, with the name of the INIT macro, for NULL and for a struct_size that cannot be one. */
dp2dp_status dp2dpi_struct_check(dp2dp_struct which, const void *given, dp2dp_error *error);
/* The way back, for a struct that was checked and is filled here: as much of *from as the caller
 * has room for. struct_size stays the caller's. */
void dp2dpi_struct_write(dp2dp_struct which, const void *from, void *given);

/* The value of an option in a struct of ours, and the way back. */
double dp2dpi_option_value(const dp2dp_option *option, const void *object);
void dp2dpi_option_set(const dp2dp_option *option, void *object, double value);

/* Copies the options, and nothing else, from one struct of ours to another. */
void dp2dpi_options_copy(dp2dp_struct which, const void *from, void *to);

/* ARGUMENT, with name, value and bounds, unless min ≤ value ≤ max, or it is NaN and so is the
 * default. */
dp2dp_status dp2dpi_option_check(const dp2dp_option *option, double value, dp2dp_error *error);
/* That, of every option of a struct of ours. */
dp2dp_status dp2dpi_options_check(dp2dp_struct which, const void *object, dp2dp_error *error);

#endif
