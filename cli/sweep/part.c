#include "sweep/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

static const char magic[] = "dp2dp-sweep-part 2";
static const char seed_key[] = "seed=";

enum {
    LINE_SIZE = 64 + 32 * CLI_SWEEP_VALUES
};

/* Returns the FNV-1a hash of the text. */
static uint64_t check_sum(const char *text, size_t length) {
    uint64_t sum = 0xCBF29CE484222325;
    for (size_t i = 0; i < length; i++) {
        sum = (sum ^ (unsigned char)text[i]) * 0x100000001B3;
    }
    return sum;
}

/* Writes a setting: a tab, its name, '=' and its value. Control characters, which could end the
 * setting, and % are written as %XX. */
static void put_setting(FILE *stream, const char *name, const char *value) {
    fprintf(stream, "\t%s=", name);
    for (const char *c = value; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == '%') {
            fprintf(stream, "%%%02X", (unsigned)(unsigned char)*c);
        } else {
            fputc(*c, stream);
        }
    }
}

/* Writes the size and the modification time of the file at `path`, so that a later sweep notices if
 * that file has changed. Does not read the file. */
static void put_stamp(FILE *stream, const char *name, const char *path) {
    struct stat info;
    char text[100] = "-";
    if (path && stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        snprintf(text, sizeof text, "%jd bytes of %jd.%09ld", (intmax_t)info.st_size,
                 (intmax_t)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
    }
    put_setting(stream, name, text);
}

/* Makes the first line of the part file: every setting that the points depend on, then the seed. */
static dp2dp_status describe(const cli_args *args, const cli_pipeline *p, char **out,
                             dp2dp_error *error) {
    static const char *const others = "out|force|threads|json|ledger|new-ledger|people|note|"
                                      "data-dir|insecure-seed";
    char number[CLI_NAME_SIZE];
    size_t length;
    FILE *stream = open_memstream(out, &length);
    CLI_TRY(cli_check_memory(stream, "the settings", error));
    fputs(magic, stream);
    put_setting(stream, "version", dp2dp_version());
    put_setting(stream, "TABLE", args->operand_count > 0 ? args->operands[0] : "");
    put_stamp(stream, "the state of TABLE", args->operand_count > 0 ? args->operands[0] : NULL);
    put_stamp(stream, "the state of --schema", cli_word(args, "schema"));
    snprintf(number, sizeof number, "%zu", p->count);
    put_setting(stream, "the number of rows", number);
    for (size_t i = 0; i < args->verb->option_count; i++) {
        const char *text = args->values[i].text, *name = args->verb->options[i].name;
        if (text && !cli_list_has(others, name)) {
            char option[CLI_NAME_SIZE + 2];
            snprintf(option, sizeof option, "--%s", name);
            put_setting(stream, option, text);
        }
    }
    put_setting(stream, "--insecure-seed",
                cli_given(args, "insecure-seed") ? cli_word(args, "insecure-seed") : "-");
    fprintf(stream, "\t%s%" PRIu64 "\n", seed_key, p->seed);
    int failed = ferror(stream);
    return fclose(stream) == 0 && !failed ? DP2DP_STATUS_OK
                                          : cli_check_memory(0, "the settings", error);
}

static size_t setting_length(const char *setting) {
    return strcspn(setting, "\t\n");
}

static int has_setting(const char *line, const char *setting) {
    size_t length = setting_length(setting);
    while (setting_length(line) != length || strncmp(line, setting, length) != 0) {
        line += setting_length(line);
        if (*line++ != '\t') {
            return 0;
        }
    }
    return 1;
}

/* `line` and `lacks` are the first lines of two part files. Returns the first setting in `line`,
 * other than the seed, that is not in `lacks`; NULL if there is none. */
static const char *find_other(const char *line, const char *lacks) {
    for (;; line++) {
        if (!has_setting(lacks, line) && strncmp(line, seed_key, sizeof seed_key - 1) != 0) {
            return line;
        }
        line += setting_length(line);
        if (*line != '\t') {
            return NULL;
        }
    }
}

/* Returns a setting that differs between two first lines, or NULL if at most the seed differs. */
static const char *difference(const char *ours, const char *theirs) {
    const char *other = find_other(ours, theirs);
    return other ? other : find_other(theirs, ours);
}

static dp2dp_status fail_other(const char *path, const char *ours, const char *theirs,
                               dp2dp_error *error) {
    if (strncmp(theirs, magic, sizeof magic - 1) != 0) {
        return cli_refuse(error,
                          "%.200s: this file is not from a sweep, but a sweep needs this file name "
                          "for the finished points; move the file away or choose another --out",
                          path);
    }
    const char *other = difference(ours, theirs);
    int length = (int)strcspn(other, "=\t\n");
    return cli_refuse(error,
                      "%.150s holds points of a sweep with other settings (%.*s differs): give the "
                      "old settings to finish that sweep, or --force to start over",
                      path, length < 40 ? length : 40, other);
}

/* Reads the line of a point. Returns 0 if the line is incomplete, as after a crash. */
static int read_point(char *line, size_t length, cli_grid *grid) {
    const char *mark = memchr(line, '#', length);
    char *at;
    double values[CLI_SWEEP_VALUES];
    if (mark == NULL || strtoull(mark + 1, NULL, 16) != check_sum(line, (size_t)(mark - line))) {
        return 0;
    }
    size_t index = (size_t)strtoull(line, &at, 10);
    for (size_t i = 0; i < CLI_SWEEP_VALUES; i++) {
        values[i] = strtod(at, &at);
    }
    if (index >= grid->count) {
        return 0;
    }
    memcpy(grid->points[index].values, values, sizeof values);
    grid->points[index].done = 1;
    return 1;
}

/* Reads the points from *end on. Sets *end to the start of the first incomplete line, which a crash
 * may leave, or to the end of the text. */
static void read_points(char *text, size_t length, cli_grid *grid, size_t *end) {
    while (*end < length) {
        const char *stop = memchr(text + *end, '\n', length - *end);
        if (stop == NULL || !read_point(text + *end, (size_t)(stop - text) - *end, grid)) {
            break;
        }
        *end = (size_t)(stop - text) + 1;
    }
}

static dp2dp_status read_all(int fd, const char *path, char **text, size_t *length,
                             dp2dp_error *error) {
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        return cli_fail(error, DP2DP_STATUS_IO, "not a regular file: %.200s", path);
    }
    *text = calloc(1, (size_t)info.st_size + 1);
    CLI_TRY(cli_check_memory(*text, "the finished points", error));
    *length = 0;
    while (*length < (size_t)info.st_size) {
        ssize_t more = pread(fd, *text + *length, (size_t)info.st_size - *length, (off_t)*length);
        if (more < 0 && errno != EINTR) {
            return cli_place_fail(error, "read", errno, path);
        }
        if (more == 0) {
            break;
        }
        *length += more > 0 ? (size_t)more : 0;
    }
    return DP2DP_STATUS_OK;
}

