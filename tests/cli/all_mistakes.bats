#!/usr/bin/env bats
# All mistakes of a command line are reported in one run, one per line, and each only once.
load helpers

# reports COUNT ARGUMENT...: exits with 2 and COUNT lines of mistakes, then one line that says where to find help.
reports() {
    local count=$1
    shift
    refuses 2 "" "$@"
    if [ "$(grep -c "^dp2dp $1: " <<<"$stderr")" -ne "$count" ] || [ "$(wc -l <<<"$stderr")" -ne $((count + 1)) ] ||
        [ "$(tail -n 1 <<<"$stderr")" != "try: dp2dp $1 --help" ]; then
        printf 'dp2dp %s\nwanted %s mistakes\n%s\n' "$*" "$count" "$stderr"
        return 1
    fi
}

# names WORDS...: stderr contains each of them.
names() {
    local words
    for words in "$@"; do
        if [[ "$stderr" != *"$words"* ]]; then
            printf 'not said: %s\n%s\n' "$words" "$stderr"
            return 1
        fi
    done
}

@test "fit without anything names all that it needs" {
    reports 7 fit
    names "TABLE is missing" "--scores p0,p1,... is needed" "--sensitive is missing" "--groups A,B,... is needed" \
        "--epsilon E is needed" "--delta D is needed" "--out MODEL is needed"
}

@test "the other verbs name all that they need" {
    reports 4 train pool.csv
    names "--schema" "--out" "--epsilon E is needed" "--delta D is needed"
    reports 3 run pool.csv
    names "--schema" "--epsilon E is needed" "--delta D is needed"
    reports 3 certify
    names "MODEL is missing" "--epsilon E is needed" "--delta D is needed"
    reports 2 account --mechanism poisson --delta 1e-5
    names "needs --sigma Z" "needs --rate Q"
    reports 2 account --mechanism gaussian --sigma 1 --delta 1e-5 --diameter 1 --declared-epsilon 1
    names "--diameter cannot be used" "--declared-epsilon cannot be used"
}

@test "every verb names all that it needs, and all that it cannot use" {
    reports 7 sweep --note x --new-ledger --out -
    names "give --schema SCHEMA" "TABLE is missing" "--note needs --ledger" "--new-ledger needs --ledger" \
        "--out must be a file" "--epsilon E,F,... is needed" "--delta D is needed"
    reports 5 sweep t.csv --scores p0,p1 --epsilon 1
    names "--sensitive COLUMN is needed" "--groups A,B,... is needed" "--label COLUMN is needed" "--out" "--delta D is needed"
    reports 1 sweep t.csv --schema s.json --epsilon 1 --delta 1e-5 --solver exct --out s.csv
    reports 3 calibrate
    names "--mechanism is needed" "--epsilon E is needed" "--delta D is needed"
    reports 4 calibrate --mechanism poisson --sigma 1 --steps 3
    names "--sigma is the value that this command computes" "needs --rate Q" "needs --epsilon E" "needs --delta D"
    reports 3 account --mechanism poisson
    names "needs --sigma Z" "needs --rate Q" "--delta D is needed; or give --epsilon E"
    reports 2 account --frobnicate 3 --mechanism gaussian --sigma 1
    names "unknown option --frobnicate" "--delta D is needed"
    reports 5 certify m.json --at-most 0.1 --same-people --note x
    names "TABLE is missing" "--epsilon E is needed" "--delta D is needed" "--at-most cannot be used with --same-people" "--note needs"
    refuses 2 "" predict m.json --json
    names "TABLE is missing" "--json needs --out FILE"
    reports 5 report --label y --id i --sweep s.csv
    names "MODEL is missing" "--out FILE is needed" "--label needs --test TABLE" "--id needs --test TABLE" \
        "--sweep needs --sweep-people"
    reports 2 report m.json --name x --sweep-people other --out r.html
    names "--name needs --sweep CSV" "--sweep-people needs --sweep CSV"
    reports 3 export --onnx --table t --prediction p
    names "MODEL is missing" "--table is only for --sql" "--prediction is only for --sql"
    refuses 2 "" export m.json --onnx --c-header --json
    names "give one of --sql, --onnx and --c-header" "--json needs --out FILE"
    reports 7 count --epsilon 1 --people x
    names "TABLE is missing" "--scores p0,p1,... is needed" "--sensitive COLUMN is needed" "--groups A,B,... is needed" \
        "give --serve" "--epsilon needs --ledger FILE" "--people needs --ledger FILE"
    reports 3 evaluate --confidence 95 --threds 2
    names "MODEL is missing" "--confidence 95 is not below" "unknown option --threds"
    reports 3 train t.csv --schema s.json --method external --weights w.csv --missing NA --epsilon 1 --out c.json
    names "reads no table" "--missing cannot be used" "give both --epsilon and --delta"
    reports 3 fit pool.csv "${scored[@]}" "${private[@]}" --scores-epsilon 1 --note x --batch 3 --out m.json
    names "give --scores-epsilon and --scores-delta together" "--note needs --ledger" "--batch is only for --solver"
}

