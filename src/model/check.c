/* Checks the conditions that every model must meet. The reader makes these checks on every text.
 * The writer makes the same checks, so it never writes a model that the reader would refuse. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "decide/model.h"
#include "mechanism/ledger.h"
#include "model/criterion.h"
#include "model/model_json.h"

enum {
    OFFSET_MAX = 100,
    COMBINED_MAX = 1000000, /* largest offset of a rule that multiplies weights by offsets */
    VERSION_MAX = 64        /* largest number of bytes in a library version */
};
static const uint64_t records_max = DP2DPI_RECORDS_MAX;

dp2dp_status dp2dpi_model_require(const dp2dpi_model_rule *rules, dp2dp_error *error) {
    for (; rules->member; rules++) {
        if (!rules->holds) {
            return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "%s: must be %s", rules->member,
                               rules->must);
        }
    }
    return DP2DP_STATUS_OK;
}

static int are_utf8(const char *const *texts, size_t n) {
    int sound = 1;
    for (size_t i = 0; texts && i < n; i++) {
        sound = sound && dp2dpi_json_is_utf8(texts[i]);
    }
    return sound;
}

/* Returns 1 if the shares are valid. A share of 0 means an empty group. Only the solver `exact`
 * allows an empty group; the other solvers raise every share to a minimum above 0. */
static int are_shares(const dp2dp_model_info *info) {
    double sum = 0;
    int sound = 1;
    for (size_t e = 0; e < info->strata; e++) {
        double share = info->shares[e];
        sound = sound && (share > 0 || (share == 0 && info->solver == DP2DP_SOLVER_EXACT));
        sum += share;
    }
    return (sound && fabs(sum - 1) <= 1e-9) || info->strata == 0;
}

static int are_offsets(const dp2dp_model_info *info) {
    int sound = 1;
    double most = info->rule == DP2DP_RULE_OFFSET ? OFFSET_MAX : COMBINED_MAX;
    for (size_t i = 0; i < info->strata * info->classes && sound; i++) {
        double theta = info->offsets[i];
        sound = fabs(theta) <= most && (double)(float)theta == theta;
    }
    return sound;
}

static dp2dp_status check_rule(const dp2dp_model_info *info, dp2dp_error *error) {
    const dp2dp_names *names = &info->names;
    const char *of_offsets = info->rule == DP2DP_RULE_OFFSET
                                 ? "from -100 to 100 and exact in float32"
                                 : "from -1e6 to 1e6 and exact in float32";
    return DP2DPI_MODEL_REQUIRE(
        error, {are_offsets(info), "rule.offsets", of_offsets},
        {dp2dp_word_name(DP2DP_WORDS_ROW_SUMS, (int)info->row_sums) != NULL, "rule.row_sums",
         "check or normalize"},
        {info->grid_bits <= DP2DPI_GRID_BITS_MAX, "rule.grid_bits", "from 1 to 20"},
        {dp2dpi_dither_is_sound(&info->dither), "rule.dither.width", "from 0 to 1"},
        {are_shares(info), "rule.shares", "above 0 and add up to 1"},
        {are_utf8(names->groups, info->groups), "rule.groups", "UTF-8"},
        {are_utf8(names->classes, info->classes), "rule.classes", "UTF-8"},
        {are_utf8(names->scores, info->classes), "rule.columns.scores", "UTF-8"},
        {are_utf8(&names->group_column, names->group_column != NULL), "rule.columns.group",
         "UTF-8"});
}

