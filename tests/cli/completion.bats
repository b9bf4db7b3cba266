#!/usr/bin/env bats
# Shell completions come from the same tables as the parser.
load helpers

# offers WORD...: what bash would offer for the last of these words, one a line.
offers() {
    # shellcheck disable=SC1090
    source <("$DP2DP" --completion bash)
    COMP_WORDS=(dp2dp "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _dp2dp
    printf '%s\n' "${COMPREPLY[@]}"
}

@test "bash: every verb, and every option of each" {
    local verb verbs option
    verbs=$("$DP2DP" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p')
    [ "$(wc -w <<<"$verbs")" -ge 12 ]
    for verb in $verbs; do
        offers "" | grep -qx "$verb"
        offers help "" | grep -qx "$verb"
        diff <(offers "$verb" -- | sort) <("$DP2DP" "$verb" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p' | sort)
    done
    [ "$(offers cer)" = certify ]
    [ "$(offers fit --sens)" = --sensitive ]
}

@test "bash: words of options, files and folders, and nothing for numbers" {
    touch a.csv "b c.csv"
    mkdir d
    [ "$(offers fit --solver sgd)" = "$(printf 'sgd\nsgd-as-published')" ]
    [ "$(offers fit --solver = ex)" = exact ]
    [ "$(offers fit --solver =)" = "$(printf 'counts\nexact\nsgd\nsgd-as-published')" ]
    [ "$(offers predict m.json --unknown-group "")" = "$(printf 'refuse\nbase')" ]
    [ "$(offers fit "" | sort)" = "$(printf 'a.csv\nb c.csv\nd')" ]
    [ "$(offers fit pool.csv --out a)" = a.csv ]
    [ "$(offers run --save "")" = d ]
    [ -z "$(offers fit --epsilon "")" ]
    [ -z "$(offers fit --sensitive "")" ]
}

@test "bash: the script is sound" {
    "$DP2DP" --completion bash >script
    bash -n script
    grep -qx "complete -F _dp2dp dp2dp" script
    ! command -v shellcheck >/dev/null || shellcheck -s bash script
}

@test "zsh: every verb, option and word is there, and quotes are in pairs" {
    local verb verbs option line
    answers --completion zsh
    [ "$(head -n 1 <<<"$output")" = "#compdef dp2dp" ]
    verbs=$("$DP2DP" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p')
    for verb in $verbs; do
        grep -q "^        '$verb:" <<<"$output"
        for option in $("$DP2DP" "$verb" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p'); do
            sed -n "/^    $verb)/,/^        ;;/p" <<<"$output" | grep -q "^            '$option[=[]"
        done
    done
    says ":WORD:(counts exact sgd sgd-as-published)" ":MODEL:_files" ":DIR:_files -/"
    # bash reads quotes and line ends as zsh does: the script without zsh's own words must parse.
    sed 's/^    local -a verbs=(/    verbs=(/' <<<"$output" >script
    bash -n script
    ! command -v zsh >/dev/null || zsh -n script
    # A bare bracket or colon would end a description: those that are escaped are taken out first.
    grep -o "^            '--.*" script | sed 's/\\[]:[\\]//g' >options
    [ "$(wc -l <options)" -gt 100 ]
    run grep -vE "^ *'--[a-z-]+=?\[[^]:[]*\](:[^:]*:[^:]*)?'( \\\\)?\$" options
    [ "$status" -eq 1 ]
}

@test "the build leaves them where installing takes them from" {
    [ -n "${DP2DP_BUILD_DIR:-}" ] || skip "needs the build folder"
    cmp <("$DP2DP" --completion bash) "$DP2DP_BUILD_DIR/completions/dp2dp"
    cmp <("$DP2DP" --completion zsh) "$DP2DP_BUILD_DIR/completions/_dp2dp"
    refuses 2 "--completion bash, or zsh" --completion fish
    refuses 2 "--completion bash, or zsh" --completion
}
