#!/usr/bin/env bats
# Shell completions come from the same tables as the parser.
load helpers

# offers WORD...: what bash would offer for the last of these words, one per line.
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
    local verb first helped
    first=$(offers "") helped=$(offers help "")
    for verb in "${verbs[@]}"; do
        grep -qx "$verb" <<<"$first"
        grep -qx "$verb" <<<"$helped"
        diff <(offers "$verb" -- | sort) <(options_of "$verb" | sort)
    done
    [ "$(offers cer)" = certify ]
    [ "$(offers fit --sens)" = --sensitive ]
}

# offers_alike FUNCTION: checks what both shells must offer; FUNCTION asks one of them.
offers_alike() {
    touch a.csv "b c.csv"
    mkdir d
    [ "$("$1" fit --solver sgd)" = "$(printf 'sgd\nsgd-as-published')" ]
    [ "$("$1" fit pool.csv --out a)" = a.csv ]
    [ "$("$1" run --save "")" = d ]
    [ "$("$1" train --schema ad)" = "$(printf 'adult\nadult-cut')" ]
    [ "$("$1" schema par)" = parkinsons ]
    [ "$("$1" data "")" = "$(printf 'adult\ncredit\nparkinsons')" ]
    [ "$("$1" --completion "")" = "$(printf 'bash\nzsh')" ]
    [ -z "$("$1" fit --epsilon "")" ]
}

@test "bash: words of options, files and folders, and nothing for numbers" {
    offers_alike offers
    [ "$(offers fit --solver = ex)" = exact ]
    [ "$(offers fit --solver =)" = "$(printf 'counts\nexact\nsgd\nsgd-as-published')" ]
    [ "$(offers predict m.json --unknown-group "")" = "$(printf 'refuse\nbase')" ]
    [ "$(offers fit "" | sort)" = "$(printf 'a.csv\nb c.csv\nd')" ]
    [ "$(offers run --schema "" | sort)" = "$(printf 'a.csv\nadult\nadult-cut\nb c.csv\ncredit\nd\nparkinsons')" ]
    [ "$(offers --comp)" = --completion ]
    [ -z "$(offers fit --sensitive "")" ]
}

@test "bash: the script is sound" {
    "$DP2DP" --completion bash >script
    bash -n script
    grep -qx "complete -F _dp2dp dp2dp" script
    ! command -v shellcheck >/dev/null || shellcheck -s bash script
}

@test "zsh: every verb, option and word is there, and quotes are in pairs" {
    local verb option part
    answers --completion zsh
    [ "$(head -n 1 <<<"$output")" = "#compdef dp2dp" ]
    for verb in "${verbs[@]}"; do
        grep -q "^        '$verb:" <<<"$output"
        part=$(sed -n "/^    $verb)/,/^        ;;/p" <<<"$output")
        for option in $(options_of "$verb"); do
            grep -q "^            '[*]\?$option[=[]" <<<"$part"
        done
    done
    says ":WORD:(counts exact sgd sgd-as-published)" ":MODEL:_files" ":DIR:_files -/"
    # bash reads quotes and line ends as zsh does: without its zsh-only syntax, the script must parse in bash.
    sed 's/^    local -a verbs=(/    verbs=(/' <<<"$output" >script
    bash -n script
    ! command -v zsh >/dev/null || zsh -n script
    # An unescaped bracket or colon would end a description. Escaped ones are removed first.
    grep -o "^            '--.*" script | sed 's/\\[]:[\\]//g' >options
    [ "$(wc -l <options)" -gt 100 ]
    run grep -vE "^ *'--[a-z-]+=?\[[^]:[]*\](:[^:]*:[^:]*)?'( \\\\)?\$" options
    [ "$status" -eq 1 ]
}

# zsh_offers WORD...: what zsh itself would offer for the last of these words, one per line.
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
    local verb
    diff <(zsh_offers "") <(printf '%s\n' "${verbs[@]}" help --help --version --completion | LC_ALL=C sort -u)
    diff <(zsh_offers help "") <(printf '%s\n' "${verbs[@]}" help | LC_ALL=C sort -u)
    for verb in "${verbs[@]}"; do
        diff <(zsh_offers "$verb" --) <(options_of "$verb" | LC_ALL=C sort -u)
    done
    [ "$(zsh_offers cer)" = certify ]
}

@test "zsh, run: words of options, built-in names, files and folders, and nothing for numbers" {
    zsh_ready
    offers_alike zsh_offers
    [ "$(zsh_offers fit --solver=ex)" = exact ]
    [ "$(zsh_offers fit "")" = "$(printf 'a.csv\nb\\ c.csv\nd')" ]
    [ "$(zsh_offers train --schema "")" = "$(printf 'a.csv\nadult\nadult-cut\nb\\ c.csv\ncredit\nd\nparkinsons')" ]
}

@test "the build leaves them where installing takes them from" {
    [ -n "${DP2DP_BUILD_DIR:-}" ] || skip "needs the build folder"
    cmp <("$DP2DP" --completion bash) "$DP2DP_BUILD_DIR/completions/dp2dp"
    cmp <("$DP2DP" --completion zsh) "$DP2DP_BUILD_DIR/completions/_dp2dp"
    refuses 2 "--completion needs the name of a shell: bash or zsh" --completion fish
    refuses 2 "--completion needs the name of a shell: bash or zsh" --completion
}
