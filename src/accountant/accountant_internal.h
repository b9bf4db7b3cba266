#ifndef DP2DPI_ACCOUNTANT_ACCOUNTANT_INTERNAL_H
#define DP2DPI_ACCOUNTANT_ACCOUNTANT_INTERNAL_H

#include <dp2dp/accountant.h>

struct dp2dp_accountant {
    dp2dp_adjacency adjacency;
    size_t n, capacity;
    dp2dp_event *events; /* events that dp2dpi_event_read has checked; each owns the memory of its
                            `set` and `role` */
};

#endif
