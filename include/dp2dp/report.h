/* A report about a model: one HTML page that needs no network, for the person who decides, the data
 * scientist and the auditor (docs/report.md). */
#ifndef DP2DP_REPORT_H
#define DP2DP_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include <dp2dp/data.h>
#include <dp2dp/model.h>
#include <dp2dp/options.h>
#include <dp2dp/status.h>
#include <dp2dp/words.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who the people in the table of a sweep are. A sweep fits and measures rules at many settings, and
 * shows exact numbers about these people. */
typedef enum dp2dp_sweep_people {
    DP2DP_SWEEP_OTHER = 1,  /* people whose data were not used to make the model */
    DP2DP_SWEEP_PUBLIC = 2, /* their rows are public, so nothing about them needs protection */
    DP2DP_SWEEP_EXPOSED = 3 /* people whose data were used to make the model; because of the exact
                               numbers, the model is then NOT PRIVATE */
} dp2dp_sweep_people;
DP2DP_DEFINE_WORDS(dp2dp_sweep_people, DP2DP_WORDS_SWEEP_PEOPLE)

/* All fields are optional. The page shows only the last part of a path or file name. */
typedef struct dp2dp_report_options {
    size_t struct_size;
    const char *certificate; /* path of a certificate of this model (dp2dp_certificate_to_json) */
    const char *sweep;       /* path of a CSV file that dp2dp sweep wrote; needs sweep_people */
    dp2dp_sweep_people sweep_people;
    const char *data_name;      /* the caller's name for the data; a sweep must state the same name.
                                   NULL: the name of the model's schema, if there is one */
    const dp2dp_matrix *scores; /* a row for each test person, with the score of each class. NULL:
                                   no test people, so the page shows only what may be published */
    const dp2dp_column *groups; /* group of each test person, counted from 0; needed with scores */
    const dp2dp_column *labels; /* true class of each test person, counted from 0; needed with
                                   scores */
    const dp2dp_matrix *weights; /* weights of the test people, as in dp2dp_predict_options */
    const uint64_t *ids;         /* ids of the test people, as in dp2dp_predict_options */
    unsigned threads;            /* 0: one per processor; the page is the same for any number */
    double confidence;           /* confidence of each single interval, above 0 and below 1 */
    const char *model_name;      /* file name of the model in the page's commands; NULL:
                                    "model.json" */
    const char *test_name;       /* file name of the test table in the commands; NULL: "test.csv" */
    const char *label_name;      /* name of the label column in the page's commands; NULL: none */
    unsigned *warnings; /* if not NULL, set to dp2dp_warning bits: the warnings on the page. About
                           the test people: those of dp2dp_warn_of_decisions and
                           dp2dp_warn_of_left_out, EMPTY_GROUP and UNFAIRNESS_LARGER. About the
                           sweep: AS_MANY_PEOPLE, set if sweep_people is OTHER but the sweep has as
                           many rows as the pool that the rule was learned from */
    const char *const *test_cautions; /* sentences about the test table that the page shows */
    size_t test_caution_count;
    const uint64_t *test_left_out; /* for each group, how many people of the test table are not
                                      in `scores` because one of their values is missing; NULL:
                                      nobody */
    int *sweep_unchecked; /* if not NULL, set to 1 if nobody has checked that the sweep is about the
                             model's data, since neither the model nor data_name names them; else
                             to 0 */
} dp2dp_report_options;

DP2DP_DEFINE_DEFAULT(dp2dp_report_options, DP2DP_STRUCT_REPORT_OPTIONS)
#define DP2DP_REPORT_OPTIONS_INIT dp2dp_report_options_default()

/* Writes the page. Equal input gives equal bytes. Refuses a model without a rule, scores without
 * groups and labels, a certificate of another model, and a sweep of other data or of another
 * criterion. options NULL: the defaults.
 *
 * Privacy: without scores and without a sweep the page reveals nothing that the model and the
 * certificate do not reveal. The page may then be published if both files may be published. With
 * scores or a sweep the page shows exact counts about real people: keep the file private (mode
 * 0600), and never publish it. Charges nothing. Ownership: the caller frees the text with
 * dp2dp_text_free. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_report(
    const dp2dp_model *model, const dp2dp_report_options *options, char **text, size_t *length,
    dp2dp_error *error);

#ifdef __cplusplus
}
#endif
#endif
