#include <inttypes.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "common/json.h"
#include "common/out.h"
#include "common/random.h"
#include "output/sink.h"

typedef struct mixture {
    size_t features, classes, components;
    double group_share; /* --p: share of group 1 in the first half of the classes */
    double *centres;    /* classes x components x features, then one row of scratch space */
} mixture;

/* Draws the centres of the clouds. Cloud i of class k has the centre c^k + mu^k_i, where c^k is
 * uniform on [-1, 1]^d (d is the number of features) and mu^k_i is standard normal. For each class,
 * c^k is drawn first. */
static dp2dp_status draw_mixture(const cli_args *args, cli_random *random, mixture *out,
                                 dp2dp_error *error) {
    *out = (mixture) {.features = cli_count(args, "features"),
                      .classes = cli_count(args, "classes"),
                      .components = cli_count(args, "components"),
                      .group_share = cli_real(args, "p")};
    size_t d = out->features;
    size_t clouds = out->classes * out->components;
    /* Each size is at most 10^4, so the products fit. */
    out->centres = calloc(clouds + 1, d * sizeof *out->centres);
    CLI_TRY(cli_check_memory(out->centres, "the centres of the clouds", error));
    double *centre = out->centres, *shared = out->centres + clouds * d;
    for (size_t k = 0; k < out->classes; k++) {
        for (size_t j = 0; j < d; j++) {
            shared[j] = 2 * cli_random_uniform(random) - 1;
        }
        for (size_t i = 0; i < out->components; i++, centre += d) {
            for (size_t j = 0; j < d; j++) {
                centre[j] = shared[j] + cli_random_normal(random);
            }
        }
    }
    return DP2DP_STATUS_OK;
}

/* The group is drawn last, so features and labels do not depend on --p. */
static void write_row(const mixture *m, cli_random *random, FILE *stream) {
    uint64_t label = cli_random_below(random, m->classes);
    uint64_t component = cli_random_below(random, m->components);
    const double *centre = m->centres + (label * m->components + component) * m->features;
    for (size_t j = 0; j < m->features; j++) {
        fprintf(stream, "%.6f,", centre[j] + cli_random_normal(random));
    }
    double share = label < m->classes / 2 ? m->group_share : 1 - m->group_share;
    fprintf(stream, "%d,%" PRIu64 "\n", cli_random_uniform(random) < share ? 1 : -1, label);
}

dp2dp_status cmd_synth(const cli_args *args, cli_out *out, dp2dp_error *error) {
    cli_random random = cli_random_insecure(cli_count(args, "insecure-seed"));
    cli_sink sink = {.to = -1};
    mixture m = {0};
    uint64_t rows = cli_count(args, "samples");
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_sink_check_json(args, "rows", error));
    CLI_TRY_OR_DONE(cli_sink_open(args, CLI_SINK_STREAMED, &sink, error));
    CLI_TRY_OR_DONE(draw_mixture(args, &random, &m, error));
    for (size_t j = 1; j <= m.features; j++) {
        fprintf(sink.stream, "x%zu,", j);
    }
    fputs("s,y\n", sink.stream);
    for (uint64_t i = 0; i < rows && !ferror(sink.stream); i++) {
        write_row(&m, &random, sink.stream);
    }
    CLI_TRY_OR_DONE(cli_sink_commit(&sink, error));
    if (cli_given(args, "json")) {
        cli_json json = cli_json_begin(out->stream);
        cli_json_text(&json, "out", cli_word(args, "out"));
        cli_json_count(&json, "rows", rows);
        cli_json_count(&json, "features", m.features);
        cli_json_count(&json, "classes", m.classes);
        cli_json_count(&json, "components", m.components);
        cli_json_real(&json, "p", m.group_share);
        cli_json_count(&json, "insecure_seed", cli_count(args, "insecure-seed"));
        cli_json_end(&json);
    } else if (sink.path) {
        cli_sink_report(args, out, "%" PRIu64 " %s", rows, cli_noun(rows, "row", "rows"));
    }
done:
    free(m.centres);
    cli_sink_close(&sink);
    return status;
}
