#!/usr/bin/env bats
# The commands of the README run as printed, in order, in an empty folder.
load helpers

# block N: the N-th block of commands.
block() {
    awk -v n="$1" '/^```sh/ { code = ++seen == n; next } /^```/ { code = 0 } code' "$DP2DP_SOURCE_DIR/README.md"
}

@test "the README's commands do what it says" {
    [ -n "${DP2DP_SOURCE_DIR:-}" ] || skip "needs the page"
    { block 1 && block 2 && block 3; } >commands
    runs_as_printed 11 commands
    says "Classifier, written to classifier.json" "Fair rule, written to model.json" \
        "Before and after, on 5000 people" "Unfairness is at most" "Privacy spent by model.json"
    [ "$(wc -l <decisions.csv)" -eq 5001 ]
    answers evaluate model.json held-out.csv --json
    holds '.unfair.unfairness > 0.15 and .unfairness < 0.1'
}

@test "the README's excerpt has the numbers of such a run" {
    [ -n "${DP2DP_SOURCE_DIR:-}" ] || skip "needs the page"
    [ -n "${DP2DP_DATA:-}" ] || skip "needs the data sets"
    answers run --schema adult --epsilon 1 --delta 1e-5 --runs 4 --json
    local error unfairness
    error=$(awk '$1 == "error" { print $3 }' "$DP2DP_SOURCE_DIR/README.md")
    unfairness=$(awk '$1 == "unfairness" { print $3 }' "$DP2DP_SOURCE_DIR/README.md")
    # The tolerance is six standard deviations between runs: .003 for the error, .009 for the unfairness.
    holds "(.mean.error - $error | fabs) < 0.02 and (.mean.unfairness - $unfairness | fabs) < 0.06"
}
