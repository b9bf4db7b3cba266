#!/usr/bin/env bats
# Rows that the schema leaves out are still records: nothing visible tells how many there are, except through noise.
load helpers

begin() {
    export SOURCE_DATE_EPOCH=1000000000
    cat >s.json <<'END'
{"format": "dp2dp-schema", "version": {"major": 1, "minor": 0}, "name": "t", "origin": "public", "norm": 3,
 "missing": ["?"], "columns": [
 {"name": "a", "role": "feature", "kind": "numeric", "lower": -4, "upper": 4},
 {"name": "c", "role": "feature", "kind": "categorical", "levels": ["u", "v"], "missing": "drop"},
 {"name": "s", "role": "sensitive", "kind": "categorical", "levels": ["f", "m"]},
 {"name": "y", "role": "label", "kind": "categorical", "levels": ["no", "yes"]}]}
END
    awk 'BEGIN { srand(1); print "a,c,s,y"; for (i = 0; i < 2000; i++) {
        a = 8 * rand() - 4; s = rand() < 0.5; c = rand() < 0.5; y = a + s + c + 2 * rand() > 2
        printf "%.3f,%s,%s,%s\n", a, c ? "u" : "v", s ? "m" : "f", y ? "yes" : "no" } }' >whole.csv
    awk -F, -v OFS=, 'NR == 1235 { $2 = "?" } { print }' whole.csv >hole.csv
}

# model FILE: everything in a model but its noisy values.
model() {
    jq -S 'del(.checksum, .phase1.weights, .rule.offsets, .rule.shares)' "$1"
}

# alike COMMAND...: prints the same for the table with and without the hole; @ stands for its name.
alike() {
    local name
    for name in whole hole; do
        "${@//@/$name}" >"$name.shown"
    done
    diff whole.shown hole.shown
}

# The table with the hole did count: its weights differ.
differs() {
    [ "$(jq -c .phase1.weights whole.c)" != "$(jq -c .phase1.weights hole.c)" ]
}

@test "2000 rows with and without one missing value: every visible field is the same" {
    local method solver name
    for method in dpgd dpsgd output; do
        for solver in counts sgd; do
            for name in whole hole; do
                rm -f "$name.ledger" "$name.ledger.lock"
                answers train $name.csv --schema s.json "${private[@]}" --method $method --insecure-seed 3 \
                    --ledger $name.ledger --force --out $name.c
                answers fit $name.csv --model $name.c --same-people "${private[@]}" --solver $solver \
                    --insecure-seed 3 --ledger $name.ledger --force --out $name.f
            done
            alike model @.c
            alike model @.f
            alike jq 'del(.entries[] | select(.entry == "published")) | del(.entries[] | .previous?, .hash?)' @.ledger
            differs
            [ "$(jq -c '[.records, .leaves_out, .phase1.records, .phase1.leaves_out]' hole.f)" = '[2000,true,2000,true]' ]
        done
    done
}

@test "a certificate has one more cell and does not tell either" {
    answers train whole.csv --schema s.json "${private[@]}" --insecure-seed 3 --out whole.c
    answers fit whole.csv --model whole.c "${private[@]}" --insecure-seed 3 --out f
    alike "$DP2DP" certify f @.csv "${private[@]}" --dry-run --json
    local name
    for name in whole hole; do
        "$DP2DP" certify f $name.csv "${private[@]}" --insecure-seed 4 --json |
            jq 'del(.unfairness_upper, .unfairness_upper_strict, .table, .rates)' >$name.shown
    done
    grep -q '"coordinates": 5' hole.shown
    diff <(jq -c 'paths' whole.shown) <(jq -c 'paths' hole.shown)
    diff <(jq '.entries' whole.shown) <(jq '.entries' hole.shown)
}

@test "evaluate says how many rows are left out, and certify only that rows may be" {
    answers train whole.csv --schema s.json "${private[@]}" --insecure-seed 3 --out c
    answers fit whole.csv --model c "${private[@]}" --insecure-seed 3 --out f
    answers evaluate f hole.csv
    says "on 1999 people" "left out 1 row of the table, as the schema says"
    answers evaluate f hole.csv --json
    holds '.records == 1999 and .left_out == 1'
    answers evaluate f whole.csv
    [[ "$output" != *"left out"* ]]
    awk -F, -v OFS=, 'NR > 1 { $2 = "?" } { print }' whole.csv >empty.csv
    refuses 4 "empty.csv: nobody is left to count: all 2000 rows lack a value, and the schema drops such rows" \
        evaluate f empty.csv
    local name
    for name in whole hole; do
        answers certify f $name.csv "${private[@]}" --insecure-seed 4
        says "left out people whose row is bad or lacks a needed value. The rates do not count these people. How many they are is known only with noise"
        answers certify f $name.csv "${private[@]}" --insecure-seed 4 --json
        holds '.records == 2000 and .leaves_out == true'
    done
}

