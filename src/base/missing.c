#include "base/missing.h"

#include <string.h>

#include "base/utf8.h"

int dp2dpi_looks_missing(const char *text, size_t length) {
    static const char *const usual[] = {"?",    "NA",   "N/A",  "n/a",  "na", "#N/A", "NaN", "nan",
                                        "null", "NULL", "None", "none", "-",  ".",    ""};
    dp2dpi_trim(&text, &length);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (strlen(usual[i]) == length && memcmp(usual[i], text, length) == 0) {
            return 1;
        }
    }
    return 0;
}
