/* Texts with a small change. */
#ifndef DP2DP_TESTS_UNIT_EDITED_H
#define DP2DP_TESTS_UNIT_EDITED_H

#include "support.h"

/* The text with the first `from`, which must be there, replaced. Ownership: free. */
static inline char *edited(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    size_t size = strlen(text) + strlen(to) + 1;
    char *out = malloc(size);
    if (at == NULL || out == NULL) {
        fail_msg("\"%s\" is not in the text", from);
        abort(); /* never reached: fail_msg does not return */
    }
    (void)snprintf(out, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

#endif
