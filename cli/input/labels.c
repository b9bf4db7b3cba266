#include "input/labels.h"

#include <math.h>

enum {
    MANY = 20 /* two classes must have at least this many people each: smaller classes may be
                 separated by chance */
};

/* Notes the label of row i, which stands for `records` people. `guess` is the class with the
 * largest score. */
static void note_label(const cli_rows *rows, size_t i, uint64_t records, int32_t guess,
                       cli_watch *w) {
    w->labelled += records;
    w->right += guess == rows->labels[i] ? records : 0;
    for (size_t k = 0; k < rows->classes && k < CLI_WATCHED_CLASSES; k++) {
        double score = cli_rows_score(rows, i * rows->classes + k);
        cli_cut *cut = &w->cuts[k];
        if ((size_t)rows->labels[i] == k) {
            cut->least = cut->inside == 0 ? score : fmin(cut->least, score);
            cut->inside += records;
        } else {
            cut->most = cut->outside == 0 ? score : fmax(cut->most, score);
            cut->outside += records;
        }
    }
}

/* Returns whether the scores separate the labels perfectly, as they do if the labels are old
 * decisions at some threshold. A class is separated if all people with its label have a higher
 * score for the class than all other people. With two classes, one separated class is enough, since
 * the other score may be rounded. With more classes, every class that occurs must be separated. By
 * chance, this happens with a probability below 2 / binomial(40, 20), about 1e-11. */
static int are_cut(const cli_watch *w, size_t classes) {
    size_t occurring = 0, cut = 0, large = 0;
    if (w->labelled < DP2DP_PEOPLE_FEW || classes > CLI_WATCHED_CLASSES) {
        return 0;
    }
    for (size_t k = 0; k < classes; k++) {
        const cli_cut *c = &w->cuts[k];
        occurring += c->inside > 0;
        large += c->inside >= MANY;
        cut += c->inside > 0 && c->outside > 0 && c->least > c->most;
    }
    return large > 1 && cut > 0 && (cut == occurring || classes == 2);
}

static void note(const cli_rows *rows, size_t i, cli_watch *w) {
    uint64_t records = rows->multiplicity ? rows->multiplicity[i] : 1;
    int32_t guess = cli_rows_best(rows, i);
    w->guess = w->guessed > 0 ? w->guess : guess;
    w->guesses_vary = w->guesses_vary || guess != w->guess;
    w->guessed += records;
    if (rows->labels) {
        note_label(rows, i, records, guess, w);
    }
}

/* Returns whether bad rows are ignored. If they are, no message may depend on the rows. */
static int is_silent(const cli_columns *columns) {
    return columns->classifier ? (columns->parts & DP2DP_PART_IGNORE_BAD) != 0
                               : columns->leaves_out;
}

void cli_labels_note(const cli_rows *rows, size_t count) {
    const cli_columns *columns = rows->columns;
    cli_watch *watch = columns->watch;
    if (watch == NULL || is_silent(columns)) {
        return;
    }
    for (size_t i = rows->count; i < rows->count + count; i++) {
        int is_known =
            watch->guesses_vary &&
            rows->labels ==
                NULL; /* without labels, only guesses_vary matters, and guesses_vary is 1 already */
        if (!is_known && (!columns->leaves_out || rows->groups[i] >= 0)) {
            note(rows, i, watch);
        }
    }
}

static unsigned cut_warning(const cli_watch *w, size_t classes) {
    return are_cut(w, classes) ? (unsigned)DP2DP_WARNING_LABELS_ARE_DECISIONS : 0U;
}

unsigned cli_labels_warnings(const cli_columns *columns) {
    const cli_watch *w = columns->watch;
    unsigned found = 0;
    if (w && w->guessed > 0) {
        found |= dp2dp_warn_of_classes(w->guessed, w->guesses_vary ? 0 : w->guessed);
    }
    if (w && w->labelled > 0) {
        found |= dp2dp_warn_of_labels(w->labelled, w->right, columns->classes) |
                 cut_warning(w, columns->classes);
    }
    return found;
}

/* The oddities of a pool that nothing else reports: odd_scores.c reports the others. */
static const unsigned of_pool = DP2DP_ODDITY_PAIRS_TRANSPOSED;

unsigned cli_pool_warnings(const cli_columns *columns, const dp2dp_pool *pool,
                           uint64_t rows_per_person, unsigned *oddities) {
    const unsigned several = rows_per_person > 1 ? (unsigned)DP2DP_WARNING_ROWS_REPEATED |
                                                       (unsigned)DP2DP_WARNING_SURVEY_WEIGHTS
                                                 : 0U;
    unsigned found = is_silent(columns) ? 0U : dp2dp_pool_warnings(pool) & ~several;
    if (oddities) {
        *oddities = found & of_pool;
    }
    return found & ~(DP2DP_WARNING_MEASURED - 1);
}

unsigned cli_rows_are_cut(const cli_rows *rows) {
    cli_watch watch = {0};
    for (size_t i = 0; rows->labels && i < rows->count; i++) {
        note(rows, i, &watch);
    }
    return cut_warning(&watch, rows->classes);
}