/* Takes over the seed and the points of an earlier sweep with these settings. Sets *end to the
 * position at which the next point is written, or to 0 if the file must be written anew. */
static dp2dp_status take_over(const cli_args *args, const char *ours, const cli_part_file *part,
                              cli_pipeline *p, cli_grid *grid, size_t *end, dp2dp_error *error) {
    char *text = NULL;
    size_t length = 0;
    dp2dp_status status = DP2DP_STATUS_OK;
    *end = 0;
    CLI_TRY_OR_DONE(read_all(part->fd, part->path, &text, &length, error));
    const char *first = memchr(text, '\n', length);
    size_t known = length < sizeof magic - 1 ? length : sizeof magic - 1;
    /* A crash before the first point is written can cut off even the first line. */
    int torn = first == NULL && memcmp(text, magic, known) == 0;
    if (!torn && (first == NULL || difference(ours, text))) {
        int is_ours = strncmp(text, magic, sizeof magic - 1) == 0;
        status = is_ours && cli_given(args, "force") ? DP2DP_STATUS_OK
                                                     : fail_other(part->path, ours, text, error);
    } else if (!torn) {
        *end = (size_t)(first - text) + 1;
        text[*end - 1] = '\0';
        const char *seed = strstr(text, "\tseed=");
        if (seed == NULL) {
            CLI_TRY_OR_DONE(fail_other(part->path, ours, "", error));
        }
        if (!cli_given(args, "insecure-seed")) {
            p->seed = strtoull(seed + sizeof seed_key, NULL, 10);
        }
        read_points(text, length, grid, end);
    }
done:
    free(text);
    return status;
}

