#include "input/absent.h"

#include <inttypes.h>

#include "common/number.h"

enum {
    LINES = 20 /* largest number of groups that the text lists */
};

/* Returns 0 if the schema leaves out no row, so that nothing is printed; otherwise the number of
 * groups. */
static size_t group_count(const dp2dp_schema *schema, const cli_watch *watch) {
    size_t count = schema ? dp2dp_schema_view(schema)->group_count : 0;
    for (size_t g = 0; g < count && watch->outside.left_out; g++) {
        if (watch->outside.left_out[g] > 0) {
            return count;
        }
    }
    return 0;
}

unsigned cli_absent_warnings(const dp2dp_schema *schema, const cli_watch *watch) {
    return dp2dp_warn_of_left_out(watch->outside.kept, watch->outside.left_out,
                                  group_count(schema, watch));
}

void cli_absent_text(const dp2dp_schema *schema, const cli_watch *watch, const char *label,
                     cli_out *out) {
    const dp2dp_outside *found = &watch->outside;
    size_t count = group_count(schema, watch);
    for (size_t g = 0; g < count && g < LINES; g++) {
        uint64_t rows = found->kept[g] + found->left_out[g];
        cli_out_row(out, g == 0 ? label : "", "%s: %" PRIu64 " of %" PRIu64 " %s",
                    dp2dp_schema_view(schema)->groups[g], found->left_out[g], rows,
                    cli_noun(rows, "row", "rows"));
    }
    if (count > LINES) {
        cli_out_row(out, "", "and %zu more groups: see --json", count - LINES);
    }
}

void cli_absent_json(const dp2dp_schema *schema, const cli_watch *watch, cli_json *json) {
    size_t count = group_count(schema, watch);
    if (count == 0) {
        return;
    }
    cli_json_open_array(json, "left_out_groups");
    for (size_t g = 0; g < count; g++) {
        cli_json_open_object(json, NULL);
        cli_json_text(json, "group", dp2dp_schema_view(schema)->groups[g]);
        cli_json_count(json, "left_out", watch->outside.left_out[g]);
        cli_json_count(json, "rows", watch->outside.kept[g] + watch->outside.left_out[g]);
        cli_json_close_object(json);
    }
    cli_json_close_array(json);
}
