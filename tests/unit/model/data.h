/* Model texts for the tests of the model file: makes, edits and seals them. */
#ifndef DP2DP_TESTS_UNIT_MODEL_DATA_H
#define DP2DP_TESTS_UNIT_MODEL_DATA_H

#include <jansson.h>
#include <sodium.h>

#include <dp2dp/train.h>

#include "unit/edited.h"
#include "unit/json_schema.h"
#include "unit/phase2/data.h"

#define CHECKSUM_LINE "  \"checksum\": \""

/* Model files kept from earlier versions, named after the samples below. Those of version 2.0 are
 * those of version 1.1, read and written again, and the first four of version 1.1 are those of
 * version 1.0. */
#define GOLDEN(NAME) DP2DP_TEST_DIR "/golden/model-" NAME ".json"
__attribute__((unused)) static const char *const goldens[] = {
    GOLDEN("2.0-private"),   GOLDEN("2.0-named"),   GOLDEN("2.0-exact"),
    GOLDEN("2.0-noiseless"), GOLDEN("2.0-trained"), GOLDEN("2.0-fitted"),
};
__attribute__((unused)) static const char *const goldens_1_1[] = {
    GOLDEN("1.1-private"),   GOLDEN("1.1-named"),   GOLDEN("1.1-exact"),
    GOLDEN("1.1-noiseless"), GOLDEN("1.1-trained"), GOLDEN("1.1-fitted"),
};
__attribute__((unused)) static const char *const goldens_1_0[] = {
    GOLDEN("1.0-private"),
    GOLDEN("1.0-named"),
    GOLDEN("1.0-exact"),
    GOLDEN("1.0-noiseless"),
};
enum {
    GOLDENS = sizeof goldens / sizeof goldens[0],
    GOLDENS_1_0 = sizeof goldens_1_0 / sizeof goldens_1_0[0]
};

typedef enum sample {
    SAMPLE_PRIVATE,   /* counts, secure noise */
    SAMPLE_NAMED,     /* counts, insecure noise, names, dither, normalised rows */
    SAMPLE_EXACT,     /* an empty group among three */
    SAMPLE_NOISELESS, /* counts with epsilon infinite */
    SAMPLE_SGD,       /* sgd: the ledger has an entry with Poisson sampling */
    SAMPLE_PUBLISHED, /* a claimed epsilon, no proven bound */
    SAMPLE_DECLARED,  /* counts on scores with a declared guarantee */
    SAMPLE_ON_BASE,   /* counts on the scores of SAMPLE_BARE */
    SAMPLES_WITH_RULE,
    SAMPLE_EXTERNAL = SAMPLES_WITH_RULE, /* external weights with a guarantee, no rule */
    SAMPLE_BARE,   /* external weights without a guarantee, schema from data, no rule */
    SAMPLE_GROUPS, /* as SAMPLE_EXTERNAL, predicts the group */
    SAMPLE_PAIRS,  /* as SAMPLE_EXTERNAL, predicts group and label */
    SAMPLES
} sample;

/* Three classes; the features are one number and a category with two levels and "(unknown)". The
 * samples that predict groups have two classes and two groups. */
