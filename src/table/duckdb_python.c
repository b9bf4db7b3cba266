#include "table/duckdb_python.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FLAGS = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE
};

/* Removes the last part of a path. */
static void go_up(char *path) {
    char *slash = strrchr(path, '/');
    *(slash ? slash : path) = '\0';
}

/* Returns 1 if `name` is the last part of the path. */
static int is_called(const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    return slash && strcmp(slash + 1, name) == 0;
}

/* Loads a library so that all libraries loaded later can use its functions. */
static int load_for_all(const char *path) {
    return dlopen(path, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE) != NULL;
}

/* Finds the prefix, such as /usr, of the Python that a virtual environment was made from; "" if
 * unknown. */
static void read_home(const char *prefix, char home[PATH_MAX]) {
    char path[PATH_MAX], line[PATH_MAX];
    home[0] = '\0';
    int length = snprintf(path, sizeof path, "%s/pyvenv.cfg", prefix);
    FILE *file = length < PATH_MAX ? fopen(path, "re") : NULL;
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "home = ", 7) == 0) {
            line[strcspn(line, "\r\n")] = '\0';
            snprintf(home, PATH_MAX, "%s", line + 7);
            go_up(home);
        }
    }
    if (file) {
        fclose(file);
    }
}

/* Loads Python's own library. A module in prefix/lib/python3.X/site-packages needs this library's
 * functions in the process that loads the module. Python is not started. */
static int load_python(const char *module, char name[PATH_MAX]) {
    char folder[PATH_MAX], prefix[PATH_MAX], path[PATH_MAX + 64];
    snprintf(folder, sizeof folder, "%s", module);
    go_up(folder);
    go_up(folder);
    const char *version = strrchr(folder, '/');
    version = version && strncmp(version, "/python3.", 9) == 0 ? version + 7 : "3";
    snprintf(name, PATH_MAX, "libpython%.16s.so.1.0", version);
    if (load_for_all(name)) {
        return 1;
    }
    go_up(folder);
    go_up(folder);
    snprintf(path, sizeof path, "%s/lib/%.40s", folder, name);
    if (load_for_all(path)) {
        return 1;
    }
    read_home(folder, prefix);
    snprintf(path, sizeof path, "%s/lib/%.40s", prefix, name);
    return prefix[0] != '\0' && load_for_all(path);
}

/* Loads a module. If the module does not load, loads Python's own library and tries again: the
 * module needs the functions of Python, which only a Python process already has. */
static void load_module(const char *path, const char *wanted, dp2dpi_duckdb_module *out) {
    char python[PATH_MAX] = "";
    void *library = dlopen(path, FLAGS);
    if (library == NULL && load_python(path, python)) {
        python[0] = '\0';
        library = dlopen(path, FLAGS);
    }
    if (library && dlsym(library, wanted) == NULL) {
        dlclose(library);
        library = NULL;
    }
    /* If no module loads, the error message names the first module that was found. */
    if (library || out->path[0] == '\0') {
        snprintf(out->path, sizeof out->path, "%s", path);
        snprintf(out->needs, sizeof out->needs, "%s", python);
    }
    out->library = library;
}

static void search(const char *pattern, const char *wanted, dp2dpi_duckdb_module *out) {
    glob_t found;
    if (out->library || glob(pattern, 0, NULL, &found) != 0) {
        return;
    }
    for (size_t i = 0; i < found.gl_pathc && out->library == NULL; i++) {
        load_module(found.gl_pathv[i], wanted, out);
    }
    globfree(&found);
}

static void search_prefix(const char *prefix, const char *wanted, dp2dpi_duckdb_module *out) {
    static const char *const folders[] = {"site-packages",
                                          "dist-packages"}; /* Debian uses dist-packages */
    char pattern[PATH_MAX];
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        int length = snprintf(pattern, sizeof pattern, "%s/lib/python3*/%s/_duckdb.*.so", prefix,
                              folders[i]);
        if (length < PATH_MAX) {
            search(pattern, wanted, out);
        }
    }
}

/* Searches the folders around the program, but only if the program is where a Python wheel puts
 * programs: in PREFIX/bin, or in a folder dp2dp.scripts beside the Python packages. If the program
 * is elsewhere, such as in /tmp/build, anybody may be able to put a library near it. */
static void search_around(const char *wanted, dp2dpi_duckdb_module *out) {
    char folder[PATH_MAX], pattern[PATH_MAX + 16];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (length <= 0) {
        return;
    }
    folder[length] = '\0';
    go_up(folder);
    int installed = is_called(folder, "bin"), beside = is_called(folder, "dp2dp.scripts");
    go_up(folder);
    if (beside) {
        snprintf(pattern, sizeof pattern, "%s/_duckdb.*.so", folder);
        search(pattern, wanted, out);
    }
    if (installed) {
        search_prefix(folder, wanted, out);
    }
}

void dp2dpi_duckdb_find_module(const char *wanted, dp2dpi_duckdb_module *out) {
    static const char *const variables[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
    const char *home = getenv("HOME");
    char path[PATH_MAX];
    *out = (dp2dpi_duckdb_module) {.library = NULL};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *prefix = getenv(variables[i]);
        if (prefix && *prefix == '/') {
            search_prefix(prefix, wanted, out);
        }
    }
    search_around(wanted, out);
    if (home && *home == '/' && snprintf(path, sizeof path, "%s/.local", home) < PATH_MAX) {
        search_prefix(path, wanted, out);
    }
    search_prefix("/usr/local", wanted, out);
}
