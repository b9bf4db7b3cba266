/* Renames a file without replacing another. */
#ifndef DP2DPI_BASE_MOVE_H
#define DP2DPI_BASE_MOVE_H

/* As rename(2), but fails with EEXIST if `to` exists, which a program that ignores the lock may
 * have created. On a file system that cannot guarantee this, `to` is replaced. */
int dp2dpi_move_new(const char *from, const char *to);

#endif
