/* Renames a file without replacing another. */
#ifndef DP2DPI_BASE_MOVE_H
#define DP2DPI_BASE_MOVE_H

/* As rename(2), but fails with EEXIST if `to` exists: a program that does not use the lock may have
 * created it meanwhile. A file system without that guarantee replaces it. */
int dp2dpi_move_new(const char *from, const char *to);

#endif
