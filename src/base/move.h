/* A new name that replaces nothing. */
#ifndef DP2DPI_BASE_MOVE_H
#define DP2DPI_BASE_MOVE_H

/* As rename(2), but fails with EEXIST if there is something already: who does not ask for a lock
 * may have put it there meanwhile. A file system that cannot promise that replaces it. */
int dp2dpi_move_new(const char *from, const char *to);

#endif
