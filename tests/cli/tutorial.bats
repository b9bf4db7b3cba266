#!/usr/bin/env bats
# The commands of the tutorials run as printed, with the results that the pages describe.
load helpers

# follow PAGE COUNT: runs all commands of the page, COUNT of them the program's.
follow() {
    [ -n "${DP2DP_SOURCE_DIR:-}" ] || skip "needs the page"
    awk '/^```sh/ { code = 1; next } /^```/ { code = 0 } code' "$DP2DP_SOURCE_DIR/docs/$1.md" >commands
    runs_as_printed "$2" commands
}

@test "from scores to a certificate, by the page alone" {
    follow tutorial-scores 9
    says "Fair rule, written to model.json" "Before and after, on 5000 people" "Unfairness is at most" \
        "Privacy spent by pool.ledger.json" "Privacy spent by model.json"
    [[ "$output" != *"NOT PRIVATE"* ]]
    [ "$(wc -l <decisions.csv)" -eq 5001 ]
    answers evaluate model.json held-out.csv --label truth --json
    holds '.unfair.unfairness > 0.4 and .unfairness < 0.15'
}

@test "from a table to a certificate, by the page alone" {
    follow tutorial-table 12
    says "Classifier, written to classifier.json" "Fair rule, written to model.json" \
        "Before and after, on 7500 people" "Unfairness is at most" "Privacy spent by model.json" \
        "Before and after, mean of 3 runs"
    [[ "$output" != *CAUTION* ]]
    [ "$(grep -c "NOT PRIVATE" <<<"$output")" -eq 3 ] # schema check, and the run without privacy, once per phase
    [ "$(wc -l <decisions.csv)" -eq 7501 ]
    answers evaluate model.json held-out.csv --json
    holds '.unfair.unfairness > 0.3 and .unfairness < 0.1 and .error < 0.45'
    answers account model.json --json
    holds '.epsilon <= 1 and .private'
}

@test "the page's verbs are in the program's help" {
    local verb
    answers --help
    for verb in run train fit predict evaluate certify show account; do
        says "$verb"
    done
}

@test "the auditor's way, by the page alone" {
    follow tutorial-auditor 9
    says "a classifier with a fair rule" "people the classifier was trained on, 12000 people: epsilon 1" \
        "people the rule was learned from, 6000 people: epsilon 0.5" "schema loans" "north: class yes is given more easily, class no less easily" \
        "Privacy spent by model.json" "accountant pld" "Dry run: nothing was charged" "Unfairness is at most" \
        "Before and after, on 6000 people"
    [[ "$output" != *"NOT PRIVATE"* ]]
    answers account audit.ledger.json --json
    holds '([.entries[] | select(.kind == "charge")] | length) == 1 and .budget.epsilon == 2'
    answers evaluate model.json held-out.csv --json
    holds '.unfair.unfairness > 0.3 and .unfairness < 0.1'
}
