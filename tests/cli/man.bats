#!/usr/bin/env bats
# The manual pages come from the same tables as the parser.
load helpers

@test "each verb has a page that names all its options" {
    local verb option options
    for verb in "${verbs[@]}"; do
        options=$(options_of "$verb" | grep -v '^--help$')
        [ "$(wc -w <<<"$options")" -ge 1 ]
        answers --man "$verb"
        for option in $options; do
            [[ "$output" == *"\\fB${option//-/\\-}\\fR"* ]]
        done
    done
}

@test "the program's page lists the verbs and the exit codes" {
    answers --man
    local verb
    for verb in "${verbs[@]}"; do
        says "dp2dp\\-$verb"
    done
    says "EXIT STATUS" "NO_COLOR"
    local code
    for code in 0 1 2 3 4 5 130 141; do
        [[ "$output" == *"\\fB$code\\fR"* ]]
    done
    refuses 2 "unknown verb" --man frobnicate
}

@test "the formatter has nothing to complain about" {
    command -v groff >/dev/null || skip "needs groff"
    local verb
    for verb in "" "${verbs[@]}"; do
        # shellcheck disable=SC2086
        "$DP2DP" --man $verb >page.1
        run groff -man -ww -Tascii page.1
        [ "$status" -eq 0 ]
        groff -man -ww -Tascii page.1 2>complaints >/dev/null
        [ ! -s complaints ]
    done
}

@test "the build leaves the pages beside the program" {
    [ -n "${DP2DP_BUILD_DIR:-}" ] || skip "needs the build folder"
    local verb
    cmp <("$DP2DP" --man) "$DP2DP_BUILD_DIR/man/dp2dp.1"
    for verb in "${verbs[@]}"; do
        cmp <("$DP2DP" --man "$verb") "$DP2DP_BUILD_DIR/man/dp2dp-$verb.1"
    done
}
