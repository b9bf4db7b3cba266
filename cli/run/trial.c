/* The first half of a run: splits the rows, trains the classifier and scores the rows. */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "common/random.h"

/* Fills `bytes` with random bytes for one purpose of one run. The bytes are derived from the seed
 * or, without a seed, come from the operating system. */
static void derive(const cli_pipeline *p, uint64_t index, const char *purpose, unsigned char *bytes,
                   size_t size) {
    unsigned char message[32] = {0};
    if (!p->has_seed) {
        randombytes_buf(bytes, size);
        return;
    }
    for (int i = 0; i < 8; i++) {
        message[i] = (unsigned char)(p->seed >> 8 * i);
        message[8 + i] = (unsigned char)(index >> 8 * i);
    }
    strncpy((char *)message + 16, purpose, 15);
    (void)crypto_generichash(bytes, size, message, sizeof message, NULL, 0);
}

static uint64_t word_at(const unsigned char *bytes) {
    uint64_t word = 0;
    for (int i = 7; i >= 0; i--) {
        word = word << 8 | bytes[i];
    }
    return word;
}

uint64_t cli_trial_seed(const cli_pipeline *p, uint64_t index, const char *purpose) {
    unsigned char bytes[crypto_generichash_BYTES_MIN];
    derive(p, index, purpose, bytes, sizeof bytes);
    return word_at(bytes) >> 11; /* keeps 53 bits, the most that --insecure-seed accepts */
}

/* Assigns each row to a part at random. The split depends on the number of rows, not on what the
 * rows contain. */
static void split_rows(const cli_pipeline *p, cli_random *random, uint8_t *parts) {
    const size_t *sizes = p->sizes;
    for (size_t i = 0; i < p->count; i++) {
        parts[i] = i < sizes[0]              ? CLI_PART_TRAIN
                   : i < sizes[0] + sizes[1] ? CLI_PART_POOL
                                             : CLI_PART_TEST;
    }
    for (size_t i = p->count; i > 1; i--) {
        size_t j = (size_t)cli_random_below(random, i);
        uint8_t part = parts[j];
        parts[j] = parts[i - 1];
        parts[i - 1] = part;
    }
}

/* Assigns the persons to parts, in the order that `order` gives. A part ends where the number of
 * rows so far is nearest to the planned number. On entry, rows_of has the number of rows of each
 * person; on return, it has the part of each person. */
static void fill_parts(const cli_pipeline *p, const size_t *order, size_t *rows_of) {
    size_t used = 0, end = p->sizes[CLI_PART_TRAIN];
    int part = CLI_PART_TRAIN;
    for (size_t i = 0; i < p->people->person_count; i++) {
        size_t rows = rows_of[order[i]];
        /* Without this person, the part is short by (end - used) rows; with the person, it is over
         * by (used + rows - end) rows. */
        while (part < CLI_PART_TEST && 2 * used + rows > 2 * end) {
            end += p->sizes[++part];
        }
        rows_of[order[i]] = (size_t)part;
        used += rows;
    }
}

