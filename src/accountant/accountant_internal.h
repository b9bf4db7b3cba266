#ifndef DP2DPI_ACCOUNTANT_ACCOUNTANT_INTERNAL_H
#define DP2DPI_ACCOUNTANT_ACCOUNTANT_INTERNAL_H

#include <dp2dp/accountant.h>

struct dp2dp_accountant {
    dp2dp_adjacency adjacency;
    size_t n, capacity;
    dp2dp_event *events; /* checked events; each owns its `set` and `role` */
};

#endif