@test "a plan and a run count every row" {
    alike "$DP2DP" train @.csv --schema s.json "${private[@]}" --out m --dry-run --json
    alike "$DP2DP" run @.csv --schema s.json "${private[@]}" --dry-run --json
    answers run hole.csv --schema s.json "${private[@]}" --insecure-seed 1 --json --save runs
    holds '.records == 2000'
    # Nothing is decided for a row that is left out.
    [ "$(wc -l <runs/run-0.csv)" -eq 2000 ]
    [ -z "$(grep '^1233,' runs/run-0.csv)" ]
    grep -q '^1234,' runs/run-0.csv
}

@test "the published solver does not leave records out" {
    answers train whole.csv --schema s.json --method none --out c
    refuses 2 "cannot leave records out" fit whole.csv --model c --solver sgd-as-published "${private[@]}" --out f
}

@test "the complete rows of a data set are the public data set" {
    [ -n "${DP2DP_DATA:-}" ] || skip "needs DP2DP_DATA"
    answers train --schema adult --data-dir "$DP2DP_DATA" "${private[@]}" --insecure-seed 1 --out c
    [ "$(jq -c '[.phase1.records, .phase1.leaves_out]' c)" = '[45222,false]' ]
}

# holes SHARE: 4000 people, of whom that share of group f, and one in 20 of group m, lacks c.
holes() {
    LC_ALL=C awk -v share="$1" 'BEGIN {
        print "a,c,s,y"
        for (i = 0; i < 4000; i++) {
            s = i % 2 ? "m" : "f"; j = int(i / 2) % 100; a = (i * 37 % 800 - 400) / 100
            printf "%.3f,%s,%s,%s\n", a, j < (i % 2 ? 5 : share) ? "?" : i % 3 ? "u" : "v", s, (a > 0) ? "yes" : "no"
        } }'
}

@test "rows without a decision are counted by group, and a clear difference is a caution" {
    local verb caution="CAUTION: people whose row lacks a value get no decision"
    holes 50 >half.csv
    holes 8 >few.csv
    answers train whole.csv --schema s.json --method none --out c
    answers fit whole.csv --model c --solver exact --same-people --out f
    for verb in "predict f TABLE --out d.csv --force" "evaluate f TABLE" "report f --test TABLE --out r.html --force" \
        "run TABLE --schema s.json --method none --solver exact"; do
        # shellcheck disable=SC2086 # words
        answers ${verb/TABLE/half.csv}
        says "f: 1000 of 2000 rows m: 100 of 2000 rows" "$caution"
        # shellcheck disable=SC2086 # words
        answers ${verb/TABLE/half.csv} --json
        holds '.left_out_groups == [{"group": "f", "left_out": 1000, "rows": 2000},
            {"group": "m", "left_out": 100, "rows": 2000}] and (.warnings | index("left-out-differs"))'
        # shellcheck disable=SC2086 # words
        answers ${verb/TABLE/few.csv} --json
        holds '.left_out_groups[0].left_out == 160 and (.warnings | index("left-out-differs") | not)'
        # shellcheck disable=SC2086 # words
        answers ${verb/TABLE/whole.csv} --json
        holds '(has("left_out_groups") | not) and (.warnings | index("left-out-differs") | not)'
    done
    answers report f --test half.csv --out r.html --force
    [ "$(grep -c 'get no decision, and this page does not count them' r.html)" -eq 1 ]
    grep -q '"left_out":\[{"group":0,"people":1000,"of":2000,' r.html
    separately "$DP2DP" predict f half.csv
    [[ "$status" = 0 && "$stderr" == "$caution"*"do not publish the "* ]]
    answers run half.csv --schema s.json --method none --solver exact --insecure-seed 1 --json
    holds '.test_left_out > 200 and .test_left_out < 350 and .sizes.test == 1000'
    answers run half.csv --schema s.json --method none --solver exact --bad-rows ignore
    [[ "$output" != *"left out"* && "$output" != *CAUTION:\ people* ]]
    answers run half.csv --schema s.json --method none --solver exact --bad-rows ignore --json
    holds '(has("test_left_out") or has("left_out_groups")) | not'
}

@test "a row that is left out and whose group is missing or unknown is in no group" {
    holes 50 | awk -F, -v OFS=, 'NR > 1 && $2 == "?" && NR % 3 == 0 { $3 = "x" } { print }' >odd.csv
    answers train whole.csv --schema s.json --method none --out c
    answers fit whole.csv --model c --solver exact --same-people --out f
    answers evaluate f odd.csv --json
    holds '.left_out == 1100 and ([.left_out_groups[].left_out] | add) < 800'
}
