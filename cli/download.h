/* Files of public data sets from the archive that keeps them. */
#ifndef CLI_DOWNLOAD_H
#define CLI_DOWNLOAD_H

#include "data_sets.h"

/* Gets a file with curl, or else wget, into `path`; its folder is made. It is put in place only if
 * its checksum is right. */
dp2dp_status cli_download(const cli_data_file *file, const char *path, dp2dp_error *error);

#endif
