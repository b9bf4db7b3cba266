/* Finds a release of a model or certificate in a ledger of people. */
#ifndef DP2DPI_MODEL_VERIFY_H
#define DP2DPI_MODEL_VERIFY_H

#include "mechanism/ledger.h"

/* One release in a document's own ledger. */
typedef struct dp2dpi_released {
    const dp2dp_ledger *own;
    const char *id; /* NULL: made by version 1, or without noise */
    int training;   /* 1: the entries of role train; 0: all others */
} dp2dpi_released;

/* NULL equals NULL. */
int dp2dpi_is_same_text(const char *a, const char *b);

int dp2dpi_entry_is_training(const dp2dpi_entry *entry);
/* 1 if the entry is a charge of the release. */
int dp2dpi_released_has(const dp2dpi_released *release, const dp2dpi_entry *entry);
/* 1 if the ledger has each charge of the release as often as the document does. */
int dp2dpi_released_is_in(const dp2dpi_released *release, const dp2dp_ledger *ledger);
/* If the ledger has a charge of the release with other numbers, the name of the first number that
 * differs; else NULL. */
const char *dp2dpi_released_differs(const dp2dpi_released *release, const dp2dp_ledger *ledger);

#endif