static dp2dp_status write_line(const cli_part_file *part, const char *line, dp2dp_error *error) {
    size_t length = strlen(line), written = 0;
    while (written < length) {
        ssize_t more = write(part->fd, line + written, length - written);
        if (more < 0 && errno != EINTR) {
            return cli_place_fail(error, "write", errno, part->path);
        }
        written += more > 0 ? (size_t)more : 0;
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status open_file(const char *target, cli_part_file *part, dp2dp_error *error) {
    size_t size = strlen(target) + sizeof ".part";
    part->path = malloc(size);
    CLI_TRY(cli_check_memory(part->path, "a path", error));
    snprintf(part->path, size, "%s.part", target);
    part->fd = cli_place_open_locked(part->path, S_IRUSR | S_IWUSR);
    if (part->fd < 0) {
        return errno == EWOULDBLOCK
                   ? cli_fail(error, DP2DP_STATUS_IO,
                              "another sweep is writing this file now: %.200s", target)
                   : cli_place_fail(error, "create", errno, part->path);
    }
    return fchmod(part->fd, S_IRUSR | S_IWUSR) == 0
               ? DP2DP_STATUS_OK
               : cli_place_fail(error, "protect", errno, part->path);
}

static uint64_t choose_seed(const cli_args *args) {
    uint64_t seed;
    randombytes_buf(&seed, sizeof seed);
    return cli_given(args, "insecure-seed") ? cli_count(args, "insecure-seed") : seed >> 11;
}

/* Sets out->id to a hash of the settings in the first line and of the seed. A resumed sweep has the
 * same seed as the process that began the sweep, and so the same id. */
static void set_id(const char *settings, uint64_t seed, cli_part_file *out) {
    unsigned char hash[16], bytes[8];
    crypto_generichash_state state;
    const char *end = strstr(settings, "\tseed=");
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(seed >> 8 * i);
    }
    (void)crypto_generichash_init(&state, NULL, 0, sizeof hash);
    (void)crypto_generichash_update(&state, (const unsigned char *)settings,
                                    (unsigned long long)(end - settings));
    (void)crypto_generichash_update(&state, bytes, sizeof bytes);
    (void)crypto_generichash_final(&state, hash, sizeof hash);
    (void)sodium_bin2hex(out->id, sizeof out->id, hash, sizeof hash);
}

dp2dp_status cli_part_open(const cli_args *args, const char *target, cli_pipeline *p,
                           cli_grid *grid, cli_part_file *out, dp2dp_error *error) {
    char *ours = NULL;
    size_t end = 0;
    dp2dp_status status = DP2DP_STATUS_OK;
    *out = (cli_part_file) {.fd = -1};
    p->has_seed = 1;
    p->seed = choose_seed(args);
    CLI_TRY_OR_DONE(describe(args, p, &ours, error));
    CLI_TRY_OR_DONE(open_file(target, out, error));
    CLI_TRY_OR_DONE(take_over(args, ours, out, p, grid, &end, error));
    if (ftruncate(out->fd, (off_t)end) != 0 || lseek(out->fd, (off_t)end, SEEK_SET) < 0) {
        CLI_TRY_OR_DONE(cli_place_fail(error, "write", errno, out->path));
    }
    if (end == 0) {
        CLI_TRY_OR_DONE(write_line(out, ours, error));
    }
    out->resumed = end > 0;
    set_id(ours, p->seed, out);
    for (size_t i = 0; i < grid->count; i++) {
        out->found += grid->points[i].done != 0;
    }
done:
    free(ours);
    return status;
}

dp2dp_status cli_part_add(cli_part_file *part, const cli_grid *grid, size_t point,
                          dp2dp_error *error) {
    char line[LINE_SIZE];
    size_t used = (size_t)snprintf(line, sizeof line, "%zu ", point);
    for (size_t i = 0; i < CLI_SWEEP_VALUES; i++) {
        used += (size_t)snprintf(line + used, sizeof line - used, "%.17g ",
                                 grid->points[point].values[i]);
    }
    snprintf(line + used, sizeof line - used, "#%016" PRIx64 "\n", check_sum(line, used));
    return write_line(part, line, error);
}

void cli_part_remove(const cli_part_file *part) {
    (void)unlink(part->path);
}

void cli_part_close(cli_part_file *part) {
    if (part->fd >= 0) {
        close(part->fd);
    }
    free(part->path);
    *part = (cli_part_file) {.fd = -1};
}
