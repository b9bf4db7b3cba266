#include "input/weight_order.h"

#include <math.h>

#include "common/number.h"

typedef struct found_order {
    double means[CLI_WATCHED_WEIGHTS];
    size_t order[CLI_WATCHED_WEIGHTS];
} found_order;

/* Returns whether the columns of group scores fit the model's groups only in another order; if so,
 * *out has that order and the mean of each column. */
static int find(const cli_columns *columns, const dp2dp_model_info *info, found_order *out) {
    const cli_watch *w = columns->watch;
    if (w == NULL || columns->weights == NULL || columns->weight_count > CLI_WATCHED_WEIGHTS ||
        columns->weight_count != info->weight_columns || w->weighted == 0) {
        return 0;
    }
    for (size_t j = 0; j < columns->weight_count; j++) {
        out->means[j] = w->weight_sums[j] / (double)w->weighted;
    }
    return dp2dp_weights_order(info, out->means, w->weighted, out->order);
}

int cli_weight_order_caution(const cli_columns *columns, const dp2dp_model_info *info,
                             char text[CLI_WEIGHT_ORDER_SIZE]) {
    found_order found;
    size_t worst = 0, used = 0;
    if (!find(columns, info, &found)) {
        return 0;
    }
    for (size_t j = 1; j < info->weight_columns; j++) {
        double off = fabs(found.means[j] - dp2dp_weight_share(info, j));
        worst = off > fabs(found.means[worst] - dp2dp_weight_share(info, worst)) ? j : worst;
    }
    size_t of_group = info->weight_columns / info->groups, group = worst / of_group;
    const char *label = of_group > 1 ? info->names.classes[worst % of_group] : "";
    char order[240];
    for (size_t j = 0; j < info->weight_columns; j++) {
        const char *name = columns->weights[found.order[j]];
        int written =
            snprintf(order + used, sizeof order - used, "%s%.60s", j > 0 ? "," : "", name);
        if (written < 0 || (size_t)written >= sizeof order - used) {
            (void)snprintf(order + (used < 230 ? used : 230), 5, ",...");
            break;
        }
        used += (size_t)written;
    }
    (void)snprintf(
        text, CLI_WEIGHT_ORDER_SIZE,
        "CAUTION: the mean of the group score %.60s is %.2f, but \"%.60s%s%.60s\" was %.2f "
        "of the people of the fit. The columns of group scores fit better in the order "
        "%s. Are they swapped? Or did you choose people with other groups than those of "
        "the fit?",
        columns->weights[worst], found.means[worst], info->names.groups[group],
        of_group > 1 ? ", " : "", label, dp2dp_weight_share(info, worst), order);
    return 1;
}

void cli_weight_order_json(const cli_columns *columns, const dp2dp_model_info *info,
                           cli_json *json) {
    found_order found;
    const char *names[CLI_WATCHED_WEIGHTS];
    if (find(columns, info, &found)) {
        for (size_t j = 0; j < info->weight_columns; j++) {
            names[j] = columns->weights[found.order[j]];
        }
        cli_json_texts(json, "group_scores_fit_order", names, info->weight_columns);
    }
}
