/* A program that attacks every method on its worst pair of neighbouring data sets and prints the ε
 * that is claimed, the ε that is accounted for soundly, and the ε that the attack shows.
 *
 * The pairs and attackers are those of tests/privacy (*_pair.h). Each of these headers has its own
 * struct setting, so each method has a file here; main.c has the list. */
#ifndef DP2DP_TESTS_ATTACKED_H
#define DP2DP_TESTS_ATTACKED_H

#include "privacy/attack.h"

/* One row of the table, as planned. The sizes are those of the data set; group, batch and
 * group_least are 0 where a method has none. */
typedef struct target target;

typedef struct job {
    int runs;      /* on each of the two data sets; an eighth as many more choose a threshold */
    uint64_t seed; /* of the insecure generator */
    double noise;  /* the planted fault: a factor on the noise of our methods */
    double miss;   /* the probability with which one bound on an error rate may be wrong */
} job;

typedef struct found {
    double claimed;
    double sound;         /* NAN: no bound is known */
    double attacked_any;  /* lower bound on ε for any mechanism */
    double attacked_form; /* lower bound on ε for releases of a given form; NAN: no form given */
    double sigma_counts, sigma_sums; /* as published: the noise; else 0 */
} found;

struct target {
    const char *method;
    found (*attack)(const target *t, const job *j);
    double epsilon;
    size_t records, group, batch, steps, group_least;
    const char *pair; /* what is different in the second data set */
    int runs;
};

enum {
    LOOKS = 2 /* in every row: one for each lower bound */
};

/* Runs the attack, whose statistic is a log likelihood ratio, and fills in both lower bounds:
 *
 *     attacked_any   log((1 − δ − FNR)/FPR), or the same with both rates exchanged. The threshold
 *                    and the direction are chosen on runs of their own.
 *     attacked_form  The releases are n events of the given form with an unknown amount of noise.
 *                    The guess is "second" if the ratio is above 0. Its error rates rule out all
 *                    amounts above some noise; this is the ε of that noise. With n = 0: NAN.
 */
void attack_pair(const job *j, setting *s, attack run, const dp2dp_event *form, size_t n,
                 found *out);

found attack_counts(const target *t, const job *j);
found attack_sgd(const target *t, const job *j);
found attack_dpgd(const target *t, const job *j);
found attack_dpsgd(const target *t, const job *j);
found attack_output(const target *t, const job *j);
found attack_certificate(const target *t, const job *j);
found attack_published(const target *t, const job *j);

#endif
