/* A folder of its own for every test that writes a file. */
#ifndef DP2DP_TESTS_FOLDER_H
#define DP2DP_TESTS_FOLDER_H

#include "support.h"

#include <sys/stat.h>
#include <unistd.h>

#define TEST_IN_FOLDER(name) TEST_WITH(name, make_folder, remove_folder)

static char folder[64];
static char file[80]; /* in the folder; not there at first */

static inline int make_folder_for(const char *name) {
    (void)snprintf(folder, sizeof folder, "/tmp/dp2dp-test-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    (void)snprintf(file, sizeof file, "%s/%s", folder, name);
    return chmod(folder, 0777);
}

#endif