static inline dp2dp_model *sample_classifier(sample which) {
    static const char *const schemas[] = {
        "{\"format\": \"dp2dp-schema\", \"version\": {\"major\": 1, \"minor\": 0}, "
        "\"name\": \"sample\", \"origin\": \"public\", \"norm\": 2, \"columns\": ["
        "{\"name\": \"x\", \"role\": \"feature\", \"kind\": \"numeric\", \"lower\": 0, "
        "\"upper\": 1},"
        "{\"name\": \"c\", \"role\": \"feature\", \"kind\": \"categorical\", "
        "\"levels\": [\"a\", \"b\"], \"unknown\": \"level\"},"
        "{\"name\": \"y\", \"role\": \"label\", \"kind\": \"categorical\", "
        "\"levels\": [\"no\", \"yes\", \"\xf0\x9f\x98\x80\"]}]}",
        "{\"format\": \"dp2dp-schema\", \"version\": {\"major\": 1, \"minor\": 0}, "
        "\"origin\": \"from-data\", \"columns\": ["
        "{\"name\": \"x\", \"role\": \"feature\", \"kind\": \"numeric\", \"cuts\": [1, 2]},"
        "{\"name\": \"y\", \"role\": \"label\", \"kind\": \"numeric\", \"cuts\": [0, 1], "
        "\"levels\": [\"0\", \"1\", \"2\"]}]}",
        "{\"format\": \"dp2dp-schema\", \"version\": {\"major\": 1, \"minor\": 0}, "
        "\"origin\": \"public\", \"columns\": ["
        "{\"name\": \"c\", \"role\": \"feature\", \"kind\": \"categorical\", "
        "\"levels\": [\"a\", \"b\"]},"
        "{\"name\": \"s\", \"role\": \"sensitive\", \"kind\": \"categorical\", "
        "\"levels\": [\"f\", \"m\"]},"
        "{\"name\": \"y\", \"role\": \"label\", \"kind\": \"categorical\", "
        "\"levels\": [\"no\", \"yes\"]}]}"};
    static const double weights[20] = {0.1, -0.25, 3, 0, 1e-9, 1e100, 0.5, -2, 0.75, 0, 1, 2, 3, 4};
    const char *text = schemas[which == SAMPLE_EXTERNAL ? 0 : which == SAMPLE_BARE ? 1 : 2];
    dp2dp_train_options options = DP2DP_TRAIN_OPTIONS_INIT;
    HANDLE(dp2dp_schema) *schema = NULL;
    dp2dp_model *model = NULL;
    options.method = DP2DP_TRAIN_EXTERNAL;
    options.weights = weights;
    options.target = which == SAMPLE_GROUPS  ? DP2DP_TARGET_GROUP
                     : which == SAMPLE_PAIRS ? DP2DP_TARGET_GROUP_LABEL
                                             : DP2DP_TARGET_LABEL;
    if (which != SAMPLE_BARE) {
        options.epsilon = 0.5;
        options.delta = 1e-5;
    }
    assert_ok(dp2dp_schema_load(text, &schema, &test_error));
    assert_ok(dp2dp_train(schema, NULL, &options, &model, &test_error));
    return model;
}

static inline dp2dp_model *sample_model(sample which) {
    static const char *const groups[] = {"a \"quoted\" group", "\xc3\xa9\xe2\x82\xac\\/\x01"};
    static const char *const classes[] = {"no", "yes", "\xf0\x9f\x98\x80"};
    static const char *const columns[] = {"p0", "p1", "p 2"};
    if (which >= SAMPLES_WITH_RULE) {
        return sample_classifier(which);
    }
    OWNED(people) p = people_favoured(300, 3, 2, 5);
    HANDLE(dp2dp_model) *base = which == SAMPLE_ON_BASE ? sample_classifier(SAMPLE_BARE) : NULL;
    dp2dp_pool_options pool_options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_fit_options options = seeded(1.0, UINT64_MAX);
    pool_options.strata = which == SAMPLE_EXACT ? 3 : 2;
    if (which == SAMPLE_NAMED) {
        pool_options.row_sums = DP2DP_ROW_SUMS_NORMALIZE;
        pool_options.dither = (dp2dp_dither) {0.001, UINT64_MAX - 1};
        options.names = (dp2dp_names) {groups, classes, columns, "s"};
        options.not_private_because =
            DP2DP_NOT_PRIVATE_LABELS_FROM_DATA | DP2DP_NOT_PRIVATE_SCORES_FROM_POOL;
    } else if (which == SAMPLE_EXACT) {
        options = noiseless(0.1);
        options.solver = DP2DP_SOLVER_EXACT;
        options.epsilon = NAN;
    } else if (which == SAMPLE_NOISELESS) {
        options = noiseless(0.05);
    } else {
        options.rng = DP2DP_RNG_SECURE;
        options.insecure_seed = 0;
        options.base = base;
        options.scores_epsilon = which == SAMPLE_DECLARED ? 0.5 : NAN;
        options.scores_delta = which == SAMPLE_DECLARED ? 1e-6 : NAN;
        options.solver = which == SAMPLE_SGD         ? DP2DP_SOLVER_SGD
                         : which == SAMPLE_PUBLISHED ? DP2DP_SOLVER_SGD_AS_PUBLISHED
                                                     : DP2DP_SOLVER_COUNTS;
    }
    dp2dp_matrix scores = scores_of(&p);
    dp2dp_column codes = groups_of(&p);
    HANDLE(dp2dp_pool) *pool = NULL;
    assert_ok(dp2dp_pool_new(&scores, &codes, &pool_options, &pool, NULL));
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_model *model = fit_source(&source, &options);
    return model;
}

