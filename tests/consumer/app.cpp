// A C++ program outside this tree: it initialises every struct with its macro and computes the same
// epsilon as app.c.
#include <cstdio>
#include <string>

#include <dp2dp/dp2dp.h>

namespace {

template <typename Struct> bool is_whole(const Struct &made) {
    return made.struct_size == sizeof(Struct);
}

bool all_start_from_their_macro() {
    const dp2dp_event event = DP2DP_EVENT_INIT;
    const dp2dp_last_iterate run = DP2DP_LAST_ITERATE_INIT;
    const dp2dp_pool_options pool = DP2DP_POOL_OPTIONS_INIT;
    const dp2dp_source source = DP2DP_SOURCE_INIT;
    const dp2dp_fit_options fit = DP2DP_FIT_OPTIONS_INIT;
    const dp2dp_train_options train = DP2DP_TRAIN_OPTIONS_INIT;
    const dp2dp_predict_options predict = DP2DP_PREDICT_OPTIONS_INIT;
    const dp2dp_evaluate_options evaluate = DP2DP_EVALUATE_OPTIONS_INIT;
    const dp2dp_certify_options certify = DP2DP_CERTIFY_OPTIONS_INIT;
    const dp2dp_certificate certificate = DP2DP_CERTIFICATE_INIT;
    const dp2dp_table_options table = DP2DP_TABLE_OPTIONS_INIT;
    return is_whole(event) && is_whole(run) && is_whole(pool) && is_whole(source) &&
           is_whole(fit) && is_whole(train) && is_whole(predict) && is_whole(evaluate) &&
           is_whole(certify) && is_whole(certificate) && is_whole(table) &&
           fit.solver == DP2DP_SOLVER_COUNTS && table.separator == ',';
}

} // namespace

int main() {
    dp2dp_error error {};
    dp2dp_accountant *accountant = nullptr;
    dp2dp_event counts = DP2DP_EVENT_INIT;
    double epsilon = 0;
    if (!all_start_from_their_macro())
        return 1;
    dp2dp_status status = dp2dp_mechanism_parse("gaussian", &counts.mechanism, &error);
    counts.sensitivity = 1.4142135623730951;
    counts.sigma = 100;
    counts.count = 80;
    if (!status)
        status = dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, &error);
    if (!status)
        status = dp2dp_accountant_add(accountant, &counts, &error);
    if (!status)
        status = dp2dp_accountant_epsilon(accountant, 1e-5, DP2DP_BACKEND_AUTO, &epsilon, nullptr,
                                          &error);
    dp2dp_accountant_free(accountant);
    if (status)
        return dp2dp_status_exit_code(status);
    std::printf("version %s, epsilon %.4f at delta 1e-5\n", dp2dp_version(), epsilon);
    return std::string(dp2dp_status_name(status)) != "OK";
}
