/* Values that an option must not have, from its row in dp2dp_options. */
#ifndef DP2DP_TESTS_UNIT_OPTION_BOUNDS_H
#define DP2DP_TESTS_UNIT_OPTION_BOUNDS_H

#include <math.h>

#include "base/options.h"

/* The nearest above max, and of a real also the nearest below min and NaN, the bound itself where
 * it is open, and of a count the largest there is. Returns how many. */
static int option_wrong(const dp2dp_option *o, double wrong[static 4]) {
    if (o->type == DP2DP_OPTION_COUNT) {
        wrong[0] = o->max + 1;
        wrong[1] = 0x1.fffffffffffffp63;
        wrong[2] = o->min - 1; /* below 0 there is nothing to ask for */
        return o->min > 0 ? 3 : 2;
    }
    wrong[0] = o->min_open ? o->min : nextafter(o->min, -1e9) - 1e-9;
    wrong[1] = isinf(o->max) ? -1 : o->max_open ? o->max : nextafter(o->max, INFINITY);
    wrong[2] = -INFINITY;
    wrong[3] = NAN;
    return 4;
}

#endif
