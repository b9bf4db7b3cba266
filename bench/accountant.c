/* Times the accountant on cases read from stdin, one per line:
 *     epsilon   BACKEND ADJACENCY SIGMA   RATE STEPS DELTA
 *     calibrate BACKEND ADJACENCY EPSILON RATE STEPS DELTA
 * RATE 1 is the plain Gaussian, below 1 Poisson sampling. SIGMA is the standard deviation of the
 * noise on the sum, divided by the norm bound of one record. Prints the ε or σ found and the CPU
 * seconds of one call with a new accountant; the start of the process is not counted. compare.py
 * reads this. */
#include <string.h>

#include "timing.h"

/* A case is repeated until both limits are reached. */
static const double AT_LEAST_SECONDS = 0.2;
enum {
    AT_LEAST_CALLS = 3,
    WORD = 32
};

typedef struct task {
    char verb[WORD];
    dp2dp_backend backend;
    dp2dp_adjacency adjacency;
    dp2dp_event event;
    double epsilon, delta;
} task;

static int task_read(task *out) {
    char backend[WORD], adjacency[WORD];
    double scale, rate;
    unsigned long long steps;
    dp2dp_error error;
    *out = (task) {.event = DP2DP_EVENT_INIT};
    if (scanf("%31s %31s %31s %lf %lf %llu %lf", out->verb, backend, adjacency, &scale, &rate,
              &steps, &out->delta) != 7) {
        return 0;
    }
    require(dp2dp_backend_parse(backend, &out->backend, &error), &error);
    require(dp2dp_adjacency_parse(adjacency, &out->adjacency, &error), &error);
    out->event.mechanism = rate < 1.0 ? DP2DP_POISSON : DP2DP_GAUSSIAN;
    out->event.rate = rate < 1.0 ? rate : 0.0;
    out->event.count = steps;
    out->event.sensitivity = out->adjacency == DP2DP_REPLACE_ONE ? 2.0 : 1.0;
    if (strcmp(out->verb, "calibrate") == 0) {
        out->epsilon = scale;
    } else {
        out->event.sigma = scale;
    }
    return 1;
}

static double run(const task *t) {
    dp2dp_error error;
    dp2dp_accountant *accountant = NULL;
    dp2dp_event event = t->event;
    double value = 0.0;
    require(dp2dp_accountant_new(t->adjacency, &accountant, &error), &error);
    if (strcmp(t->verb, "calibrate") == 0) {
        require(dp2dp_accountant_calibrate(accountant, t->backend, DP2DP_FIND_SIGMA, t->epsilon,
                                           t->delta, &event, NULL, &error),
                &error);
        value = event.sigma;
    } else {
        require(dp2dp_accountant_add(accountant, &event, &error), &error);
        require(dp2dp_accountant_epsilon(accountant, t->delta, t->backend, &value, NULL, &error),
                &error);
    }
    dp2dp_accountant_free(accountant);
    return value;
}

int main(void) {
    task t;
    while (task_read(&t)) {
        double start = cpu_seconds(), spent = 0.0, value = 0.0;
        unsigned calls = 0;
        while (calls < AT_LEAST_CALLS || spent < AT_LEAST_SECONDS) {
            value = run(&t);
            calls++;
            spent = cpu_seconds() - start;
        }
        printf("%.17g %.9g\n", value, spent / calls);
        fflush(stdout);
    }
    return 0;
}
