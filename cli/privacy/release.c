#include "privacy/privacy.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/number.h"

/* Returns ⌈rate · population⌉. A product within 1e-9 of a whole number counts as that number, so
 * that 0.07 · 100 gives 7. */
static uint64_t batch_size(double rate, uint64_t population) {
    double product = rate * (double)population;
    double nearest = nearbyint(product);
    double batch = fabs(product - nearest) <= 1e-9 * fmax(1, product) ? nearest : ceil(product);
    return batch < 1 ? 1 : batch > (double)population ? population : (uint64_t)batch;
}

/* Returns batch / population, rounded up: a smaller rate would understate epsilon. fma rounds once,
 * so the sign of the remainder is exact. */
static double rate_of_batch(double batch, double population) {
    double rate = batch / population;
    return fma(rate, population, -batch) < 0 ? nextafter(rate, 1) : rate;
}

static dp2dp_status read_sampling(const cli_args *args, cli_release *release, dp2dp_error *error) {
    dp2dp_event *event = &release->event;
    double rate = cli_real(args, "rate");
    if (event->mechanism == DP2DP_DECLARED) {
        event->epsilon = cli_real(args, "declared-epsilon");
        event->delta = cli_real(args, "declared-delta");
        return DP2DP_STATUS_OK;
    }
    if (event->mechanism == DP2DP_GAUSSIAN) {
        return cli_given(args, "rate") && rate != 1
                   ? cli_refuse(error,
                                "--rate %s cannot be used with --mechanism gaussian: every step "
                                "uses all records (rate 1)",
                                cli_word(args, "rate"))
                   : DP2DP_STATUS_OK;
    }
    if (event->mechanism != DP2DP_POISSON && release->population > 0) {
        release->batch = batch_size(rate, release->population);
        rate = rate_of_batch((double)release->batch, (double)release->population);
    }
    if (event->mechanism == DP2DP_WITH_REPLACEMENT) {
        event->draws = release->batch;
        event->population = (double)release->population;
    } else {
        event->rate = rate;
    }
    return DP2DP_STATUS_OK;
}

/* Returns the sensitivity of a sum of records, if the norm of each record is at most 1. */
static double norm_unit(dp2dp_adjacency adjacency) {
    return adjacency == DP2DP_REPLACE_ONE ? 2 : 1;
}

static int sought_is(const cli_release *release, const char *name) {
    return release->sought && strcmp(release->sought, name) == 0;
}

dp2dp_status cli_release_read(const cli_args *args, const char *sought, cli_release *out,
                              dp2dp_error *error) {
    const char *mechanism = cli_word(args, "mechanism");
    *out = (cli_release) {.event = DP2DP_EVENT_INIT, .sought = sought};
    CLI_TRY(dp2dp_mechanism_parse(mechanism, &out->event.mechanism, error));
    CLI_TRY(dp2dp_adjacency_parse(cli_word(args, "adjacency"), &out->adjacency, error));
    dp2dp_event *event = &out->event;
    event->count = cli_count(args, "steps");
    event->rows_per_person = cli_count(args, "rows-per-person");
    out->population = cli_count(args, "population");
    if (event->mechanism != DP2DP_DECLARED) {
        event->sigma = cli_real(args, "sigma");
        event->sensitivity = cli_given(args, "sensitivity") ? cli_real(args, "sensitivity")
                                                            : norm_unit(out->adjacency);
    }
    if (strcmp(cli_word(args, "sampling-unit"), "persons") == 0) {
        event->sampling_unit = DP2DP_SAMPLE_PERSONS;
    }
    if (!sought_is(out, "rate")) {
        return read_sampling(args, out, error);
    }
    return event->mechanism == DP2DP_POISSON || event->mechanism == DP2DP_WITHOUT_REPLACEMENT
               ? DP2DP_STATUS_OK
               : cli_refuse(error,
                            "--find rate works with --mechanism poisson or without-replacement, "
                            "not with %s",
                            mechanism);
}

dp2dp_status cli_release_floor_batch(cli_release *release, dp2dp_error *error) {
    if (release->event.mechanism != DP2DP_WITHOUT_REPLACEMENT || release->population == 0) {
        return DP2DP_STATUS_OK;
    }
    double population = (double)release->population;
    double batch = floor(release->event.rate * population);
    if (rate_of_batch(batch, population) > release->event.rate) {
        batch--; /* the computed rate × population was rounded up to this number */
    }
    if (batch < 1) {
        return cli_fail(error, DP2DP_STATUS_BUDGET,
                        "even a batch of 1 out of %" PRIu64 " records exceeds the budget",
                        release->population);
    }
    release->batch = (uint64_t)batch;
    release->event.rate = rate_of_batch(batch, population);
    return DP2DP_STATUS_OK;
}

double cli_event_rate(const dp2dp_event *event) {
    return event->mechanism == DP2DP_WITH_REPLACEMENT ? (double)event->draws / event->population
                                                      : event->rate;
}

