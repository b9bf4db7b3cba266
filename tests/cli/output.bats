#!/usr/bin/env bats
# Where output goes, its format, and what happens if it cannot be written.
load helpers

run=(account --mechanism gaussian --sigma 4 --delta 1e-5)

@test "the version is the project's" {
    answers --version
    [[ "$output" =~ ^dp2dp\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
    [ -z "${DP2DP_SOURCE_DIR:-}" ] ||
        grep -q "VERSION ${output#dp2dp } " "$DP2DP_SOURCE_DIR/CMakeLists.txt"
}

@test "help is an answer: stdout, exit code 0, all verbs and options" {
    local verb option
    answers --help
    says "${verbs[@]}" "Usage: dp2dp VERB" "dp2dp help fit"
    for verb in "${verbs[@]}"; do
        answers help "$verb"
        says "Usage: dp2dp $verb " "Examples:" "--help print this help"
    done
    for verb in account calibrate; do
        answers help "$verb"
        repeats "$verb" --help
        repeats "$verb" -h
        for option in mechanism sigma rate population steps delta adjacency accountant rows-per-person \
            sampling-unit sensitivity epsilon json; do
            says "--$option"
        done
    done
    says "--find"
}

@test "help fits 80 columns but for the examples" {
    local verb
    answers --help
    awk 'length > 80 { print; bad = 1 } END { exit bad }' <<<"$output"
    for verb in "${verbs[@]}"; do
        answers "$verb" --help
        sed '/^Examples:/,/^$/d' <<<"$output" | awk 'length > 80 { print; bad = 1 } END { exit bad }'
    done
}

@test "JSON is one object, whatever the locale" {
    answers "${run[@]}" --json
    holds 'type == "object" and (.epsilon | type) == "number"'
    [ "$(jq -s length <<<"$output")" = 1 ]
    LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8 repeats "${run[@]}" --json
}

@test "numbers in JSON read back exactly" {
    answers account --mechanism gaussian --sigma 4.1000000000000005 --delta 1.0000000000000001e-05 --json
    [[ "$output" == *'"sigma": 4.1000000000000005'* ]]
    [[ "$output" == *'"delta": 1e-05'* ]]
}

@test "no colour where stdout is no terminal" {
    TERM=xterm answers "${run[@]}"
    [[ "$output" != *$'\033'* ]]
}

@test "colour on a terminal, unless NO_COLOR or a dumb one" {
    command -v script >/dev/null || skip "needs script(1) for a terminal"
    local command
    command=$(printf '%q ' "$DP2DP" "${run[@]}")
    on_terminal() { # VARIABLE=VALUE...: counts the output lines with an escape code
        env -u NO_COLOR "$@" script -qec "$command" /dev/null </dev/null | grep -c $'\033' || true
    }
    [ "$(on_terminal TERM=xterm)" -gt 0 ]
    [ "$(on_terminal TERM=xterm NO_COLOR=)" -gt 0 ]
    [ "$(on_terminal TERM=xterm NO_COLOR=1)" -eq 0 ]
    [ "$(on_terminal TERM=dumb)" -eq 0 ]
}

@test "a full disk and a closed stdout end with 1 and a message, a reader that is gone with 141 and none" {
    local code=0
    [ -w /dev/full ] || skip "needs /dev/full"
    "$DP2DP" "${run[@]}" >/dev/full 2>message || code=$?
    [ "$code" = 1 ]
    grep -q "cannot write to standard output" message
    code=0
    "$DP2DP" "${run[@]}" >&- 2>message || code=$?
    [ "$code" = 1 ]
    grep -q "cannot write to standard output" message
    mkfifo pipe
    exec 7<>pipe 8>pipe 7>&-
    code=0
    "$DP2DP" "${run[@]}" >&8 2>message || code=$?
    exec 8>&-
    [ "$code" = 141 ]
    [ ! -s message ]
}

@test "a closed stdin or stderr does no harm" {
    "$DP2DP" "${run[@]}" --json <&- >with.json
    "$DP2DP" "${run[@]}" --json 2>&- >without.json
    cmp with.json without.json
    local code=0
    "$DP2DP" account --sigma 0 2>&- >nothing || code=$?
    [ "$code" = 2 ]
    [ ! -s nothing ]
}

@test "an interrupt ends with 130" {
    # The program waits to write to a full pipe until it is interrupted.
    local code=0
    mkfifo pipe
    exec 7<>pipe
    dd if=/dev/zero of=pipe bs=4096 count=4096 oflag=nonblock 2>/dev/null || true
    env --default-signal=INT "$DP2DP" "${run[@]}" >&7 2>message 3>&- &
    local pid=$!
    waits_for "$pid" hears_interrupts "$pid"
    kill -INT "$pid"
    wait "$pid" || code=$?
    exec 7>&-
    [ "$code" = 130 ]
    grep -q interrupted message
}

@test "a name that promises another format is refused in every verb, before anything is spent" {
    people 400 3 >pool.csv
    local private=(--epsilon 1 --delta 1e-5 --ledger ledger.json)
    answers fit pool.csv "${scored[@]}" --solver exact --out model.json
    answers schema --columns 'p_yes:0:1,sex:sensitive:F|M,y:label:0|1' --out s.json
    wants() { # WORDS END ARGUMENT...: refuses the names, for any of the formats in `ends`
        local words=$1 end=$2 other
        shift 2
        for other in pdf xlsx json.gz csv.zst "$end.gz" PDF; do
            refuses 2 "--out x.$other: the output is $words, so its name must end in .$end" "$@" --out "x.$other"
            [ ! -e "x.$other" ]
        done
    }
    wants "a model in JSON" json fit pool.csv "${scored[@]}" "${private[@]}"
    wants "a model in JSON" json train pool.csv --schema s.json "${private[@]}"
    wants "a certificate in JSON" json certify model.json pool.csv "${private[@]}"
    wants "a schema in JSON" json schema s.json
    wants "a page in HTML" html report model.json
    wants "SQL" sql export model.json --sql duckdb
    wants "an ONNX model" onnx export model.json --onnx
    wants "a C header" h export model.json --c-header
    wants "a table in CSV" csv synth --insecure-seed 1
    wants "a table in CSV" csv sweep pool.csv "${scored[@]}" --label y --solver exact --rho 0
    [ -z "${DP2DP_DATA:-}" ] || wants "a table in CSV" csv data parkinsons
    [ ! -e ledger.json ]
    # An end that stands for no format is the user's own business.
    answers fit pool.csv "${scored[@]}" --solver exact --out model.v2
    answers fit pool.csv "${scored[@]}" --solver exact --out model
    answers fit pool.csv "${scored[@]}" --solver exact --out MODEL.JSON
}
