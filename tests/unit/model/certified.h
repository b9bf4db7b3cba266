/* Certificates for tests: a model, people that it was not made from, and a ledger of theirs. */
#ifndef DP2DP_TESTS_UNIT_MODEL_CERTIFIED_H
#define DP2DP_TESTS_UNIT_MODEL_CERTIFIED_H

#include <dp2dp/metrics.h>

#include "unit/model/data.h"

enum {
    CERTIFIED_CELLS = 6 /* of the samples: two groups, three classes */
};

typedef struct certified {
    double table[CERTIFIED_CELLS];
    dp2dp_certificate certificate;
    dp2dp_certify_options options;
} certified;

static inline dp2dp_certify_options certify_options(dp2dp_ledger *ledger, uint64_t seed) {
    dp2dp_certify_options options = DP2DP_CERTIFY_OPTIONS_INIT;
    options.epsilon = 1;
    options.delta = 1e-5;
    options.rng = DP2DP_RNG_INSECURE;
    options.insecure_seed = seed;
    options.ledger = ledger;
    return options;
}

/* Certifies a model of SAMPLE_PRIVATE or the like on people of its own. */
static inline void certify_sample(const dp2dp_model *model, certified *c) {
    OWNED(people) p = people_favoured(900, 3, 2, 77);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    c->certificate = DP2DP_CERTIFICATE_INIT;
    c->certificate.table = c->table;
    assert_ok(dp2dp_certify(&source, model, &c->options, &c->certificate, &test_error));
}

/* Freed with dp2dp_text_free. */
__attribute__((noinline, unused)) static char *certificate_text(const dp2dp_model *model,
                                                                const certified *c) {
    char *text = NULL;
    size_t length = 0;
    assert_ok(dp2dp_certificate_to_json(&c->certificate, model, &c->options, &text, &length,
                                        &test_error));
    assert_int_equal(strlen(text), length);
    return text;
}

static inline void write_text(const char *path, const char *text) {
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

#endif
