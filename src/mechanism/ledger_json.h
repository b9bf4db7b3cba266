#ifndef DP2DPI_MECHANISM_LEDGER_JSON_H
#define DP2DPI_MECHANISM_LEDGER_JSON_H

#include <dp2dp/ledger.h>

#include "base/json.h"

/* Makes the JSON value that dp2dp_ledger_to_json writes. Ownership: the caller drops the reference.
 */
dp2dp_status dp2dpi_ledger_to_value(const dp2dp_ledger *ledger, json_t **out, dp2dp_error *error);
/* Reads a value that dp2dpi_ledger_to_value made. Checks the value as strictly as
 * dp2dp_ledger_from_json does. Ownership: root stays the caller's. */
dp2dp_status dp2dpi_ledger_from_value(json_t *root, dp2dp_ledger **out, dp2dp_error *error);

#endif
