#include "data_sets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "out.h"

#define UCI "https://archive.ics.uci.edu/ml/machine-learning-databases/"

const cli_data_set cli_data_sets[] = {
    {
        .name = "adult",
        .title = "Adult (Census Income): income above 50,000 dollars, sex",
        .schemas = {"adult", "adult-cut"},
        .page = "https://archive.ics.uci.edu/dataset/2/adult",
        .header = "age,workclass,fnlwgt,education,education-num,marital-status,occupation,"
                  "relationship,race,sex,capital-gain,capital-loss,hours-per-week,native-country,"
                  "income",
        .files = {{.path = "adult/adult.data",
                   .sha256 = "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
                   .url = UCI "adult/adult.data",
                   .is_table = 1},
                  {.path = "adult/adult.test",
                   .sha256 = "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
                   .url = UCI "adult/adult.test",
                   .is_table = 1,
                   .skip = 1},
                  {.path = "adult/adult.names",
                   .sha256 = "c248284c0b5de30c9e1958d6cdd168a34a654758b620e68f46aefa83fc0a576a",
                   .url = UCI "adult/adult.names"}},
        .file_count = 3,
    },
    {
        .name = "credit",
        .title = "Default of Credit Card Clients: default next month, sex",
        .schemas = {"credit"},
        .page = "https://archive.ics.uci.edu/dataset/350/default+of+credit+card+clients",
        .header = "ID,LIMIT_BAL,SEX,EDUCATION,MARRIAGE,AGE,PAY_0,PAY_2,PAY_3,PAY_4,PAY_5,PAY_6,"
                  "BILL_AMT1,BILL_AMT2,BILL_AMT3,BILL_AMT4,BILL_AMT5,BILL_AMT6,PAY_AMT1,PAY_AMT2,"
                  "PAY_AMT3,PAY_AMT4,PAY_AMT5,PAY_AMT6,default payment next month",
        .how_to_get = "the archive has a spreadsheet; save it as CSV, without its first line",
        .files = {{.path = "credit/default_of_credit_card_clients.csv",
                   .sha256 = "4edce6da569b2c30788a85fd98a9bafb1a983e8ca1a7aac875dd7ff853cbd0bb",
                   .is_table = 1,
                   .skip = 1}},
        .file_count = 1,
    },
    {
        .name = "parkinsons",
        .title = "Parkinsons Telemonitoring: total UPDRS above 27.576, sex",
        .schemas = {"parkinsons"},
        .page = "https://archive.ics.uci.edu/dataset/189/parkinsons+telemonitoring",
        .header = "subject#,age,sex,test_time,motor_UPDRS,total_UPDRS,Jitter(%),Jitter(Abs),"
                  "Jitter:RAP,Jitter:PPQ5,Jitter:DDP,Shimmer,Shimmer(dB),Shimmer:APQ3,"
                  "Shimmer:APQ5,Shimmer:APQ11,Shimmer:DDA,NHR,HNR,RPDE,DFA,PPE",
        .files = {{.path = "parkinsons/parkinsons_updrs.data",
                   .sha256 = "f2c7d5025dec4e92e7feae367a5f7ccf58789a10ac6b54bdf15976c599f9dd39",
                   .url = UCI "parkinsons/telemonitoring/parkinsons_updrs.data",
                   .is_table = 1,
                   .skip = 1},
                  {.path = "parkinsons/parkinsons_updrs.names",
                   .sha256 = "744dc2835eab5c0fc744c638e5e6b05e656788f60f8aa2aba9d48e21c629f7c2",
                   .url = UCI "parkinsons/telemonitoring/parkinsons_updrs.names"}},
        .file_count = 2,
    },
};

const size_t cli_data_set_count = sizeof cli_data_sets / sizeof cli_data_sets[0];

const cli_data_set *cli_data_set_find(const char *name) {
    for (size_t i = 0; i < cli_data_set_count; i++) {
        if (strcmp(cli_data_sets[i].name, name) == 0) {
            return &cli_data_sets[i];
        }
    }
    return NULL;
}

const cli_data_set *cli_data_set_of_schema(const char *schema) {
    for (size_t i = 0; i < cli_data_set_count; i++) {
        for (size_t j = 0; j < 2; j++) {
            const char *name = cli_data_sets[i].schemas[j];
            if (name && strcmp(name, schema) == 0) {
                return &cli_data_sets[i];
            }
        }
    }
    return NULL;
}

dp2dp_status cli_data_folder(const cli_args *args, const char **out, dp2dp_error *error) {
    *out = cli_given(args, "data-dir") ? cli_word(args, "data-dir") : getenv("DP2DP_DATA");
    return *out && **out
               ? DP2DP_STATUS_OK
               : cli_fail(error, DP2DP_STATUS_ARGUMENT,
                          "say where the files are with --data-dir or the environment variable "
                          "DP2DP_DATA");
}

dp2dp_status cli_data_path(const char *folder, const cli_data_file *file, char **out,
                           dp2dp_error *error) {
    size_t size = strlen(folder) + strlen(file->path) + 2;
    *out = malloc(size);
    if (*out == NULL) {
        return cli_fail(error, DP2DP_STATUS_MEMORY, "out of memory for a path");
    }
    snprintf(*out, size, "%s/%s", folder, file->path);
    return DP2DP_STATUS_OK;
}

