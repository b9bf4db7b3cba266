#include <dp2dp/version.h>

const char *dp2dp_version(void) {
    return DP2DP_VERSION;
}