@test "a ledger is a file, not standard output" {
    refuses 2 "--ledger must be the name of a file, not standard output (-)" fit pool.csv "${scored[@]}" "${private[@]}" \
        --ledger - --out m.json
    refuses 2 "--ledger must be the name of a file" certify m.json pool.csv "${private[@]}" --ledger=-
    refuses 2 "--ledger must be the name of a file" train t.csv --schema s.json "${private[@]}" --ledger - --out c.json
    refuses 2 "--ledger must be the name of a file" run t.csv --schema s.json "${private[@]}" --ledger -
    [ -z "$(ls -A)" ]
}

@test "unknown options, bad values, options given twice and missing ones are reported together" {
    reports 8 fit pool.csv "${scored[@]}" --frob 3 --bits --rho 5 --epsilon 1 --epsilon 2 --delta x --threads -1 -q 2
    names "unknown option --frob" "unknown option --bits" "--rho 5 is above" "--epsilon is given twice" \
        "--delta 'x' is not" "--threads -1 is below" "unknown option -q" "--out MODEL is needed"
}

@test "a misspelt option is not reported as missing too, nor its value as an operand" {
    reports 1 fit pool.csv "${scored[@]}" --epsilom 1 --delta 1e-5 --out m.json
    reports 1 fit pool.csv --scoers p_no,p_yes --sensitive sex --groups F,M "${private[@]}" --out m.json
    reports 1 fit --modle c.json pool.csv "${private[@]}" --out m.json
    reports 1 fit pool.csv "${scored[@]}" --sovler exact --out m.json
    reports 1 fit pool.csv "${scored[@]}" --solver exct --out m.json
    reports 1 fit pool.csv "${scored[@]}" --out m.json --solver
    reports 1 fit --jsn pool.csv "${scored[@]}" "${private[@]}" --out m.json
    reports 1 fit --frobnicate pool.csv "${scored[@]}" "${private[@]}" --out m.json
    reports 1 fit pool.csv "${scored[@]}" "${private[@]}" --epsilon 2 --out m.json
    reports 1 fit pool.csv "${scored[@]}" --delta 1e-5 --out m.json --epsilon
    reports 1 fit --source "" --groups F,M --classes no,yes "${private[@]}" --out m.json
    reports 1 train pool.csv --schema adult --mehtod none --out c.json
}

@test "a mistake that comes back is reported once, and the list ends" {
    local words=() i
    for i in {1..80}; do
        words+=("file$i")
    done
    reports 1 verify "${words[@]}"
    reports 24 fit pool.csv "${words[@]}"
    names "there are more mistakes"
}

@test "JSON has all mistakes" {
    refuses 2 "" fit --json
    output=$stderr
    holds '(.errors | length) == 7 and .error == .errors[0] and .exit == 2'
    refuses 2 "" account --mechanism gaussian --delta 1e-5 --json
    output=$stderr
    holds 'has("errors") | not'
}