/* Freed with dp2dp_text_free. Not inlined: otherwise gcc 12 believes that the text points to
 * itself. */
__attribute__((noinline, unused)) static char *text_of(const dp2dp_model *model, size_t *length) {
    char *text = NULL;
    assert_ok(dp2dp_model_to_json(model, &text, length, &test_error));
    assert_int_equal(strlen(text), *length);
    return text;
}

static inline char *sample_text(sample which, size_t *length) {
    HANDLE(dp2dp_model) *model = sample_model(which);
    char *text = text_of(model, length);
    return text;
}

static inline dp2dp_model *model_of(const char *text) {
    dp2dp_model *model = NULL;
    assert_ok(dp2dp_model_from_json(text, strlen(text), &model, &test_error));
    return model;
}

/* Replaces the checksum by the right one, computed as docs/model.md says: the SHA-256 of the text
 * without the line of the checksum. */
static inline void reseal(char *text) {
    unsigned char sum[crypto_hash_sha256_BYTES];
    char hex[2 * sizeof sum + 1];
    char *line = strstr(text, "\n" CHECKSUM_LINE);
    assert_non_null(line);
    line++;
    char *next = strchr(line, '\n') + 1;
    size_t before = (size_t)(line - text), after = strlen(next);
    unsigned char *rest = malloc(before + after);
    assert_non_null(rest);
    memcpy(rest, text, before);
    memcpy(rest + before, next, after);
    (void)crypto_hash_sha256(sum, rest, before + after);
    (void)sodium_bin2hex(hex, sizeof hex, sum, sizeof sum);
    memcpy(line + strlen(CHECKSUM_LINE), hex, sizeof hex - 1);
    free(rest);
}

/* The edited text, sealed again. */
static inline char *edit(const char *text, const char *from, const char *to) {
    char *copy = edited(text, from, to);
    reseal(copy);
    return copy;
}

/* Writes a JSON value in the layout of a model and seals it. Freed with free. */
static inline char *seal_json(const json_t *root) {
    FREED char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    assert_non_null(text);
    size_t length = strlen(text);
    char *closed = malloc(length + 2);
    assert_non_null(closed);
    memcpy(closed, text, length);
    memcpy(closed + length, "\n", 2);
    reseal(closed);
    return closed;
}

static inline void assert_refused(const char *text, const char *because) {
    dp2dp_model *model = (dp2dp_model *)&model;
    dp2dp_error error = {0};
    dp2dp_status status = dp2dp_model_from_json(text, strlen(text), &model, &error);
    if (status != DP2DP_STATUS_DATA || strstr(error.message, because) == NULL) {
        fail_msg("status %d, message '%s', expected '%s'", (int)status, error.message, because);
    }
    assert_null(model);
    assert_int_equal(error.status, status);
}

/* A change of a text, and a part of the message that refuses it. */
typedef struct edit_case {
    const char *from, *to, *because;
} edit_case;

static inline void refuse_edits(const char *text, const edit_case *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        FREED char *changed = edit(text, cases[i].from, cases[i].to);
        assert_refused(changed, cases[i].because);
    }
}
#define REFUSE_EDITS(text, cases) refuse_edits(text, cases, sizeof(cases) / sizeof(cases)[0])

static inline void refuse_all(sample which, const edit_case *cases, size_t n) {
    size_t length;
    TEXT_FREED char *text = sample_text(which, &length);
    refuse_edits(text, cases, n);
}
#define REFUSE_ALL(which, cases) refuse_all(which, cases, sizeof(cases) / sizeof(cases)[0])

#endif
