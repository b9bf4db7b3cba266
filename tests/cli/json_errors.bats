#!/usr/bin/env bats
# With --json a failure is one JSON object on stderr, and nothing else; without --json it is text.
load helpers

begin() {
    people 50 1 >pool.csv
}

# fails_in_json CODE FILTER ARGUMENT...: exits with CODE, prints nothing on stdout, and stderr is one JSON object of
# which the jq filter is true.
fails_in_json() {
    local code=$1 filter=$2
    shift 2
    refuses "$code" "" "$@"
    [ "$(jq -s length <<<"$stderr")" -eq 1 ]
    output=$stderr
    holds "type == \"object\" and .exit == $code and ($filter)"
}

@test "bad data: the object has the reason, the row, the line and the column" {
    sed '4s/,[^,]*,/,x,/' pool.csv >bad.csv
    fails_in_json 4 '.status == "data" and .reason == "not-a-number" and .row == 3 and .line == 4 and
        .column == "p_no" and .verb == "fit"' fit bad.csv "${scored[@]}" "${private[@]}" --out m.json --json
    local message
    message=$(jq -r .error <<<"$output")
    refuses 4 "dp2dp fit: $message" fit bad.csv "${scored[@]}" "${private[@]}" --out m.json
}

@test "members that are not known are left out" {
    fails_in_json 1 'keys == ["error", "exit", "status", "verb"] and .status == "io"' show missing.json --json
    fails_in_json 2 'keys == ["error", "exit", "status"] and .status == "argument"' frobnicate --json
}

@test "a command line that cannot be parsed is refused in JSON, wherever --json stands" {
    fails_in_json 2 '.verb == "account" and (.error | startswith("unknown option --sgima"))' account --sgima 2 --json
    fails_in_json 2 '.error | startswith("unknown option --sgima")' account --json --sgima 2
    fails_in_json 2 '.error == "--sigma needs a value: Z"' account --mechanism gaussian --delta 1e-5 --sigma --json
    fails_in_json 2 '.error == "--json takes no value"' account --mechanism gaussian --delta 1e-5 --sigma 1 --json=1
    fails_in_json 2 '.error | startswith("unknown option --json")' count pool.csv --json
}

@test "a file called --json does not ask for JSON" {
    refuses 1 "dp2dp show: " show -- --json
}

@test "a refused budget and a finding have their status in JSON" {
    fails_in_json 3 '.status == "budget" and .verb == "fit"' \
        fit pool.csv "${scored[@]}" "${private[@]}" --ledger l.json --budget 0.5 --out m.json --json
    fits "${private[@]}" --out m.json
    separately "$DP2DP" certify m.json pool.csv "${private[@]}" --at-most 1e-9 --json
    [ "$status" -eq 5 ]
    holds '.verb == null'
    output=$stderr
    holds '.status == "not-met" and .exit == 5 and .verb == "certify"'
}

@test "a word of the command line that is not UTF-8 or has quotes and control characters still gives JSON" {
    fails_in_json 2 '.error | contains("a\ufffd\"b\u0007")' account --mechanism $'a\xff"b\a' --json
    [[ "$stderr" != *$'\a'* ]]
}

@test "an interrupt is reported in JSON" {
    mkfifo pipe
    signalled INT "has_begun m.json" fit pipe "${scored[@]}" "${private[@]}" --out m.json --json
    [ "$code" -eq 130 ]
    output=$(<../message)
    holds '.error == "interrupted" and .status == "cancelled" and .exit == 130'
}
