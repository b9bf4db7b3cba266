/* A release as described on the command line or found in a ledger: options in, words out. */
#ifndef CLI_RELEASE_H
#define CLI_RELEASE_H

#include "args/args.h"
#include "common/json.h"
#include "common/out.h"

typedef struct cli_release {
    dp2dp_event event;
    dp2dp_adjacency adjacency;
    dp2dp_backend backend;
    uint64_t population; /* 0: not given */
    uint64_t batch;      /* fixed-size batch, where the population is given; else 0 */
    const char *sought;  /* sigma, rate or steps where calibration sets it; else NULL */
} cli_release;

/* Reads the options of release.def. `sought` (sigma, rate, steps or NULL) is left for calibration.
 * One record's norm is the unit: sensitivity 2 under replace-one, 1 under add/remove. */
dp2dp_status cli_release_read(const cli_args *args, const char *sought, cli_release *out,
                              dp2dp_error *error);

/* Rounds the rate of a fixed-size batch down to a whole batch of the population, if there is one.
 */
dp2dp_status cli_release_floor_batch(cli_release *release, dp2dp_error *error);

void cli_release_json(const cli_release *release, cli_json *json);
/* Rows "mechanism", "noise", "releases" and "protects"; what was sought has a row of its own
 * elsewhere. */
void cli_release_text(const cli_release *release, cli_out *out);

/* Sampling rate of an event, batch over population where the batch is fixed; 0: nothing is sampled.
 */
double cli_event_rate(const dp2dp_event *event);

/* The fields an event uses, as members of the open JSON object. */
void cli_event_json(const dp2dp_event *event, cli_json *json);

/* Row "protects": the adjacency in words, for people with at most so many rows. */
void cli_protects_text(dp2dp_adjacency adjacency, uint64_t rows_per_person, cli_out *out);

#endif
