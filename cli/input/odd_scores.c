#include "input/odd_scores.h"

#include <math.h>

enum {
    MANY = 20, /* with fewer rows, all scores may be 0 or 1 by chance */
    TEXT_SIZE = 256
};

static int is_sure(const void *scores, dp2dp_type type, size_t i) {
    double score =
        type == DP2DP_FLOAT32 ? (double)((const float *)scores)[i] : ((const double *)scores)[i];
    return score == 0 || score == 1;
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
    watch->scored += count;
    for (size_t i = 0; i < count * columns->classes && !watch->graded; i++) {
        watch->graded = !is_sure(scores, type, i);
    }
}

/* Returns whether the sums of the rows differ too much. Rounded scores and percentages have nearly
 * equal sums. Other numbers, such as ids, do not, nor do the scores of only some of the classes. */
static int has_odd_sums(const cli_columns *columns) {
    const cli_watch *w = columns->watch;
    return w && columns->row_sums == DP2DP_ROW_SUMS_NORMALIZE && w->most_sum > 2 * w->least_sum;
}

static int are_decisions(const cli_columns *columns) {
    const cli_watch *w = columns->watch;
    return w && w->scored >= MANY && !w->graded;
}

static const char decisions[] = "CAUTION: every score is 0 or 1. These look like decisions. A fair "
                                "rule needs probabilities.";

static void describe_sums(const cli_columns *columns, char text[TEXT_SIZE]) {
    snprintf(text, TEXT_SIZE,
             "CAUTION: the scores of a row sum to anything from %g to %g, and are normalized. Is "
             "every column of scores a probability, and is there one for each class?",
             columns->watch->least_sum, columns->watch->most_sum);
}

void cli_odd_scores_text(const cli_columns *columns, cli_out *out) {
    char text[TEXT_SIZE];
    if (has_odd_sums(columns)) {
        describe_sums(columns, text);
        cli_out_prose(out, "%s", text);
    }
    if (are_decisions(columns)) {
        cli_out_prose(out, "%s", decisions);
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
}

void cli_odd_scores_tell(const cli_columns *columns) {
    static const char secret[] = "This caution is about the data: do not publish it.";
    char text[TEXT_SIZE];
    if (has_odd_sums(columns)) {
        describe_sums(columns, text);
        fprintf(stderr, "%s %s\n", text, secret);
    }
    if (are_decisions(columns)) {
        fprintf(stderr, "%s %s\n", decisions, secret);
    }
}
