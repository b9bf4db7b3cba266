/* What the files of this folder know of a model. */
#ifndef DP2DPI_PHASE2_MODEL_H
#define DP2DPI_PHASE2_MODEL_H

#include <dp2dp/model.h>

struct dp2dp_model {
    size_t events, classes;
    dp2dp_solver solver;
    double *offsets; /* events × classes */
    double *shares;  /* events; in the same block of memory */
    dp2dp_ledger *ledger;
    int is_private;
    dp2dp_optimality optimality; /* solver exact only */
};

#endif
