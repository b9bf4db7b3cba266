#include "input/odd_scores.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    MANY = 20, /* no caution is given for fewer rows than this: in a few rows, all scores may be 0
                  or 1, or equal, by chance */
    ONE_GROUP = 100, /* fewest rows for the note that all are in one group; as for raw rows */
    TEXT_SIZE = 512
};

static size_t size_of(dp2dp_type type) {
    return type == DP2DP_FLOAT32 ? sizeof(float) : sizeof(double);
}

static double score_of(const void *scores, dp2dp_type type, size_t i) {
    return type == DP2DP_FLOAT32 ? (double)((const float *)scores)[i] : ((const double *)scores)[i];
}

static int is_sure(const void *scores, dp2dp_type type, size_t i) {
    double score = score_of(scores, type, i);
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

/* Compares each row with the first row of the table, until a row differs. In an ordinary table the
 * second row differs, so this takes almost no time. */
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

/* Adds the group scores of each row, divided by their sum, to the sums of the columns. */
static void add_weights(cli_watch *watch, const void *weights, dp2dp_type type, size_t rows,
                        size_t columns) {
    for (size_t i = 0; i < rows && columns <= CLI_WATCHED_WEIGHTS; i++) {
        double sum = 0;
        for (size_t j = 0; j < columns; j++) {
            sum += score_of(weights, type, i * columns + j);
        }
        for (size_t j = 0; j < columns; j++) {
            watch->weight_sums[j] += score_of(weights, type, i * columns + j) / sum;
        }
    }
}

void cli_odd_scores_note_weights(const cli_columns *columns, const void *weights, dp2dp_type type,
                                 size_t count) {
    cli_watch *watch = columns->watch;
    if (columns->leaves_out || watch == NULL) {
        return;
    }
    watch->weighted += count;
    add_weights(watch, weights, type, count, columns->weight_count);
    watch->weights_graded =
        watch->weights_graded || has_unsure(weights, type, count * columns->weight_count);
}

void cli_odd_scores_note_groups(const cli_columns *columns, const int32_t *groups, size_t count) {
    cli_watch *w = columns->watch;
    if (columns->leaves_out || w == NULL) {
        return;
    }
    if (w->grouped == 0 && count > 0) {
        w->first_group = groups[0];
    }
    for (size_t i = 0; i < count && !w->groups_vary; i++) {
        w->groups_vary = groups[i] != w->first_group;
    }
    w->grouped += count;
}

static void remember_id(cli_watch *w, uint64_t id) {
    size_t i = 0;
    while (i < w->id_count && w->ids[i] != id) {
        i++;
    }
    if (i == w->id_count) {
        w->id_count++;
        if (i < CLI_WATCHED_IDS) {
            w->ids[i] = id;
        }
    }
}

/* Finds the only id that more than half of the rows can have, by a majority vote (Boyer and Moore).
 * A row with the id `frequent_id` adds a vote for this id; a row with another id takes a vote
 * away. */
void cli_odd_scores_note_ids(const cli_columns *columns, const uint64_t *ids, size_t count) {
    cli_watch *w = columns->watch;
    if (columns->leaves_out || w == NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (w->id_count <= CLI_WATCHED_IDS) {
            remember_id(w, ids[i]);
        }
        w->frequent_id = w->id_lead == 0 ? ids[i] : w->frequent_id;
        w->id_lead += w->frequent_id == ids[i] ? 1 : (uint64_t)-1;
    }
    w->identified += count;
}

/* Returns whether one id surely belongs to at least half of the rows, or all rows together have
 * only a few different ids. Such ids tell people apart only if the table is about a handful of
 * people. */
static int has_few_ids(const cli_columns *columns) {
    const cli_watch *w = columns->watch;
    return w && w->identified >= MANY &&
           (2 * w->id_lead >= w->identified ||
            (w->id_count <= CLI_WATCHED_IDS && w->identified >= MANY * w->id_count));
}

/* Returns whether all row sums are near `whole`. If scores are rounded to a tenth of `whole`, each
 * score is wrong by up to 5 % of `whole`. So 5 % are allowed for each class, but at most 20 % for
 * the sum.
 */
static int are_near(const cli_columns *columns, double whole) {
    double rounding = fmin(0.05 * (double)columns->classes, 0.2) * whole;
    return columns->watch->least_sum >= whole - rounding &&
           columns->watch->most_sum <= whole + rounding;
}

/* Returns whether the sums of the rows show that the scores are neither probabilities nor
 * percentages. Sums of probabilities are nearly equal: if the scores have two decimals, the sums
 * over up to four classes differ by less than 5 %. If the scores have one decimal, their sums may
 * differ more, but are near 1 (for percentages, near 100). */
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

/* Returns the name of the group that all rows are in, or NULL. A shard of a larger table may be
 * about one group on purpose. */
static const char *find_one_group(const cli_columns *columns) {
    const cli_watch *w = columns->watch;
    int is_one = w && w->grouped >= ONE_GROUP && !w->groups_vary && w->first_group >= 0;
    return is_one && !columns->is_shard && columns->groups > 1
               ? columns->group_names[w->first_group]
               : NULL;
}

int cli_odd_scores_are_groups(const cli_columns *columns) {
    const cli_watch *w = columns->watch;
    return w && w->weighted >= MANY && !w->weights_graded;
}

static const char decisions[] = "CAUTION: every score is 0 or 1. These look like decisions. A fair "
                                "rule needs probabilities.";
static const char equal[] = "CAUTION: all rows have the same scores, so the scores do not tell one "
                            "person from another. Do the scores belong to these people?";
static const char groups[] = "CAUTION: every group score is 0 or 1. These look like the groups "
                             "themselves. If they are, the rule sees the group.";

static const char ids[] =
    "CAUTION: many rows share one id or a few ids, so these rows also share the random number "
    "(dither) that is added to their scores. Is the column in --id the one in which each person "
    "has an id of their own?";

enum {
    ODDITIES = 6
};

/* The memory of the messages that name numbers or columns. */
typedef struct texts {
    char sums[TEXT_SIZE], group[TEXT_SIZE];
} texts;

/* Fills `out` with the cautions and notes that apply, and returns their number. May write to
 * *text. */
static size_t find_cautions(const cli_columns *columns, texts *text, const char *out[ODDITIES]) {
    const char *group = find_one_group(columns);
    size_t count = 0;
    if (has_odd_sums(columns)) {
        snprintf(text->sums, TEXT_SIZE,
                 "CAUTION: the scores of each row are divided by their sum. These sums range from "
                 "%g to %g, so the scores are neither rounded probabilities (sums near 1) nor "
                 "percentages (sums near 100). Is there a probability for each class?",
                 columns->watch->least_sum, columns->watch->most_sum);
        out[count++] = text->sums;
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
    if (has_few_ids(columns)) {
        out[count++] = ids;
    }
    if (group) {
        snprintf(text->group, TEXT_SIZE,
                 "Note: all %" PRIu64 " values of %.120s are in the group \"%.120s\". Was the "
                 "table cut from a larger table that is sorted by %.120s?",
                 columns->watch->grouped, columns->group, group, columns->group);
        out[count++] = text->group;
    }
    return count;
}

void cli_odd_scores_text(const cli_columns *columns, cli_out *out) {
    texts text;
    const char *cautions[ODDITIES];
    size_t count = find_cautions(columns, &text, cautions);
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
    if (has_few_ids(columns)) {
        cli_json_truth(json, "ids_are_few", 1);
    }
    if (find_one_group(columns)) {
        cli_json_text(json, "one_group", find_one_group(columns));
    }
}

void cli_odd_scores_tell(const cli_columns *columns) {
    texts text;
    const char *cautions[ODDITIES];
    size_t count = find_cautions(columns, &text, cautions);
    for (size_t i = 0; i < count; i++) {
        const char *noun = strncmp(cautions[i], "Note", 4) == 0 ? "note" : "caution";
        cli_print_safely(stderr, cautions[i]);
        fprintf(stderr, " This %s comes from the data without noise: do not publish the %s.\n",
                noun, noun);
    }
}
