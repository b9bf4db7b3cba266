#include "schema/schema.h"

unsigned dp2dpi_schema_part(dp2dp_role role) {
    static const unsigned part_of[] = {[DP2DP_ROLE_FEATURE] = DP2DP_PART_FEATURES,
                                       [DP2DP_ROLE_LABEL] = DP2DP_PART_LABEL,
                                       [DP2DP_ROLE_SENSITIVE] = DP2DP_PART_GROUP,
                                       [DP2DP_ROLE_IGNORE] = 0};
    return part_of[role];
}

size_t dp2dpi_schema_choose(const dp2dp_schema_info *info, unsigned parts,
                            dp2dp_table_column *wanted, size_t *columns) {
    size_t count = 0;
    for (size_t i = 0; i < info->column_count; i++) {
        const dp2dp_schema_column *c = &info->columns[i];
        if (dp2dpi_schema_part(c->role) & parts) {
            columns[count] = i;
            wanted[count++] = (dp2dp_table_column) {c->name, c->type};
        }
    }
    return count;
}

dp2dp_status dp2dpi_schema_check_parts(const dp2dp_schema_info *info, unsigned parts,
                                       dp2dp_error *error) {
    /* FINDINGS and LEFT_OUT must not be combined. Without LEFT_OUT, the bit FINDINGS is cleared
     * here, so that the check below accepts it. With LEFT_OUT, the bit stays, and the check below
     * refuses it. */
    parts &= parts & DP2DP_PART_LEFT_OUT ? parts : ~(unsigned)DP2DP_PART_FINDINGS;
    const unsigned read = DP2DP_PART_FEATURES | DP2DP_PART_LABEL | DP2DP_PART_GROUP;
    const unsigned known = read | DP2DP_PART_LEFT_OUT | DP2DP_PART_IGNORE_BAD;
    if ((parts & read) == 0 || (parts & ~known) != 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "parts = %u: it must be a combination of dp2dp_part bits", parts);
    }
    if ((parts & DP2DP_PART_IGNORE_BAD) && !(parts & DP2DP_PART_LEFT_OUT)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "parts: DP2DP_PART_IGNORE_BAD needs DP2DP_PART_LEFT_OUT");
    }
    if ((parts & DP2DP_PART_LABEL) && info->class_count == 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "the schema has no label column");
    }
    if ((parts & DP2DP_PART_GROUP) && info->group_count == 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "the schema has no sensitive column");
    }
    return DP2DP_STATUS_OK;
}