/* Assigns whole persons to parts, in a random order. */
static dp2dp_status split_persons(const cli_pipeline *p, cli_random *random, uint8_t *parts,
                                  dp2dp_error *error) {
    const cli_people *people = p->people;
    dp2dp_status status = DP2DP_STATUS_OK;
    size_t *order = calloc(people->person_count + 1, sizeof *order);
    size_t *rows_of = calloc(people->person_count + 1, sizeof *rows_of);
    CLI_TRY_OR_DONE(cli_check_memory(order && rows_of, "the persons", error));
    for (size_t i = 0; i < p->count; i++) {
        rows_of[people->person[i]]++;
    }
    for (size_t i = 0; i < people->person_count; i++) {
        size_t j = (size_t)cli_random_below(random, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    fill_parts(p, order, rows_of);
    for (size_t i = 0; i < p->count; i++) {
        parts[i] = (uint8_t)rows_of[people->person[i]];
    }
done:
    free(order);
    free(rows_of);
    return status;
}

static dp2dp_status split(const cli_pipeline *p, cli_trial *t, dp2dp_error *error) {
    unsigned char key[32];
    cli_random random;
    derive(p, t->index, "split", key, sizeof key);
    for (size_t i = 0; i < 4; i++) {
        random.state[i] = word_at(key + 8 * i);
    }
    if (p->people && p->people->person) {
        CLI_TRY(split_persons(p, &random, t->parts, error));
    } else {
        split_rows(p, &random, t->parts);
    }
    for (size_t i = 0; i < p->count; i++) {
        t->parts[i] = p->one_set && t->parts[i] == CLI_PART_POOL ? CLI_PART_TRAIN : t->parts[i];
        t->sizes[t->parts[i]]++;
    }
    if (p->one_set) {
        t->sizes[CLI_PART_POOL] = t->sizes[CLI_PART_TRAIN];
    }
    return t->sizes[CLI_PART_POOL] > 1 && t->sizes[CLI_PART_TEST] > 0 &&
                   (t->sizes[CLI_PART_TRAIN] > 0 || p->people == NULL)
               ? DP2DP_STATUS_OK
               : cli_fail(error, DP2DP_STATUS_DATA,
                          "too few persons (%zu), or persons with too many rows, to fill every "
                          "part of the split",
                          p->people ? p->people->person_count : 0);
}

dp2dp_status cli_trial_train(const cli_pipeline *p, uint64_t index, cli_trial *out,
                             dp2dp_error *error) {
    struct ArrowArrayStream rows;
    dp2dp_train_options options = p->train;
    *out = (cli_trial) {.index = index, .parts = calloc(p->count, sizeof *out->parts)};
    CLI_TRY(cli_check_memory(out->parts, "the rows", error));
    CLI_TRY(split(p, out, error));
    if (p->people == NULL) {
        return DP2DP_STATUS_OK;
    }
    options.insecure_seed =
        options.rng == DP2DP_RNG_INSECURE ? cli_trial_seed(p, index, "train") : 0;
    options.progress = p->watcher ? cli_progress_step : cli_progress_cancel;
    options.progress_context = p->watcher;
    CLI_TRY(cli_people_stream(p->people, out->parts, CLI_PART_TRAIN, &rows, error));
    return dp2dp_train(p->schema, &rows, &options, &out->classifier, error);
}

static dp2dp_status score_raw(const cli_pipeline *p, const cli_trial *t, const uint8_t *parts,
                              cli_part part, cli_rows *out, dp2dp_error *error) {
    struct ArrowArrayStream rows;
    const cli_columns columns = {
        .classes = p->classes,
        .groups = p->groups,
        .weight_count =
            p->criterion.unaware ? p->groups * (p->criterion.labelled ? p->classes : 1) : 0,
        .classifier = t->classifier,
        .parts = DP2DP_PART_LABEL | DP2DP_PART_GROUP,
        .leaves_out = p->people->fields > CLI_FIELD_LEFT_OUT,
    };
    CLI_TRY(cli_people_stream(p->people, parts, (uint8_t)part, &rows, error));
    dp2dp_status status = cli_raw_score(&columns, &rows, out, error);
    out->columns = NULL;
    return status;
}

/* Copies the rows of one part of a table of scores. */
static dp2dp_status gather(const cli_pipeline *p, const cli_trial *t, cli_part part, cli_rows *out,
                           dp2dp_error *error) {
    const cli_columns columns = {0};
    *out = (cli_rows) {.columns = &columns,
                       .classes = p->classes,
                       .weight_count = p->scored->weight_count,
                       .type = p->scored->type};
    CLI_TRY(cli_rows_make_room(out, p->sizes[part], 1, error));
    for (size_t i = 0; i < p->count; i++) {
        if (t->parts[i] == part) {
            cli_rows_copy(p->scored, i, out->count++, out);
        }
    }
    out->columns = NULL;
    return DP2DP_STATUS_OK;
}

/* Removes the rows that the schema leaves out (their group is below 0), because nothing is decided
 * or measured for them. */
static void drop_left_out(cli_rows *rows) {
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->groups[i] >= 0) {
            cli_rows_copy(rows, i, kept++, rows);
        }
    }
    rows->count = kept;
}

dp2dp_status cli_trial_score(const cli_pipeline *p, cli_trial *t, dp2dp_error *error) {
    cli_rows *rows[] = {&t->pool, &t->test};
    for (int i = 0; i < 2; i++) {
        cli_part part = i ? CLI_PART_TEST : p->one_set ? CLI_PART_TRAIN : CLI_PART_POOL;
        cli_rows_free(rows[i]);
        CLI_TRY(p->people ? score_raw(p, t, t->parts, part, rows[i], error)
                          : gather(p, t, part, rows[i], error));
    }
    drop_left_out(&t->test);
    return t->test.count > 0
               ? DP2DP_STATUS_OK
               : cli_fail(error, DP2DP_STATUS_DATA,
                          "all rows of the test part are left out, so nothing can be measured");
}

dp2dp_status cli_trial_score_all(const cli_pipeline *p, const cli_trial *t, cli_rows *out,
                                 dp2dp_error *error) {
    return score_raw(p, t, NULL, CLI_PARTS, out, error);
}

void cli_trial_free(cli_trial *t) {
    dp2dp_model_free(t->classifier);
    cli_rows_free(&t->pool);
    cli_rows_free(&t->test);
    free(t->parts);
    *t = (cli_trial) {0};
}
