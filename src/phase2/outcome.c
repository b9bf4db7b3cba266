#include "phase2/outcome.h"

#include <math.h>

#include <dp2dp/model.h>

/* A gap counts as too large only if it exceeds the tolerance by more than this number. A smaller
 * excess is hardly noticeable. */
static const double gap_noticed = 0.01;
/* A constant rule counts as better only if it changes fewer decisions than the fitted rule does, by
 * more than this share of all decisions. */
static const double clearly_fewer = 0.05;
static const double significant = 4.0; /* a difference is more than noise if it exceeds this many
                                          standard deviations */

static double max_of(double a, double b) {
    return a > b ? a : b;
}

static double variance_of(const dp2dpi_outcome *o, size_t s, double people, double tables) {
    return o->noise * (double)o->statistics->sizes[s] / (people * people * tables);
}

/* Adds a table to the regression lines, one for each rate on its own offset. All tables are needed,
 * because one table at offsets 0 is too noisy to tell a gap. Without noise, the first table is
 * exact, and only this one is added. */
static void add_to_lines(dp2dpi_outcome *o, uint64_t t, const dp2dpi_outcome_table *table) {
    for (size_t i = 0; i < o->groups * o->statistics->count && (t == 1 || o->noise > 1.0); i++) {
        dp2dpi_outcome_line *line = &o->lines[i];
        double offset = table->offsets[i], rate = table->centred[i];
        line->tables += 1.0;
        line->offset += offset;
        line->rate += rate;
        line->offset_square += offset * offset;
        line->offset_rate += offset * rate;
    }
}

/* Returns the rate at which the regression line crosses offset 0. Sets *tables to the number of
 * tables at offset 0 whose mean rate would be as exact. */
static double rate_at_0(const dp2dpi_outcome_line *line, double *tables) {
    double mean = line->offset / line->tables;
    double spread = line->offset_square - mean * line->offset;
    double slope = spread > 0.0 ? (line->offset_rate - mean * line->rate) / spread : 0.0;
    *tables = 1.0 / (1.0 / line->tables + (spread > 0.0 ? mean * mean / spread : 0.0));
    return line->rate / line->tables - slope * mean;
}

/* The gap must be small enough together with its standard error, so that a large gap that looks
 * small by chance is hardly ever taken for noise. */
int dp2dpi_outcome_is_within_noise(const dp2dpi_outcome *o, const double *people) {
    size_t n = o->statistics->count;
    for (size_t a = 0; a < o->groups * n; a++) {
        for (size_t b = a % n; b < o->groups * n; b += n) {
            double of_a = max_of(people[a], 1.0), of_b = max_of(people[b], 1.0), here, there;
            double gap = rate_at_0(&o->lines[a], &here) - rate_at_0(&o->lines[b], &there);
            double error =
                o->noise > 1.0
                    ? sqrt(variance_of(o, a % n, of_a, here) + variance_of(o, a % n, of_b, there))
                    : 0.0;
            double least = fmin(of_a, of_b);
            double of_fit = variance_of(o, a % n, least, (double)o->steps) + 0.25 / least;
            if (a != b && gap + error > 2.0 * sqrt(2.0 * of_fit)) {
                return 0;
            }
        }
    }
    return 1;
}

static double right_share(const dp2dpi_outcome *o, const dp2dpi_outcome_table *table) {
    size_t labels = o->statistics->labels;
    double right = 0.0, records = 0.0;
    for (size_t e = 0; e < o->groups * labels; e++) {
        right += table->sizes[e] * table->rates[e * o->classes + e % labels];
        records += table->sizes[e];
    }
    return right / records;
}

/* Adds to people[k] the number of people who get class k, for each class. */
static void add_people(const dp2dpi_outcome *o, const dp2dpi_outcome_table *table, double *people) {
    for (size_t e = 0; e < o->groups * o->statistics->labels; e++) {
        for (size_t k = 0; k < o->classes; k++) {
            people[k] += table->sizes[e] * table->rates[e * o->classes + k];
        }
    }
}

void dp2dpi_outcome_add(dp2dpi_outcome *o, uint64_t t, const dp2dpi_outcome_table *table) {
    add_to_lines(o, t, table);
    if (t == 1) {
        add_people(o, table, o->own);
    }
    if (2 * t <= o->steps) {
        return;
    }
    for (size_t i = 0; i < o->groups * o->statistics->count; i++) {
        o->gaps[i] += table->centred[i];
    }
    add_people(o, table, o->ruled);
    if (o->labelled) {
        o->correct += right_share(o, table);
    }
    o->tables++;
}

