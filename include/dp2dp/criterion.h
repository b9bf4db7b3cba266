/* Criteria: what a fair rule makes equal between groups.
 *
 * A criterion is a list of statistics. A statistic is a class and a set of labels. The rate of a
 * statistic in a group is the share of people who get the class, among the people of the group
 * whose label is in the set. The unfairness under a criterion is the largest difference between two
 * groups in any rate of its statistics. */
#ifndef DP2DP_CRITERION_H
#define DP2DP_CRITERION_H

#include <stddef.h>
#include <stdint.h>

#include <dp2dp/status.h>
#include <dp2dp/words.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dp2dp_criterion {
#define DP2DP_CRITERION(name, value, word, help) DP2DP_##name = (value),
#include <dp2dp/criterion.def>
#undef DP2DP_CRITERION
} dp2dp_criterion;
/* dp2dp_criterion_parse also accepts other names, such as equal_opportunity. */
DP2DP_DEFINE_WORDS(dp2dp_criterion, DP2DP_WORDS_CRITERION)

typedef struct dp2dp_statistic {
    size_t class_index;
    const unsigned char *labels; /* the statistic's set of labels: one entry for each label, 1 if
                                    the label is in the set, else 0. NULL: every label is in the
                                    set */
} dp2dp_statistic;

enum {
    DP2DP_POSITIVE_DEFAULT = -1 /* with two classes, class 1 is the positive class; with more
                                   classes, each class in turn is the positive class */
};

#ifdef __cplusplus
}
#endif
#endif
