#include "input/odd_scores.h"

#include <math.h>

enum {
    MANY = 20, /* with fewer rows, all scores may be 0 or 1, or equal, by chance */
    TEXT_SIZE = 256
};

static size_t size_of(dp2dp_type type) {
    return type == DP2DP_FLOAT32 ? sizeof(float) : sizeof(double);
}

static int is_sure(const void *scores, dp2dp_type type, size_t i) {
    double score =
        type == DP2DP_FLOAT32 ? (double)((const float *)scores)[i] : ((const double *)scores)[i];
    return score == 0 || score == 1;
}

static int has_unsure(const void *scores, dp2dp_type type, size_t count) {
    size_t i = 0;
    while (i < count && is_sure(scores, type, i)) {
        i++;
    }
    return i < count;
}

/* Returns a hash of bytes: FNV-1a with 64 bits. */
static uint64_t hash_of(const unsigned char *bytes, size_t size) {
    uint64_t hash = 0xcbf29ce484222325U;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3U;
    }
    return hash;
}

/* Compares rows until the first one that differs, so this costs nothing in an ordinary table. */
static void note_varied(cli_watch *watch, const unsigned char *rows, size_t size, size_t count) {
    if (watch->scored == 0 && count > 0) {
        watch->first_scores = hash_of(rows, size);
    }
    for (size_t i = 0; i < count && !watch->varied; i++) {
        watch->varied = hash_of(rows + i * size, size) != watch->first_scores;
    }
}

void cli_odd_scores_note(const cli_columns *columns, const double *sums, const void *scores,
                         dp2dp_type type, size_t count) {
    cli_watch *watch = columns->watch;
    if (columns->leaves_out || watch == NULL) {
        return;
    }
    double least = watch->scored > 0 ? watch->least_sum : INFINITY, most = watch->most_sum;
    for (size_t i = 0; i < count; i++) {
        least = sums[i] < least ? sums[i] : least;
        most = sums[i] > most ? sums[i] : most;
    }
    watch->least_sum = least;
    watch->most_sum = most;
    note_varied(watch, scores, columns->classes * size_of(type), count);
    watch->scored += count;
    watch->graded = watch->graded || has_unsure(scores, type, count * columns->classes);
}

void cli_odd_scores_note_weights(const cli_columns *columns, const void *weights, dp2dp_type type,
                                 size_t count) {
    cli_watch *watch = columns->watch;
    if (columns->leaves_out || watch == NULL) {
        return;
    }
    watch->weighted += count;
    watch->weights_graded =
        watch->weights_graded || has_unsure(weights, type, count * columns->weight_count);
}

/* Returns whether nothing may be said about the rows, because bad ones are ignored. */
static int is_silent(const cli_columns *columns) {
    return columns->classifier ? (columns->parts & DP2DP_PART_IGNORE_BAD) != 0
                               : columns->leaves_out;
}

void cli_guesses_note(const cli_rows *rows, size_t count) {
    const cli_columns *columns = rows->columns;
    cli_watch *watch = columns->watch;
    if (watch == NULL || is_silent(columns)) {
        return;
    }
    for (size_t i = rows->count; i < rows->count + count; i++) {
        if ((watch->guesses_vary && rows->labels == NULL) ||
            (columns->leaves_out && rows->groups[i] < 0)) {
            continue;
        }
        uint64_t records = rows->multiplicity ? rows->multiplicity[i] : 1;
        int32_t guess = cli_rows_best(rows, i);
        watch->guess = watch->guessed > 0 ? watch->guess : guess;
        watch->guesses_vary = watch->guesses_vary || guess != watch->guess;
        watch->guessed += records;
        watch->labelled += rows->labels ? records : 0;
        watch->right += rows->labels && guess == rows->labels[i] ? records : 0;
    }
}

unsigned cli_guesses_warnings(const cli_columns *columns) {
    const cli_watch *w = columns->watch;
    return w == NULL ? 0U
                     : dp2dp_warn_of_classes(w->guessed, w->guesses_vary ? 0 : w->guessed) |
                           (w->labelled > 0
                                ? dp2dp_warn_of_labels(w->labelled, w->right, columns->classes)
                                : 0U);
}

