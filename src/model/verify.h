/* Looks up a release of a model or certificate in a ledger that records all charges for a set of
 * people. */
#ifndef DP2DPI_MODEL_VERIFY_H
#define DP2DPI_MODEL_VERIFY_H

#include "mechanism/ledger.h"

/* One release that a model or certificate lists in its own ledger. */
typedef struct dp2dpi_released {
    const dp2dp_ledger *own;
    const char *id; /* release_id; NULL if the release was made by version 1 or without noise */
    int training;   /* 1 if the entries of the release have the role train */
} dp2dpi_released;

int dp2dpi_entry_is_training(const dp2dpi_entry *entry);
int dp2dpi_released_has(const dp2dpi_released *release, const dp2dpi_entry *entry);
/* Returns 1 if the ledger has each charge of the release at least as often as release->own has
 * it. */
int dp2dpi_released_is_in(const dp2dpi_released *release, const dp2dp_ledger *ledger);
/* If the ledger has a charge of the release with a different value, returns the name of the first
 * field that differs. Otherwise returns NULL. */
const char *dp2dpi_released_differs(const dp2dpi_released *release, const dp2dp_ledger *ledger);

#endif
