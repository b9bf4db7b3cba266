#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "common/json.h"
#include "common/number.h"
#include "common/out.h"
#include "common/random.h"
#include "output/sink.h"

typedef struct mixture {
    size_t features, classes, components, groups;
    double p;
    double *shares;   /* share of each group in all rows */
    double *odd_even; /* each group's share among the odd groups (1, 3, ...) or among the even
                         groups (0, 2, ...) */
    double odd[2];    /* share of the odd groups: [0] in the first half of the classes, [1] in the
                         other classes */
    double *centres;  /* classes x components x features, then one row of scratch space */
} mixture;

static dp2dp_status read_shares(const cli_args *args, mixture *m, dp2dp_error *error) {
    char item[CLI_ITEM_SIZE];
    const char *text = cli_word(args, "shares"), *rest = text;
    double sum = 0;
    size_t count = 0;
    for (; rest; count++) {
        double share = 0;
        rest = cli_item_next(rest, item);
        if (cli_number_parse(item, &share) != CLI_PARSED || !(share > 0)) {
            return cli_refuse(error,
                              "--shares '%.60s' is not a list of numbers above 0, such as "
                              "0.5,0.3,0.2",
                              text);
        }
        if (count < m->groups) {
            m->shares[count] = share;
        }
        sum += share;
    }
    if (count != m->groups) {
        return cli_refuse(error,
                          "--shares has %zu numbers, but --groups is %zu: give one share "
                          "per group",
                          count, m->groups);
    }
    return fabs(sum - 1) <= 1e-9 ? DP2DP_STATUS_OK
                                 : cli_refuse(error, "--shares must sum to 1, but sum to %s",
                                              cli_number_exact(sum).text);
}

/* Sets m->odd and m->odd_even. Let a be the share of the odd groups (1, 3, ...) in all rows. Their
 * share in the first half of the classes is a + (2p - 1) min(a, 1 - a). Their share in the other
 * classes follows, because a is fixed. Two groups without --shares are as in the paper: group 1 has
 * the share p in the first half of the classes, and 1 - p in the other classes. */
static dp2dp_status read_groups(const cli_args *args, mixture *m, dp2dp_error *error) {
    size_t first_half = m->classes / 2;
    double kinds[2] = {0}, h = (double)first_half / (double)m->classes;
    m->groups = cli_count(args, "groups");
    m->p = cli_real(args, "p");
    m->shares = calloc(m->groups, sizeof *m->shares);
    m->odd_even = calloc(m->groups, sizeof *m->odd_even);
    CLI_TRY(cli_check_memory(m->shares && m->odd_even, "the groups", error));
    for (size_t g = 0; g < m->groups; g++) {
        m->shares[g] = 1 / (double)m->groups;
    }
    if (cli_given(args, "shares")) {
        CLI_TRY(read_shares(args, m, error));
    }
    for (size_t g = 0; g < m->groups; g++) {
        kinds[g % 2] += m->shares[g];
    }
    for (size_t g = 0; g < m->groups; g++) {
        m->odd_even[g] = m->shares[g] / kinds[g % 2];
    }
    double a = kinds[1] / (kinds[0] + kinds[1]);
    double moved = (2 * m->p - 1) * fmin(a, 1 - a);
    int as_in_paper = m->groups == 2 && !cli_given(args, "shares");
    m->odd[0] = as_in_paper ? m->p : a + moved;
    m->odd[1] = as_in_paper ? 1 - m->p : a - moved * h / (1 - h);
    return DP2DP_STATUS_OK;
}

/* Draws the centres of the clouds. Cloud i of class k has the centre c^k + mu^k_i, where c^k is
 * uniform on [-1, 1]^d (d is the number of features) and mu^k_i is standard normal. For each class,
 * c^k is drawn first. */
static dp2dp_status draw_centres(cli_random *random, mixture *out, dp2dp_error *error) {
    size_t d = out->features;
    size_t clouds = out->classes * out->components;
    /* Each factor is at most 10^4, so the products do not overflow. */
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

/* Draws a group with one uniform number. */
static size_t draw_group(const mixture *m, uint64_t label, cli_random *random) {
    double odd = m->odd[label < m->classes / 2 ? 0 : 1], u = cli_random_uniform(random);
    int is_odd = u < odd;
    double below = is_odd ? 0 : odd, width = is_odd ? odd : 1 - odd;
    size_t group = is_odd, next = group + 2;
    for (below += width * m->odd_even[group]; next < m->groups && u >= below; next += 2) {
        group = next;
        below += width * m->odd_even[group];
    }
    return group;
}

/* Draws a row and writes it. Draws the group last, so that features and labels do not depend on
 * --p, --groups and --shares. */
static void write_row(const mixture *m, cli_random *random, FILE *stream) {
    uint64_t label = cli_random_below(random, m->classes);
    uint64_t component = cli_random_below(random, m->components);
    const double *centre = m->centres + (label * m->components + component) * m->features;
    for (size_t j = 0; j < m->features; j++) {
        fprintf(stream, "%.6f,", centre[j] + cli_random_normal(random));
    }
    int group = (int)draw_group(m, label, random);
    fprintf(stream, "%d,%" PRIu64 "\n", m->groups == 2 ? 2 * group - 1 : group, label);
}

dp2dp_status cmd_synth(const cli_args *args, cli_out *out, dp2dp_error *error) {
    cli_random random = cli_random_insecure(cli_count(args, "insecure-seed"));
    cli_sink sink = {.to = -1};
    mixture m = {.features = cli_count(args, "features"),
                 .classes = cli_count(args, "classes"),
                 .components = cli_count(args, "components")};
    uint64_t rows = cli_count(args, "samples");
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(read_groups(args, &m, error));
    CLI_TRY_OR_DONE(cli_sink_check_json(args, "rows", error));
    CLI_TRY_OR_DONE(cli_sink_open(args, CLI_SINK_STREAMED, &sink, error));
    CLI_TRY_OR_DONE(draw_centres(&random, &m, error));
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
        cli_json_real(&json, "p", m.p);
        cli_json_count(&json, "groups", m.groups);
        cli_json_count(&json, "insecure_seed", cli_count(args, "insecure-seed"));
        cli_json_end(&json);
    } else if (sink.path) {
        cli_sink_report(args, out, "%" PRIu64 " %s", rows, cli_noun(rows, "row", "rows"));
    }
done:
    free(m.centres);
    free(m.shares);
    free(m.odd_even);
    cli_sink_close(&sink);
    return status;
}
