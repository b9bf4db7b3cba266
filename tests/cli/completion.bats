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
    [ "$(offers train --schema ad)" = "$(printf 'adult\nadult-cut')" ]
    [ "$(offers run --schema "" | sort)" = "$(printf 'a.csv\nadult\nadult-cut\nb c.csv\ncredit\nd\nparkinsons')" ]
    [ "$(offers schema par)" = parkinsons ]
    [ "$(offers data "")" = "$(printf 'adult\ncredit\nparkinsons')" ]
    [ "$(offers --comp)" = --completion ]
    [ "$(offers --completion "")" = "$(printf 'bash\nzsh')" ]
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

# zsh_offers WORD...: what zsh itself would offer for the last of these words, one a line.
zsh_offers() {
    timeout 60 zsh -f "$BATS_TEST_DIRNAME/offers.zsh" "$BATS_TEST_TMPDIR/zsh" "$@"
}

zsh_ready() {
    command -v zsh >/dev/null || skip "needs zsh"
    mkdir ../zsh
    "$DP2DP" --completion zsh >../zsh/_dp2dp
}

@test "zsh, run: every verb, and every option of each" {
    zsh_ready
    local verb verbs
    verbs=$("$DP2DP" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p')
    diff <(zsh_offers "") <(printf '%s\n' $verbs help --help --version --completion | LC_ALL=C sort -u)
    diff <(zsh_offers help "") <(printf '%s\n' $verbs help | LC_ALL=C sort -u)
    for verb in $verbs; do
        diff <(zsh_offers "$verb" --) <("$DP2DP" "$verb" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p' | LC_ALL=C sort -u)
    done
    [ "$(zsh_offers cer)" = certify ]
}

@test "zsh, run: words of options, built-in names, files and folders, and nothing for numbers" {
    zsh_ready
    touch a.csv "b c.csv"
    mkdir d
    [ "$(zsh_offers fit --solver sgd)" = "$(printf 'sgd\nsgd-as-published')" ]
    [ "$(zsh_offers fit --solver=ex)" = exact ]
    [ "$(zsh_offers fit "")" = "$(printf 'a.csv\nb\\ c.csv\nd')" ]
    [ "$(zsh_offers fit pool.csv --out a)" = a.csv ]
    [ "$(zsh_offers run --save "")" = d ]
    [ "$(zsh_offers train --schema ad)" = "$(printf 'adult\nadult-cut')" ]
    [ "$(zsh_offers train --schema "")" = "$(printf 'a.csv\nadult\nadult-cut\nb\\ c.csv\ncredit\nd\nparkinsons')" ]
    [ "$(zsh_offers schema par)" = parkinsons ]
    [ "$(zsh_offers data "")" = "$(printf 'adult\ncredit\nparkinsons')" ]
    [ "$(zsh_offers --completion "")" = "$(printf 'bash\nzsh')" ]
    [ -z "$(zsh_offers fit --epsilon "")" ]
}

@test "the build leaves them where installing takes them from" {
    [ -n "${DP2DP_BUILD_DIR:-}" ] || skip "needs the build folder"
    cmp <("$DP2DP" --completion bash) "$DP2DP_BUILD_DIR/completions/dp2dp"
    cmp <("$DP2DP" --completion zsh) "$DP2DP_BUILD_DIR/completions/_dp2dp"
    refuses 2 "--completion bash, or zsh" --completion fish
    refuses 2 "--completion bash, or zsh" --completion
}
