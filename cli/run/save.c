#include "run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/out.h"
#include "output/sink.h"

static dp2dp_status io_fail(int err, const char *folder, dp2dp_error *error) {
    return cli_fail(error, DP2DP_STATUS_IO, "--save: cannot write: %s: %.200s", strerror(err),
                    folder);
}

/* Refuses a folder that cannot be written to or, if it does not exist, cannot be created. Sets
 * *there to whether the folder exists. */
static dp2dp_status check_folder(const char *folder, int *there, dp2dp_error *error) {
    struct stat info;
    *there = stat(folder, &info) == 0;
    if (*there && !S_ISDIR(info.st_mode)) {
        return cli_fail(error, DP2DP_STATUS_IO, "--save: not a folder: %.200s", folder);
    }
    char above[PATH_MAX];
    snprintf(above, sizeof above, "%s", folder);
    return access(*there ? folder : dirname(above), W_OK | X_OK) == 0
               ? DP2DP_STATUS_OK
               : io_fail(errno, folder, error);
}

/* Writes the path of the file for a run. */
static dp2dp_status make_path(const char *folder, size_t run, char path[PATH_MAX],
                              dp2dp_error *error) {
    int length = snprintf(path, PATH_MAX, "%s/run-%zu.csv", folder, run);
    return length < PATH_MAX ? DP2DP_STATUS_OK : io_fail(ENAMETOOLONG, folder, error);
}

dp2dp_status cli_save_check(const cli_args *args, dp2dp_error *error) {
    char path[PATH_MAX];
    int there = 0;
    if (cli_given(args, "save")) {
        CLI_TRY(check_folder(cli_word(args, "save"), &there, error));
    }
    for (size_t i = 0; there && i < cli_count(args, "runs"); i++) {
        CLI_TRY(make_path(cli_word(args, "save"), i, path, error));
        CLI_TRY(cli_place_check(args, "save", path, error));
    }
    return DP2DP_STATUS_OK;
}

static void write_rows(const cli_pipeline *p, const cli_run *run, FILE *stream) {
    static const char *const parts[CLI_PARTS] = {"train", "pool", "test"};
    const dp2dp_schema_info *info = dp2dp_schema_view(p->schema);
    const int64_t *rows = p->people->values[CLI_FIELD_ROW];
    const int32_t *groups = p->people->values[CLI_FIELD_GROUP];
    const int32_t *labels = p->people->values[CLI_FIELD_LABEL];
    fputs("row,split,group,label,unfair,prediction\n", stream);
    for (size_t i = 0; i < p->people->count && !ferror(stream); i++) {
        if (cli_people_is_left_out(p->people, i)) {
            continue;
        }
        const char *cells[] = {info->groups[groups[i]], info->classes[labels[i]],
                               info->classes[run->unfair[i]], info->classes[run->fair[i]]};
        int both = p->one_set && run->parts[i] != CLI_PART_TEST;
        fprintf(stream, "%" PRId64 ",%s", rows[i], both ? "both" : parts[run->parts[i]]);
        for (size_t j = 0; j < sizeof cells / sizeof cells[0]; j++) {
            fputc(',', stream);
            cli_csv_cell(stream, cells[j]);
        }
        fputc('\n', stream);
    }
}

static dp2dp_status write_run(const cli_args *args, const char *path, const cli_pipeline *pipeline,
                              const cli_run *run, dp2dp_error *error) {
    cli_sink sink = {.to = -1};
    dp2dp_status status = DP2DP_STATUS_OK;
    mode_t before = umask(S_IRWXG | S_IRWXO); /* nobody else may read the rows */
    status = cli_sink_open_path(args, "save", path, CLI_SINK_WHOLE, &sink, error);
    (void)umask(before);
    CLI_TRY_OR_DONE(status);
    sink.mode = S_IRUSR | S_IWUSR;
    write_rows(pipeline, run, sink.stream);
    status = cli_sink_commit(&sink, error);
done:
    cli_sink_close(&sink);
    return status;
}

dp2dp_status cli_save_runs(const cli_args *args, const cli_pipeline *pipeline, const cli_run *runs,
                           size_t count, dp2dp_error *error) {
    const char *folder = cli_word(args, "save");
    char path[PATH_MAX];
    dp2dp_status status = DP2DP_STATUS_OK;
    int created = folder && mkdir(folder, 0777) == 0;
    if (folder && !created && errno != EEXIST) {
        return io_fail(errno, folder, error);
    }
    for (size_t i = 0; folder && i < count; i++) {
        CLI_TRY_OR_DONE(make_path(folder, i, path, error));
        CLI_TRY_OR_DONE(write_run(args, path, pipeline, &runs[i], error));
    }
done:
    if (created && status != DP2DP_STATUS_OK) {
        (void)rmdir(folder); /* keeps the folder if a file was already written to it */
    }
    return status;
}