void cli_event_json(const dp2dp_event *event, cli_json *json) {
    cli_json_text(json, "mechanism", dp2dp_mechanism_name(event->mechanism));
    if (event->mechanism == DP2DP_DECLARED) {
        cli_json_real(json, "declared_epsilon", event->epsilon);
        cli_json_real(json, "declared_delta", event->delta);
    } else if (event->mechanism != DP2DP_EXPOSED) {
        cli_json_real(json, "sigma", event->sigma);
        cli_json_real(json, "sensitivity", event->sensitivity);
    }
    if (cli_event_rate(event) > 0) {
        cli_json_real(json, "rate", cli_event_rate(event));
    }
    cli_json_count(json, "steps", event->count);
    cli_json_count(json, "rows_per_person", event->rows_per_person);
    if (event->mechanism == DP2DP_POISSON && event->rows_per_person > 1) {
        cli_json_text(json, "sampling_unit",
                      event->sampling_unit == DP2DP_SAMPLE_PERSONS ? "persons" : "rows");
    }
}

void cli_release_json(const cli_release *release, cli_json *json) {
    cli_event_json(&release->event, json);
    if (release->population > 0) {
        cli_json_count(json, "population", release->population);
    }
    if (release->batch > 0) {
        cli_json_count(json, "batch", release->batch);
    }
}

static void mechanism_text(const cli_release *release, cli_out *out) {
    const dp2dp_event *event = &release->event;
    cli_number rate = sought_is(release, "rate") ? cli_number_down(event->rate, 6)
                                                 : cli_number_exact(event->rate);
    char over[128] = "all records";
    if (event->mechanism == DP2DP_DECLARED) {
        cli_out_row(out, "mechanism",
                    "declared: epsilon %s and delta %s for each release, taken on trust",
                    cli_number_exact(event->epsilon).text, cli_number_exact(event->delta).text);
        return;
    }
    if (event->mechanism == DP2DP_POISSON) {
        snprintf(over, sizeof over, "a random sample: each %s with probability %s",
                 event->sampling_unit == DP2DP_SAMPLE_PERSONS ? "person" : "record", rate.text);
    } else if (release->batch > 0) {
        snprintf(over, sizeof over, "%" PRIu64 " of %" PRIu64 " records, drawn %s replacement",
                 release->batch, release->population,
                 event->mechanism == DP2DP_WITH_REPLACEMENT ? "with" : "without");
    } else if (event->mechanism == DP2DP_WITHOUT_REPLACEMENT) {
        snprintf(over, sizeof over, "a share of %s of the records, drawn without replacement",
                 rate.text);
    }
    cli_out_row(out, "mechanism", "Gaussian noise on a sum over %s", over);
}

void cli_one_row_text(uint64_t rows_per_person, cli_out *out) {
    if (rows_per_person == 1) {
        cli_out_row(out, "assumes", "%s; otherwise use --rows-per-person",
                    dp2dp_statement_text(DP2DP_STATEMENT_ASSUMES_ONE_ROW));
    }
}

void cli_protects_text(dp2dp_adjacency adjacency, uint64_t rows_per_person, cli_out *out) {
    int replaced = adjacency == DP2DP_REPLACE_ONE;
    const char *change =
        dp2dp_statement_text(replaced ? DP2DP_STATEMENT_REPLACED : DP2DP_STATEMENT_ADDED);
    const char *name = dp2dp_adjacency_name(adjacency);
    if (rows_per_person > 1) {
        cli_out_row(out, "protects", "%s (at most %" PRIu64 "), which may be %s%s (%s)",
                    dp2dp_statement_text(DP2DP_STATEMENT_RECORDS), rows_per_person, change,
                    replaced ? "s" : "", name);
    } else {
        cli_out_row(out, "protects", "%s, which may be %s (%s)",
                    dp2dp_statement_text(DP2DP_STATEMENT_RECORD), change, name);
    }
}

void cli_assume_cells(uint64_t rows_per_person, const char *otherwise,
                      char out[CLI_ASSUMPTION_SIZE]) {
    if (rows_per_person > 1) {
        (void)snprintf(out, CLI_ASSUMPTION_SIZE,
                       "that nobody has more than %" PRIu64 " records, in one row or in several",
                       rows_per_person);
    } else {
        (void)snprintf(out, CLI_ASSUMPTION_SIZE,
                       "that the records a row stands for belong to different people; if they do "
                       "not, %s N, where N is the largest number of records of one person",
                       otherwise);
    }
}

void cli_release_text(const cli_release *release, cli_out *out) {
    const dp2dp_event *event = &release->event;
    mechanism_text(release, out);
    if (event->mechanism != DP2DP_DECLARED && !sought_is(release, "sigma")) {
        cli_out_row(out, "noise",
                    "sigma %s: the standard deviation of the noise is sigma times the largest norm "
                    "that a record may have",
                    cli_number_down(event->sigma, 6).text);
    }
    if (event->sensitivity != norm_unit(release->adjacency) && event->mechanism != DP2DP_DECLARED) {
        cli_out_row(out, "sensitivity", "%s: the most by which one record can change the sum",
                    cli_number_up(event->sensitivity, 6).text);
    }
    if (event->sensitivity < norm_unit(release->adjacency) && event->mechanism != DP2DP_DECLARED) {
        cli_out_row(out, "assumes",
                    "that this sensitivity is proven: without a proof it is %g, in the unit of the "
                    "largest norm that a record may have",
                    norm_unit(release->adjacency));
    }
    if (!sought_is(release, "steps")) {
        cli_out_row(out, "releases", "%" PRIu64, event->count);
    }
    cli_protects_text(release->adjacency, event->rows_per_person, out);
}
