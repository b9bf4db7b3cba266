/* Whom a model's guarantee covers, and what its makers should be warned about. */
#ifndef DP2DPI_PHASE2_COVERS_H
#define DP2DPI_PHASE2_COVERS_H

#include "phase2/model.h"

/* Fills in info.covers from the ledger, the records and the reasons of a model that is otherwise
 * complete, and info.delta of people without a stated cost. Privacy: uses only numbers that the
 * model publishes anyway. */
dp2dp_status dp2dpi_model_cover(dp2dp_model *model, dp2dp_error *error);

#endif
