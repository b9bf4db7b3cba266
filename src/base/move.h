#ifndef DP2DPI_BASE_MOVE_H
#define DP2DPI_BASE_MOVE_H

/* Renames a file as rename(2) does, but fails with EEXIST if `to` exists; a program that ignores
 * the lock file of `to` may have created `to`. Some file systems do not support this check: there,
 * an existing `to` is replaced. */
int dp2dpi_move_new(const char *from, const char *to);

/* Creates the empty file `name`, a path in `folder`, and locks the file (flock) before the file
 * gets its name. Returns the file's descriptor; -1 if `name` exists, or if the system cannot create
 * a file without a name. */
int dp2dpi_create_locked(const char *folder, const char *name);

#endif
