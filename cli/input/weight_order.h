/* Warns if the columns of group scores seem to be in another order than the groups of the model. */
#ifndef CLI_WEIGHT_ORDER_H
#define CLI_WEIGHT_ORDER_H

#include "common/json.h"
#include "input/scores.h"

enum {
    CLI_WEIGHT_ORDER_SIZE = 640
};

/* Writes a caution, and returns 1, if the columns that were noted in columns->watch fit the shares
 * of the model's groups only in another order. Otherwise returns 0. */
int cli_weight_order_caution(const cli_columns *columns, const dp2dp_model_info *info,
                             char text[CLI_WEIGHT_ORDER_SIZE]);
/* If there is a caution, writes the JSON member "group_scores_fit_order": the columns in the order
 * that fits. */
void cli_weight_order_json(const cli_columns *columns, const dp2dp_model_info *info,
                           cli_json *json);

#endif
