/* Finds a release of a model or certificate in a ledger of people. */
#ifndef DP2DPI_MODEL_VERIFY_H
#define DP2DPI_MODEL_VERIFY_H

#include "mechanism/ledger.h"

/* One release in the own ledger of a model or certificate. */
typedef struct dp2dpi_released {
    const dp2dp_ledger *own;
    const char *id; /* release_id; NULL if the release was made by version 1 or without noise */
    int training;   /* 1 for the entries of role train, 0 for all others */
} dp2dpi_released;

/* Returns 1 if both texts are equal or both are NULL. */
int dp2dpi_is_same_text(const char *a, const char *b);

int dp2dpi_entry_is_training(const dp2dpi_entry *entry);
int dp2dpi_released_has(const dp2dpi_released *release, const dp2dpi_entry *entry);
/* Returns 1 if the ledger has each charge of the release at least as often as the document. */
int dp2dpi_released_is_in(const dp2dpi_released *release, const dp2dp_ledger *ledger);
/* Returns the name of the first number that differs if the ledger has a charge of the release with
 * other numbers, else NULL. */
const char *dp2dpi_released_differs(const dp2dpi_released *release, const dp2dp_ledger *ledger);

#endif
