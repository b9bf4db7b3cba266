/* A program outside this tree that uses every struct that may grow. package.bats compiles it with
 * the headers of an older and of a newer library; it must compute the same with both. Its first
 * line of output has the sizes of the structs, the rest is what it computed. */
#include <dp2dp/dp2dp.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    PEOPLE = 2000
};

static void check(dp2dp_status status, const dp2dp_error *error) {
    if (status) {
        fprintf(stderr, "%s\n", error->message);
        exit(dp2dp_status_exit_code(status));
    }
}

static void account(dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_last_iterate run = DP2DP_LAST_ITERATE_INIT;
    double epsilon;
    event.mechanism = DP2DP_POISSON;
    event.sensitivity = 2;
    event.rate = 0.01;
    event.count = 100;
    check(dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, error), error);
    check(dp2dp_accountant_calibrate(accountant, DP2DP_BACKEND_AUTO, DP2DP_FIND_SIGMA, 1, 1e-5,
                                     &event, &epsilon, error),
          error);
    check(dp2dp_accountant_add(accountant, &event, error), error);
    dp2dp_accountant_free(accountant);
    printf("event: sigma %.12g, epsilon %.12g\n", event.sigma, epsilon);
    run.sensitivity = run.step_size = run.smoothing = 1;
    run.sigma = 10;
    run.population = 1000;
    run.share_min = 0.5;
    run.diameter = 2;
    run.steps = 100;
    run.batch = 1000;
    check(dp2dp_last_iterate_epsilon(&run, 1e-5, &epsilon, error), error);
    printf("last iterate: epsilon %.12g\n", epsilon);
}

static dp2dp_model *fit(dp2dp_pool **pool, dp2dp_error *error) {
    static double scores[PEOPLE][2];
    static int8_t groups[PEOPLE];
    dp2dp_matrix matrix = {scores, DP2DP_FLOAT64, PEOPLE, 2, sizeof scores[0], sizeof(double)};
    dp2dp_column column = {groups, DP2DP_INT8, PEOPLE, 1};
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_fit_options how = DP2DP_FIT_OPTIONS_INIT;
    dp2dp_model *model = NULL;
    for (int i = 0; i < PEOPLE; i++) {
        groups[i] = (int8_t)(i % 3 == 0);
        scores[i][0] = (i * 37 % 1000 + 200 * groups[i]) / 1200.0;
        scores[i][1] = 1 - scores[i][0];
    }
    options.strata = 2;
    check(dp2dp_pool_new(&matrix, &column, &options, pool, error), error);
    how.epsilon = 1;
    how.delta = 1e-5;
    how.rng = DP2DP_RNG_INSECURE;
    how.insecure_seed = 1;
    dp2dp_source source = dp2dp_pool_source(*pool);
    check(dp2dp_fit(&source, &how, &model, error), error);
    for (int cell = 0; cell < 4; cell++)
        printf("offset %.9g\n", dp2dp_model_view(model)->offsets[cell]);
    return model;
}

/* The library fills in two structs; it must not write to the guards around them. */
static void read_back(const dp2dp_model *model, const dp2dp_pool *pool, dp2dp_error *error) {
    struct {
        long before;
        dp2dp_event event;
        long between;
        dp2dp_certificate certificate;
        long after;
    } guarded = {1, DP2DP_EVENT_INIT, 2, DP2DP_CERTIFICATE_INIT, 3};
    dp2dp_certify_options options = DP2DP_CERTIFY_OPTIONS_INIT;
    dp2dp_predict_options predict = DP2DP_PREDICT_OPTIONS_INIT;
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_rng_kind rng;
    const double one[2] = {0.5, 0.5};
    const int8_t group = 1;
    const dp2dp_matrix row = {one, DP2DP_FLOAT64, 1, 2, sizeof one, sizeof(double)};
    const dp2dp_column column = {&group, DP2DP_INT8, 1, 1};
    int32_t decision;
    options.epsilon = 1;
    options.delta = 1e-5;
    options.rng = DP2DP_RNG_INSECURE;
    check(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &options.ledger, error), error);
    check(dp2dp_certify(&source, model, &options, &guarded.certificate, error), error);
    check(dp2dp_ledger_entry(options.ledger, 0, &guarded.event, &rng, error), error);
    dp2dp_ledger_free(options.ledger);
    check(dp2dp_model_predict(model, &row, &column, &predict, &decision, error), error);
    printf("certificate: upper %.12g, sigma %.12g, decision %d, guards %ld%ld%ld\n",
           guarded.certificate.unfairness_upper, guarded.event.sigma, (int)decision, guarded.before,
           guarded.between, guarded.after);
}

int main(void) {
    dp2dp_error error;
    dp2dp_pool *pool = NULL;
    printf("sizes");
#define SIZE(type) printf(" %zu", sizeof(dp2dp_##type))
    SIZE(event), SIZE(last_iterate), SIZE(pool_options), SIZE(fit_options), SIZE(certificate);
    SIZE(predict_options), SIZE(certify_options), SIZE(source);
    printf("\n");
    account(&error);
    dp2dp_model *model = fit(&pool, &error);
    read_back(model, pool, &error);
    dp2dp_model_free(model);
    dp2dp_pool_free(pool);
    return 0;
}