/* Returns whether all sums are about `whole`, as the sums of scores with one decimal are: each of
 * them may be off by 5 % of the whole. */
static int are_near(const cli_columns *columns, double whole) {
    double rounding = fmin(0.05 * (double)columns->classes, 0.2) * whole;
    return columns->watch->least_sum >= whole - rounding &&
           columns->watch->most_sum <= whole + rounding;
}

/* Returns whether the sums of the rows differ too much. Probabilities and percentages have nearly
 * equal sums, whatever constant they are multiplied by: at two decimals, sums of up to four classes
 * differ by less than 5 %. Scores with one decimal sum to about 1 or 100. Other numbers, such as
 * ids or logits, do neither, nor do the scores of only some of the classes. */
static int has_odd_sums(const cli_columns *columns) {
    const cli_watch *w = columns->watch;
    return w && w->scored > 0 && columns->row_sums == DP2DP_ROW_SUMS_NORMALIZE &&
           w->most_sum > 1.05 * w->least_sum && !are_near(columns, 1) && !are_near(columns, 100);
}

static int are_decisions(const cli_columns *columns) {
    const cli_watch *w = columns->watch;
    return w && w->scored >= MANY && !w->graded;
}

static int are_equal(const cli_columns *columns) {
    const cli_watch *w = columns->watch;
    return w && w->scored >= MANY && !w->varied;
}

int cli_odd_scores_are_groups(const cli_columns *columns) {
    const cli_watch *w = columns->watch;
    return w && w->weighted >= MANY && !w->weights_graded;
}

static const char decisions[] = "CAUTION: every score is 0 or 1. These look like decisions. A fair "
                                "rule needs probabilities.";
static const char equal[] = "CAUTION: all rows have equal scores, which do not tell one person "
                            "from another. Are these the scores of these people?";
static const char groups[] = "CAUTION: every group score is 0 or 1. These look like the groups "
                             "themselves, so the rule sees the group.";

enum {
    ODDITIES = 4
};

/* Writes the cautions that apply to `out`, and returns their number. May write to `text`. */
static size_t find_cautions(const cli_columns *columns, char text[TEXT_SIZE],
                            const char *out[ODDITIES]) {
    size_t count = 0;
    if (has_odd_sums(columns)) {
        snprintf(text, TEXT_SIZE,
                 "CAUTION: the scores of a row sum to anything from %g to %g, and are normalized. "
                 "These are neither rounded probabilities nor percentages. Is there a probability "
                 "for each class?",
                 columns->watch->least_sum, columns->watch->most_sum);
        out[count++] = text;
    }
    if (are_decisions(columns)) {
        out[count++] = decisions;
    }
    if (are_equal(columns)) {
        out[count++] = equal;
    }
    if (cli_odd_scores_are_groups(columns)) {
        out[count++] = groups;
    }
    return count;
}

void cli_odd_scores_text(const cli_columns *columns, cli_out *out) {
    char text[TEXT_SIZE];
    const char *cautions[ODDITIES];
    size_t count = find_cautions(columns, text, cautions);
    for (size_t i = 0; i < count; i++) {
        cli_out_prose(out, "%s", cautions[i]);
    }
}

void cli_odd_scores_json(const cli_columns *columns, cli_json *json) {
    if (has_odd_sums(columns)) {
        const double sums[] = {columns->watch->least_sum, columns->watch->most_sum};
        cli_json_reals(json, "row_sums", sums, 2);
    }
    if (are_decisions(columns)) {
        cli_json_truth(json, "scores_are_decisions", 1);
    }
    if (are_equal(columns)) {
        cli_json_truth(json, "scores_are_equal", 1);
    }
    if (cli_odd_scores_are_groups(columns)) {
        cli_json_truth(json, "group_scores_are_groups", 1);
    }
}

void cli_odd_scores_tell(const cli_columns *columns) {
    char text[TEXT_SIZE];
    const char *cautions[ODDITIES];
    size_t count = find_cautions(columns, text, cautions);
    for (size_t i = 0; i < count; i++) {
        fprintf(stderr, "%s This caution is about the data: do not publish it.\n", cautions[i]);
    }
}
