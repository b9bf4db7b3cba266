/* A fitted rule: h(p, e) = argmax_k p_k − θ_ek, lowest k on a tie, computed in
 * float32. Immutable; shared by threads. */
#ifndef DP2DP_MODEL_H
#define DP2DP_MODEL_H

#include <stdint.h>

#include <dp2dp/data.h>
#include <dp2dp/ledger.h>
#include <dp2dp/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dp2dp_solver {
    DP2DP_SOLVER_COUNTS = 1,
    DP2DP_SOLVER_EXACT = 2
} dp2dp_solver;

typedef struct dp2dp_model dp2dp_model;

DP2DP_API void dp2dp_model_free(dp2dp_model *model);
DP2DP_API size_t dp2dp_model_events(const dp2dp_model *model);
DP2DP_API size_t dp2dp_model_classes(const dp2dp_model *model);
/* θ, events × classes, row-major; every value is representable as a float32. Ownership: the
 * model's. */
DP2DP_API const double *dp2dp_model_offsets(const dp2dp_model *model);
/* The (noisy) shares π̄ of the events. Ownership: the model's. */
DP2DP_API const double *dp2dp_model_shares(const dp2dp_model *model);
/* What was charged for this model; empty for a model without a guarantee. Ownership: the model's.
 */
DP2DP_API const dp2dp_ledger *dp2dp_model_ledger(const dp2dp_model *model);
/* 1 if secure noise was added everywhere and the ledger tells the whole cost. */
DP2DP_API int dp2dp_model_is_private(const dp2dp_model *model);

/* What solver `exact` proved about its rule, in mean accuracy by the scores' own probabilities. No
 * randomised rule with U ≤ ρ on the pool reaches more than dual; one reaches primal; the
 * deterministic rule reaches rule, with the unfairness that its ties leave. ARGUMENT for a model of
 * another solver. */
typedef struct dp2dp_optimality {
    double dual, primal;
    double rule, unfairness;
} dp2dp_optimality;

DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_model_optimality(const dp2dp_model *model, dp2dp_optimality *out, dp2dp_error *error);

/* Decisions for many records: out[i] is the class of row i. Codes outside 0..events−1 and
 * scores that are not numbers are refused with their row. Nothing is allocated. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_model_predict(
    const dp2dp_model *model, const dp2dp_matrix *scores, const dp2dp_column *events, int32_t *out,
    dp2dp_error *error);

#ifdef __cplusplus
}
#endif
#endif
