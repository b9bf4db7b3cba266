/* The process in a locale whose decimal point is none, made on the spot: what a test of locales
 * needs is the C library's own localedef, and no package of locales. */
#ifndef DP2DP_TESTS_UNIT_LOCALE_DATA_H
#define DP2DP_TESTS_UNIT_LOCALE_DATA_H

#include "support.h"

#include <locale.h>
#include <sys/wait.h>
#include <unistd.h>

/* A comma, and the Arabic decimal separator, which has two bytes. */
__attribute__((unused)) static const char *const decimal_points[] = {"<U002C>", "<U066B>"};
enum {
    DECIMAL_POINTS = sizeof decimal_points / sizeof decimal_points[0]
};

static char locale_folder[] = "/tmp/dp2dp-locale-XXXXXX";

static inline int run_quietly(const char *const *arguments) {
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr)) {
            execvp(arguments[0], (char *const *)arguments);
        }
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* A file of the folder with the three texts in it. */
static inline const char *write_source(const char *name, char path[64], const char *before,
                                       const char *word, const char *after) {
    (void)snprintf(path, 64, "%s/%s", locale_folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fprintf(file, "%s%s%s\n", before, word, after) > 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

static inline void expect_other_decimal_point(void) {
    char number[16];
    (void)snprintf(number, sizeof number, "%.1f", 0.5);
    assert_string_not_equal(number, "0.5");
}

/* Every category but that of numbers is left out, of which localedef warns: its exit code says
 * nothing, and whether the locale is there shows. */
static inline void enter_locale(const char *decimal_point) {
    char characters[64], source[64], result[64];
    memcpy(locale_folder + sizeof locale_folder - 7, "XXXXXX", 6);
    assert_non_null(mkdtemp(locale_folder));
    (void)snprintf(result, sizeof result, "%s/other", locale_folder);
    const char *const build[] = {
        "localedef",
        "-c",
        "--no-archive",
        "-f",
        write_source("characters", characters,
                     "<code_set_name> UTF-8\n<escape_char> /\n<mb_cur_min> 1\n<mb_cur_max> 6\n"
                     "CHARMAP\n<U0000>..<U007F> /x00 all\n",
                     "<U066B> /xd9/xab", " it\nEND CHARMAP"),
        "-i",
        write_source("source", source, "escape_char /\nLC_NUMERIC\ndecimal_point \"", decimal_point,
                     "\"\nthousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC"),
        result,
        NULL};
    (void)run_quietly(build);
    assert_int_equal(setenv("LOCPATH", locale_folder, 1), 0);
    assert_non_null(setlocale(LC_ALL, "other"));
    expect_other_decimal_point();
}

static inline void leave_locale(void) {
    expect_other_decimal_point(); /* still */
    assert_non_null(setlocale(LC_ALL, "C"));
    assert_int_equal(unsetenv("LOCPATH"), 0);
    const char *const clean[] = {"rm", "-rf", locale_folder, NULL};
    assert_true(run_quietly(clean));
}

#endif