dp2dp_status dp2dpi_model_check_options(const char *member, dp2dp_struct which, const void *object,
                                        dp2dp_error *error) {
    size_t count;
    const dp2dp_option *options = dp2dp_options(which, &count);
    for (size_t i = 0; i < count; i++) {
        double value = dp2dpi_option_value(&options[i], object);
        if (dp2dpi_option_check(&options[i], value, NULL) != DP2DP_STATUS_OK) {
            return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "%s.%s: must be from %.15g to %.15g",
                               member, options[i].name, options[i].min, options[i].max);
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_options(const dp2dp_model_info *info, dp2dp_error *error) {
    const dp2dp_fit_options *options = info->options;
    if (info->strata == 0) {
        return DP2DPI_MODEL_REQUIRE(
            error, {info->classifier != NULL, "rule", "an object, because there is no classifier"});
    }
    DP2DPI_TRY(
        DP2DPI_MODEL_REQUIRE(error, {dp2dp_word_name(DP2DP_WORDS_SOLVER, (int)info->solver) != NULL,
                                     "options.solver", "a solver that this library knows"}));
    DP2DPI_TRY(dp2dpi_model_check_options("options", DP2DP_STRUCT_FIT_OPTIONS, options, error));
    return DP2DPI_MODEL_REQUIRE(
        error,
        {info->solver == DP2DP_SOLVER_EXACT || isinf(options->epsilon) ||
             (options->epsilon > 0 && options->delta > 0 && options->delta < 1),
         "options.epsilon", "given together with delta (only the solver exact needs neither)"},
        {info->records >= 2 && info->records <= records_max, "records", "from 2 to 2^48"});
}

static int is_set(const dp2dp_model_info *info, dp2dp_not_private reason) {
    return (info->not_private_because & (unsigned)reason) != 0;
}

static int is_noiseless(const dp2dp_model_info *info) {
    return info->strata > 0 &&
           (info->solver == DP2DP_SOLVER_EXACT || isinf(info->options->epsilon));
}

static int has_insecure_entry(const dp2dp_ledger *ledger) {
    int found = 0;
    for (size_t i = 0; i < dp2dp_ledger_size(ledger); i++) {
        dp2dp_event event = DP2DP_EVENT_INIT;
        dp2dp_rng_kind rng = DP2DP_RNG_INSECURE;
        (void)!dp2dp_ledger_entry(ledger, i, &event, &rng, NULL);
        found |= rng == DP2DP_RNG_INSECURE;
    }
    return found;
}

/* Checks that not_private_because lists every reason that follows from the rest of the model. The
 * list may also have the reasons of the base model for which the rule was fitted. */
static dp2dp_status check_leaks(const dp2dp_model_info *info, dp2dp_error *error) {
    static const char because[] = "privacy.not_private_because";
    const dp2dp_classifier *c = info->classifier, *groups = info->group_classifier;
    unsigned known = 0;
    int insecure = info->rng == DP2DP_RNG_INSECURE || (c && c->rng == DP2DP_RNG_INSECURE) ||
                   (groups && groups->rng == DP2DP_RNG_INSECURE) ||
                   has_insecure_entry(info->ledger);
    int bare = (c && dp2dpi_classifier_lacks_guarantee(c)) ||
               (groups && dp2dpi_classifier_lacks_guarantee(groups));
    size_t count;
    const dp2dp_word *reasons = dp2dp_words(DP2DP_WORDS_NOT_PRIVATE, &count);
    for (size_t i = 0; i < count; i++) {
        known |= (unsigned)reasons[i].value;
    }
    return DP2DPI_MODEL_REQUIRE(
        error,
        {(info->not_private_because & ~known) == 0, because,
         "a list of reasons that this library knows"},
        {dp2dp_word_name(DP2DP_WORDS_RNG, (int)info->rng) != NULL, "privacy.rng",
         "secure or insecure"},
        {!is_noiseless(info) || is_set(info, DP2DP_NOT_PRIVATE_NO_NOISE), because,
         "a list that includes no-noise, because the solver is exact or epsilon is infinite"},
        {!insecure || is_set(info, DP2DP_NOT_PRIVATE_INSECURE_NOISE), because,
         "a list that includes insecure-noise, because an rng or an entry of the ledger is "
         "insecure"},
        {c == NULL || is_set(info, DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE) == bare, because,
         "a list that includes classifier-not-private if and only if phase1 is not private"});
}

static int is_of(const dp2dp_event *event, const char *role) {
    return event->role && strcmp(event->role, role) == 0;
}

/* Returns 1 if the ledger entry can be the charge for fitting the rule: the entry must match the
 * solver, the steps and the sizes of the rule. */
static int is_rule(const dp2dp_model_info *info, const dp2dp_event *event) {
    uint64_t cells = (uint64_t)info->strata * info->classes + (info->leaves_out ? 1 : 0);
    if (is_of(event, DP2DPI_ROLE_TRAIN) || event->mechanism == DP2DP_EXPOSED ||
        event->count != info->options->steps) {
        return 0;
    }
    return info->solver == DP2DP_SOLVER_COUNTS
               ? event->mechanism == DP2DP_GAUSSIAN && event->coordinates == cells
               : info->solver != DP2DP_SOLVER_SGD || event->mechanism == DP2DP_POISSON;
}

/* Returns 1 if the ledger entry can be the charge for training the classifier: the entry must match
 * the method, sizes and options of the classifier. */
static int is_training(const dp2dp_classifier *c, const dp2dp_event *event) {
    size_t cells = (c->features + 1) * (c->outputs == 2 ? 1 : c->outputs);
    int sampled = c->method == DP2DP_TRAIN_DPSGD, output = c->method == DP2DP_TRAIN_OUTPUT;
    if (!is_of(event, DP2DPI_ROLE_TRAIN)) {
        return 0;
    }
    if (c->method == DP2DP_TRAIN_EXTERNAL) {
        return event->mechanism == DP2DP_DECLARED;
    }
    return event->mechanism == (sampled ? DP2DP_POISSON : DP2DP_GAUSSIAN) &&
           event->count == (output ? 1 : c->options->steps) && event->coordinates == cells &&
           event->rows_per_person == c->options->rows_per_person &&
           (output || event->sensitivity == 2);
}

/* Returns 1 if the role and the people of an event are valid. An event of role train or pool must
 * have the same people as all other events of that role. A second fit makes events without a role,
 * which count for everybody. An event without a role may name its people only if the event is
 * exposed. An exposed event says that data were released without noise. */
static int has_sound_role(const dp2dp_model_info *info, const dp2dp_event *event) {
    int sound = event->role == NULL
                    ? event->set == NULL || event->mechanism == DP2DP_EXPOSED
                    : is_of(event, DP2DPI_ROLE_TRAIN) || is_of(event, DP2DPI_ROLE_POOL);
    for (size_t i = 0; i < info->ledger->size && sound && event->role; i++) {
        const dp2dp_event *other = &info->ledger->entries[i].event;
        sound = !is_of(other, event->role) ||
                (event->set && other->set ? strcmp(event->set, other->set) == 0
                                          : event->set == other->set);
    }
    return sound;
}

/* Returns 0 if the entry says that data were released without noise (it is exposed), but
 * not_private_because does not say so. */
static int is_told(const dp2dp_model_info *info, const dp2dp_event *event) {
    return event->mechanism != DP2DP_EXPOSED ||
           is_set(info, is_of(event, DP2DPI_ROLE_TRAIN) ? DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE
                                                        : DP2DP_NOT_PRIVATE_NO_NOISE);
}

/* Checks that a ledger entry has a valid role and the rows_per_person of the model. Declared and
 * exposed entries may have any rows_per_person. */
static dp2dp_status check_entry(const dp2dp_model_info *info, const dp2dp_event *event,
                                dp2dp_error *error) {
    uint64_t rows = info->strata > 0 || info->classifier == NULL
                        ? info->options->rows_per_person
                        : info->classifier->options->rows_per_person;
    return DP2DPI_MODEL_REQUIRE(
        error,
        {info->strata > 0 || is_of(event, DP2DPI_ROLE_TRAIN), "ledger",
         "a ledger whose entries all have the role train, because rule is null"},
        {has_sound_role(info, event), "ledger",
         "a ledger with no roles other than train and pool, in which all entries with the same "
         "role name the same people"},
        {event->mechanism == DP2DP_DECLARED || event->mechanism == DP2DP_EXPOSED ||
             event->rows_per_person == rows,
         "ledger", "a ledger whose entries have the rows_per_person of the options"},
        {is_told(info, event), "privacy.not_private_because",
         "a list that includes classifier-not-private or no-noise, because an entry of the ledger "
         "is exposed"});
}

/* Checks the ledger entries. Each classifier with a guarantee needs an entry of role train that
 * agrees with its options. A private rule needs an entry that agrees with the fit's options. */
static dp2dp_status check_charges(const dp2dp_model_info *info, dp2dp_error *error) {
    const dp2dp_classifier *classifiers[] = {info->classifier, info->group_classifier};
    int open[2],
        fitted =
            0; /* open[c] is 1 if classifier c has a guarantee, and its entry was not found yet */
    for (int c = 0; c < 2; c++) {
        open[c] = classifiers[c] && !dp2dpi_classifier_lacks_guarantee(classifiers[c]);
    }
    for (size_t i = 0; i < dp2dp_ledger_size(info->ledger); i++) {
        dp2dp_event event = DP2DP_EVENT_INIT;
        dp2dp_rng_kind rng;
        (void)!dp2dp_ledger_entry(info->ledger, i, &event, &rng, NULL);
        DP2DPI_TRY(check_entry(info, &event, error));
        if (open[0] && is_training(classifiers[0], &event)) {
            open[0] = 0;
        } else if (open[1] && is_training(classifiers[1], &event)) {
            open[1] = 0;
        } else {
            fitted |= info->strata > 0 && is_rule(info, &event);
        }
    }
    return DP2DPI_MODEL_REQUIRE(
        error,
        {!open[0] && !open[1], "ledger",
         "a ledger with an entry of role train that matches the classifier's options"},
        {fitted || is_noiseless(info) || info->strata == 0, "ledger",
         "a ledger with an entry that matches the solver, steps and sizes of the rule, because the "
         "rule is private"});
}

/* If the model states an ε, checks that its ledger has entries with a cost. If the model states no
 * ε, checks that not_private_because gives a reason. */
static dp2dp_status check_privacy(const dp2dp_model_info *info, dp2dp_error *error) {
    int unbounded = is_set(info, DP2DP_NOT_PRIVATE_NO_BOUND);
    int may_lack = unbounded || is_set(info, DP2DP_NOT_PRIVATE_NO_NOISE) ||
                   (info->classifier && is_set(info, DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE));
    int charged = dp2dpi_ledger_has_cost(info->ledger);
    return DP2DPI_MODEL_REQUIRE(
        error,
        {dp2dp_ledger_adjacency(info->ledger) == DP2DP_REPLACE_ONE, "ledger.adjacency",
         "replace-one"},
        {isnan(info->epsilon)
             ? may_lack
             : !unbounded && charged && info->epsilon >= 0 && !isinf(info->epsilon),
         "privacy.epsilon",
         "a number if the ledger gives a bound; null only if not_private_because lists no-noise, "
         "no-bound or classifier-not-private"},
        {isnan(info->delta) ? isnan(info->epsilon) : info->delta > 0 && info->delta < 1,
         "privacy.delta", "above 0 and below 1, or null if epsilon is null"},
        {isnan(info->epsilon_claimed) ||
             (info->strata > 0 && info->solver == DP2DP_SOLVER_SGD_AS_PUBLISHED &&
              info->epsilon_claimed >= 0),
         "privacy.claimed",
         "null; if the solver is sgd-as-published, a number of at least 0 is also allowed"});
}

static dp2dp_status check_optimality(const dp2dp_model_info *info, dp2dp_error *error) {
    const dp2dp_optimality *o = info->optimality;
    return DP2DPI_MODEL_REQUIRE(
        error,
        {(o != NULL) == (info->strata > 0 && info->solver == DP2DP_SOLVER_EXACT), "optimality",
         "present if and only if the solver is exact"},
        {o == NULL || (isfinite(o->dual) && isfinite(o->primal) && isfinite(o->rule) &&
                       o->unfairness >= 0 && o->unfairness <= 1),
         "optimality", "finite numbers, with unfairness from 0 to 1"});
}

int dp2dpi_model_is_version(const char *version) {
    return version && *version != '\0' && strlen(version) <= VERSION_MAX &&
           dp2dpi_json_is_utf8(version);
}

dp2dp_status dp2dpi_model_check(const dp2dp_model_info *info, dp2dp_error *error) {
    DP2DPI_TRY(DP2DPI_MODEL_REQUIRE(error, {dp2dpi_model_is_version(info->library_version),
                                            "library", "UTF-8 of 1 to 64 bytes"}));
    DP2DPI_TRY(check_options(info, error));
    DP2DPI_TRY(check_rule(info, error));
    DP2DPI_TRY(dp2dpi_criterion_check(info, error));
    DP2DPI_TRY(check_leaks(info, error));
    DP2DPI_TRY(dp2dpi_model_check_phase1(info, error));
    DP2DPI_TRY(check_charges(info, error));
    DP2DPI_TRY(check_privacy(info, error));
    return check_optimality(info, error);
}

dp2dp_status dp2dpi_check_epsilon(const char *member, double stated, double delta,
                                  const dp2dp_ledger *ledger, dp2dp_error *error) {
    double epsilon = 0;
    DP2DPI_TRY(dp2dpi_ledger_epsilon(ledger, delta, &epsilon, error));
    return stated >= epsilon * (1 - 1e-9) ? DP2DP_STATUS_OK
                                          : dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                                                        "%s: the stated epsilon %.9g is less than "
                                                        "the epsilon %.9g that the ledger gives",
                                                        member, stated, epsilon);
}

dp2dp_status dp2dpi_model_check_epsilon(const dp2dp_model_info *info, dp2dp_error *error) {
    return isnan(info->epsilon) ? DP2DP_STATUS_OK
                                : dp2dpi_check_epsilon("privacy.epsilon", info->epsilon,
                                                       info->delta, info->ledger, error);
}