/* A rate that falls by less than this, per unit of its offset, hardly depends on the offset. */
static const double hardly_falls = 0.05;

/* All regression lines together estimate how much a rate changes per unit of its own offset. A line
 * counts in proportion to its precision. */
unsigned dp2dpi_outcome_judge_source(const dp2dpi_outcome *o, const double *people) {
    size_t n = o->statistics->count;
    double information = 0.0, sum = 0.0;
    for (size_t i = 0; i < o->groups * n; i++) {
        const dp2dpi_outcome_line *line = &o->lines[i];
        double weight = 1.0 / variance_of(o, i % n, max_of(people[i], 1.0), 1.0);
        double mean = line->tables > 0.0 ? line->offset / line->tables : 0.0;
        information += weight * (line->offset_square - mean * line->offset);
        sum += weight * (line->offset_rate - mean * line->rate);
    }
    double slope = information > 0.0 ? sum / information : -1.0;
    double error = information > 0.0 ? sqrt(1.0 / information) : 1.0;
    return 8.0 * error > hardly_falls ? 0U
           : slope > hardly_falls     ? (unsigned)DP2DP_ODDITY_OFFSETS_ADDED
           : slope > -hardly_falls    ? (unsigned)DP2DP_ODDITY_OFFSETS_IGNORED
                                      : 0U;
}

int dp2dpi_outcome_is_apart(const dp2dpi_outcome *o, const double *kappas, const double *people) {
    size_t n = o->statistics->count;
    double tables = (double)o->tables;
    for (size_t a = 0; a < o->groups * n && o->tables > 0; a++) {
        for (size_t b = a % n; b < o->groups * n; b += n) {
            double gap = (o->gaps[a] - o->gaps[b]) / tables;
            double noise = sqrt(variance_of(o, a % n, max_of(people[a], 1.0), tables) +
                                variance_of(o, a % n, max_of(people[b], 1.0), tables));
            if (gap > kappas[a] + kappas[b] + gap_noticed + significant * noise) {
                return 1;
            }
        }
    }
    return 0;
}

/* Does the work of dp2dpi_outcome_constant if records are not counted under their labels. For the
 * fitted rule and for a constant rule, estimates how many decisions are the same as without a rule
 * (offsets 0), and compares the two numbers. Let a_k people get class k without a rule, and b_k
 * people with the fitted rule. The fitted rule leaves at most Σ_k min(a_k, b_k) decisions
 * unchanged. A constant rule for class k leaves a_k decisions unchanged.
 *
 * The noise of a_k is larger than that of b_k, because a_k comes from a single table. So the
 * allowance for noise uses the noise of a_k for both numbers. */
static int32_t constant_by_changes(const dp2dpi_outcome *o) {
    double kept = 0.0, records = 0.0, tables = (double)o->tables;
    size_t best = 0;
    for (size_t k = 0; k < o->classes; k++) {
        records += o->own[k];
        kept += fmin(o->own[k], o->ruled[k] / tables);
        best = o->own[k] > o->own[best] ? k : best;
    }
    double noise = sqrt(o->noise * (double)(o->groups * o->statistics->labels));
    double allowed = significant * noise * (1.0 + sqrt((double)o->classes));
    return o->own[best] > kept + clearly_fewer * records + allowed ? (int32_t)best : -1;
}

int32_t dp2dpi_outcome_constant(const dp2dpi_outcome *o, const double *sizes) {
    size_t labels = o->statistics->labels, best = 0;
    double most = 0.0, records = 0.0;
    if (o->tables == 0) {
        return -1;
    }
    if (!o->labelled) {
        return constant_by_changes(o);
    }
    for (size_t y = 0; y < labels; y++) {
        double people = 0.0;
        for (size_t g = 0; g < o->groups; g++) {
            people += sizes[g * labels + y];
        }
        records += people;
        best = people > most ? y : best;
        most = max_of(most, people);
    }
    double tables = (double)o->tables, cells = (double)(o->groups * labels);
    double noise = sqrt(o->noise * cells / tables) / records;
    return most / records > o->correct / tables + significant * noise ? (int32_t)best : -1;
}
