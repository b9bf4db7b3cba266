#!/usr/bin/env bats
# The tutorial's commands run as printed, and do what it says.
load helpers

@test "from scores to a certificate, by the page alone" {
    [ -n "${DP2DP_SOURCE_DIR:-}" ] || skip "needs the page"
    mkdir ../bin
    ln -s "$(realpath "$DP2DP")" ../bin/dp2dp
    awk '/^```sh/ { code = 1; next } /^```/ { code = 0 } code' \
        "$DP2DP_SOURCE_DIR/docs/tutorial-scores.md" >commands
    [ "$(grep -c '^dp2dp' commands)" -eq 7 ]
    PATH="$BATS_TEST_TMPDIR/bin:$PATH" separately bash -euo pipefail commands
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    says "Fair rule, written to model.json" "Before and after, on 5000 people" "Unfairness is at most" \
        "Privacy spent by pool.ledger.json" "Privacy spent by model.json"
    [[ "$output" != *"NOT PRIVATE"* ]]
    [ "$(wc -l <decisions.csv)" -eq 5001 ]
    answers evaluate model.json held-out.csv --label truth --json
    holds '.unfair.unfairness > 0.4 and .unfairness < 0.15'
}

@test "the page's verbs are in the program's help" {
    local verb
    answers --help
    for verb in fit predict evaluate certify account; do
        says "$verb"
    done
}
