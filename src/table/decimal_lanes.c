#include "table/decimal_lanes.h"

#define SAME(word) \
    { word, word, word, word }

const dp2dpi_lanes_constants dp2dpi_lanes_of = {
    .form = {0x3030303030302E30u, 0x3030303030303030u, 0x3030303030303030u, 0},
    .beyond_first = SAME(0x7676767676767F76u),
    .beyond = SAME(0x7676767676767676u),
    .tens_first = SAME(0x0A010A010A010100u),
    .tens = SAME(0x0A010A010A010A01u),
    .hundreds = SAME(0x0064000100640001u),
    .thousands = SAME(0x0000000100002710u),
    .highest = SAME(0x8080808080808080u),
    .masks =
        {
            {0, 0, 0, 0},
            {0xffu, 0, 0, 0},
            {0xffffu, 0, 0, 0},
            {0xffffffu, 0, 0, 0},
            {0xffffffffu, 0, 0, 0},
            {0xffffffffffu, 0, 0, 0},
            {0xffffffffffffu, 0, 0, 0},
            {0xffffffffffffffu, 0, 0, 0},
            {UINT64_MAX, 0, 0, 0},
            {UINT64_MAX, 0xffu, 0, 0},
            {UINT64_MAX, 0xffffu, 0, 0},
            {UINT64_MAX, 0xffffffu, 0, 0},
            {UINT64_MAX, 0xffffffffu, 0, 0},
            {UINT64_MAX, 0xffffffffffu, 0, 0},
            {UINT64_MAX, 0xffffffffffffu, 0, 0},
            {UINT64_MAX, 0xffffffffffffffu, 0, 0},
            {UINT64_MAX, UINT64_MAX, 0, 0},
            {UINT64_MAX, UINT64_MAX, 0xffu, 0},
            {UINT64_MAX, UINT64_MAX, 0xffffu, 0},
            {UINT64_MAX, UINT64_MAX, 0xffffffu, 0},
            {UINT64_MAX, UINT64_MAX, 0xffffffffu, 0},
            {UINT64_MAX, UINT64_MAX, 0xffffffffffu, 0},
            {UINT64_MAX, UINT64_MAX, 0xffffffffffffu, 0},
            {UINT64_MAX, UINT64_MAX, 0xffffffffffffffu, 0},
            {UINT64_MAX, UINT64_MAX, UINT64_MAX, 0},
        },
};
