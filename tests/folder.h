/* A temporary folder for each test that writes a file. The test defines the fixtures make_folder,
 * which calls make_folder_for, and remove_folder. */
#ifndef DP2DP_TESTS_FOLDER_H
#define DP2DP_TESTS_FOLDER_H

#include "support.h"

#include <sys/stat.h>
#include <unistd.h>

#define TEST_IN_FOLDER(name) TEST_WITH(name, make_folder, remove_folder)

static char folder[64];
static char file[80]; /* a path in the folder; no file is there at first */

static inline int make_folder_for(const char *name) {
    (void)snprintf(folder, sizeof folder, "/tmp/dp2dp-test-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    (void)snprintf(file, sizeof file, "%s/%s", folder, name);
    return chmod(folder, 0777);
}

#endif