/* Where the bytes of a file go while its checksum is taken. */
typedef struct copy {
    FILE *to; /* NULL: nowhere */
    int skip; /* lines yet to be left out */
    int in_line;
    uint64_t lines; /* written */
} copy;

/* Whole lines but the first ones and empty ones; every line ends with a newline. */
static void copy_bytes(copy *c, const char *bytes, size_t length) {
    for (const char *end = bytes + length; bytes < end;) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t run = (size_t)((newline ? newline : end) - bytes);
        if (c->skip > 0) {
            c->skip -= newline != NULL;
        } else {
            fwrite(bytes, 1, run, c->to);
            c->in_line |= run > 0;
            if (newline && c->in_line) {
                fputc('\n', c->to);
                c->lines++;
                c->in_line = 0;
            }
        }
        bytes += run + (newline != NULL);
    }
}

static dp2dp_status pass_file(const char *path, const cli_data_file *file, copy *c,
                              cli_data_state *state, dp2dp_error *error) {
    crypto_hash_sha256_state hash;
    unsigned char sum[crypto_hash_sha256_BYTES];
    char hex[CLI_SHA256_SIZE], block[1 << 16];
    size_t length;
    FILE *from = fopen(path, "rb");
    *state = CLI_DATA_ABSENT;
    if (from == NULL) {
        return errno == ENOENT || errno == ENOTDIR
                   ? DP2DP_STATUS_OK
                   : cli_fail(error, DP2DP_STATUS_IO, "cannot open: %s: %.200s", strerror(errno),
                              path);
    }
    (void)crypto_hash_sha256_init(&hash);
    while ((length = fread(block, 1, sizeof block, from)) > 0) {
        (void)crypto_hash_sha256_update(&hash, (const unsigned char *)block, length);
        if (c->to) {
            copy_bytes(c, block, length);
        }
    }
    int failed = ferror(from);
    fclose(from);
    if (failed) {
        return cli_fail(error, DP2DP_STATUS_IO, "cannot read: %.200s", path);
    }
    if (c->to && c->in_line) {
        copy_bytes(c, "\n", 1);
    }
    (void)crypto_hash_sha256_final(&hash, sum);
    (void)sodium_bin2hex(hex, sizeof hex, sum, sizeof sum);
    *state = strcmp(hex, file->sha256) == 0 ? CLI_DATA_GOOD : CLI_DATA_WRONG;
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_data_check(const char *path, const cli_data_file *file, cli_data_state *state,
                            dp2dp_error *error) {
    copy nowhere = {0};
    return pass_file(path, file, &nowhere, state, error);
}

static dp2dp_status join_file(const char *folder, const cli_data_set *set,
                              const cli_data_file *file, FILE *to, uint64_t *rows,
                              dp2dp_error *error) {
    char *path = NULL;
    copy c = {.to = file->is_table ? to : NULL, .skip = file->skip};
    cli_data_state state = CLI_DATA_ABSENT;
    dp2dp_status status = cli_data_path(folder, file, &path, error);
    if (status == DP2DP_STATUS_OK) {
        status = pass_file(path, file, &c, &state, error);
    }
    if (status == DP2DP_STATUS_OK && state == CLI_DATA_ABSENT && file->is_table) {
        status =
            set->how_to_get
                ? cli_fail(error, DP2DP_STATUS_IO, "not there: %.120s; %s", path, set->how_to_get)
                : cli_fail(error, DP2DP_STATUS_IO,
                           "not there: %.120s; dp2dp data %s --data-dir DIR --download gets it",
                           path, set->name);
    } else if (status == DP2DP_STATUS_OK && state == CLI_DATA_WRONG) {
        status = cli_fail(error, DP2DP_STATUS_DATA,
                          "the SHA-256 is not that of the data set: %.120s", path);
    }
    *rows += c.lines;
    free(path);
    return status;
}

dp2dp_status cli_data_join(const char *folder, const cli_data_set *set, FILE *to, uint64_t *rows,
                           dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    *rows = 0;
    fprintf(to, "%s\n", set->header);
    for (size_t i = 0; i < set->file_count && status == DP2DP_STATUS_OK; i++) {
        status = join_file(folder, set, &set->files[i], to, rows, error);
    }
    if (status == DP2DP_STATUS_OK && (fflush(to) != 0 || ferror(to))) {
        status = cli_fail(error, DP2DP_STATUS_IO, "cannot write the table: %s", strerror(errno));
    }
    return status;
}

dp2dp_status cli_data_table(const char *folder, const cli_data_set *set,
                            char path[CLI_DATA_PATH_SIZE], FILE **table, uint64_t *rows,
                            dp2dp_error *error) {
    *table = tmpfile();
    if (*table == NULL) {
        return cli_fail(error, DP2DP_STATUS_IO, "cannot create a temporary file: %s",
                        strerror(errno));
    }
    dp2dp_status status = cli_data_join(folder, set, *table, rows, error);
    if (status != DP2DP_STATUS_OK) {
        fclose(*table);
        *table = NULL;
        return status;
    }
    rewind(*table);
    snprintf(path, CLI_DATA_PATH_SIZE, "/dev/fd/%d", fileno(*table));
    return DP2DP_STATUS_OK;
}
