#!/usr/bin/env bats
# --bad-rows ignore: a bad row is a record that adds nothing. Apart from noisy values, nothing that the program writes
# tells whether there is one.
load helpers

begin() {
    export SOURCE_DATE_EPOCH=1000000000
    cat >s.json <<'END'
{"format": "dp2dp-schema", "version": {"major": 1, "minor": 0}, "name": "t", "origin": "public", "norm": 3,
 "missing": ["?"], "columns": [
 {"name": "a", "role": "feature", "kind": "numeric", "lower": -4, "upper": 4},
 {"name": "c", "role": "feature", "kind": "categorical", "levels": ["u", "v"], "unknown": "refuse"},
 {"name": "s", "role": "sensitive", "kind": "categorical", "levels": ["f", "m"]},
 {"name": "y", "role": "label", "kind": "categorical", "levels": ["no", "yes"]}]}
END
    awk 'BEGIN { srand(1); print "a,c,s,y"; for (i = 0; i < 2000; i++) {
        a = 8 * rand() - 4; s = rand() < 0.5; c = rand() < 0.5; y = a + s + c + 2 * rand() > 2
        printf "%.3f,%s,%s,%s\n", a, c ? "u" : "v", s ? "m" : "f", y ? "yes" : "no" } }' >whole.csv
    awk 'BEGIN { srand(2); print "p_no,p_yes,sex"; for (i = 0; i < 2000; i++) {
        s = rand() < 0.5; p = rand() * (s ? 1 : 0.8); printf "%.6f,%.6f,%s\n", 1 - p, p, s ? "M" : "F" } }' >whole.scores
}

# with_row ROW FROM TO: copies the table FROM to TO, with ROW in the place of one row.
with_row() {
    row=$1 awk 'NR == 1235 { print ENVIRON["row"]; next } { print }' "$2" >"$3"
}

# Everything in a file but its noisy values, and checksums over them.
model() {
    jq -S 'del(.checksum, .phase1.weights, .rule.offsets, .rule.shares)' "$1"
}
certificate() {
    jq -S 'del(.checksum, .table, .unfairness_upper, .unfairness_upper_strict)' "$1"
}
ledger() {
    jq -S 'del(.entries[] | select(.entry == "published")) | del(.entries[] | .previous?, .hash?)' "$1"
}

# shown ARGUMENT...: exit code, stdout and stderr, without decimals, which may come from noise, and names of files.
shown() {
    local code=0
    "$DP2DP" "$@" >out 2>err || code=$?
    sed -E 's/(whole|wrong)\./TABLE./g; s/ *[-+]?[0-9]*\.[0-9]+/#/g; s/^(  [FMfm]) .*/\1/' out
    printf 'exit %s\n' "$code"
    cat err
}

# alike COMMAND...: prints the same for the table with and without a bad row; @ stands for its name.
alike() {
    local name
    for name in whole wrong; do
        "${@//@/$name}" >"$name.shown"
    done
    diff whole.shown wrong.shown
}

# trains SOLVER METHOD: both phases on both tables show the same.
trains() {
    rm -f ./*.ledger ./*.lock
    alike shown train @.csv --schema s.json "${private[@]}" --method "$2" --bad-rows ignore --insecure-seed 3 \
        --ledger @.ledger --force --out @.c
    alike shown fit @.csv --model @.c --same-people "${private[@]}" --solver "$1" --bad-rows ignore --insecure-seed 3 \
        --ledger @.ledger --force --out @.f
    alike model @.c
    alike model @.f
    alike ledger @.ledger
    [ "$(jq -c '[.records, .leaves_out, .phase1.records, .phase1.leaves_out]' wrong.f)" = '[2000,true,2000,true]' ]
    [ "$(jq -c .phase1.weights whole.c)" != "$(jq -c .phase1.weights wrong.c)" ]
}

@test "2000 rows with and without a bad row: training and fit show the same" {
    local row
    for row in x,u,m,yes 1e999,u,m,yes ,u,m,yes '?,u,m,yes' 1,w,m,yes '1,?,m,yes' 1,u,m,maybe \
        "1,$(printf '\xe9'),m,yes" ,,, '"a ""b"", c",?,?,?'; do
        with_row "$row" whole.csv wrong.csv
        refuses 4 "wrong.csv" train wrong.csv --schema s.json "${private[@]}" --insecure-seed 3 --out c
        trains counts dpgd
    done
    trains sgd dpsgd
    trains counts output
}

@test "a group that is not in the schema is bad for a fit and a certificate" {
    with_row 1,u,x,yes whole.csv wrong.csv
    answers train whole.csv --schema s.json "${private[@]}" --out c
    refuses 4 "wrong.csv" fit wrong.csv --model c "${private[@]}" --out f
    alike shown fit @.csv --model c "${private[@]}" --bad-rows ignore --insecure-seed 3 --out @.f
    alike model @.f
    refuses 4 "wrong.csv" certify whole.f wrong.csv "${private[@]}"
    alike shown certify whole.f @.csv "${private[@]}" --bad-rows ignore --insecure-seed 3 --out @.certificate
    alike certificate @.certificate
}

@test "2000 scores with and without a bad row: fit and certify show the same" {
    local row solver
    local scores=("${scored[@]}" "${private[@]}" --bad-rows ignore --insecure-seed 3 --missing NA --force)
    for row in 1.5,-0.5,M 0.7,0.7,M NA,0.5,M 0.5,0.5,NA 0.5,0.5,X 0.5,0.5, nan,0.5,M 70,30,F x,y,z 0,0,M 1e999,0,M; do
        with_row "$row" whole.scores wrong.scores
        refuses 4 "wrong.scores" fit wrong.scores "${scored[@]}" "${private[@]}" --missing NA --out f
        for solver in counts sgd; do
            rm -f ./*.ledger ./*.lock
            alike shown fit @.scores "${scores[@]}" --solver $solver --ledger @.ledger --out @.f
            alike model @.f
            alike ledger @.ledger
            [ "$(jq -c '[.records, .leaves_out]' wrong.f)" = '[2000,true]' ]
        done
        alike shown fit @.scores "${scores[@]}" --dither 0.01 --json --out @.f
        alike model @.f
        alike shown fit @.scores "${scores[@]}" --dry-run --out g
        alike shown certify whole.f @.scores "${private[@]}" --missing NA --bad-rows ignore --insecure-seed 4 --force \
            --out @.certificate
        alike certificate @.certificate
        [ "$(jq -c '[.records, .leaves_out]' wrong.certificate)" = '[2000,true]' ]
    done
}

@test "the extra cell depends on the option, not on the rows" {
    "$DP2DP" fit whole.scores "${scored[@]}" "${private[@]}" --bad-rows ignore --out f | grep -q '^  left out '
    [ "$(jq -c .leaves_out f)" = true ]
    [ -z "$("$DP2DP" fit whole.scores "${scored[@]}" "${private[@]}" --bad-rows refuse --force --out f | grep 'left out')" ]
    [ "$(jq -c .leaves_out f)" = false ]
    answers train whole.csv --schema s.json "${private[@]}" --bad-rows ignore --out c
    [ "$(jq -c .phase1.leaves_out c)" = true ]
}

@test "every row may be bad" {
    awk 'NR > 1 { print "x,u,m,yes"; next } { print }' whole.csv >wrong.csv
    rm -f ./*.ledger
    answers train wrong.csv --schema s.json "${private[@]}" --bad-rows ignore --insecure-seed 3 --out c
    answers fit wrong.csv --model c "${private[@]}" --bad-rows ignore --insecure-seed 3 --out f
    answers certify f wrong.csv "${private[@]}" --bad-rows ignore --insecure-seed 3
    awk 'NR > 1 { print "2,2,M"; next } { print }' whole.scores >wrong.scores
    answers fit wrong.scores "${scored[@]}" "${private[@]}" --bad-rows ignore --insecure-seed 3 --force --out f
}

@test "a fit and a certificate of groups that nobody has say that most people were left out" {
    answers fit whole.scores --scores p_no,p_yes --sensitive sex --groups m,f "${private[@]}" --bad-rows ignore \
        --insecure-seed 3 --out f
    [[ "$output" == *"CAUTION: according to the released tables, more than half"*"left out"* ]]
    [[ "$output" != *dither* ]]
    [[ "$(jq -c .warnings f)" == *most-left-out* ]]
    answers fit whole.scores --scores p_no,p_yes --sensitive sex --groups m,f "${private[@]}" --bad-rows ignore \
        --insecure-seed 3 --force --json --out f
    [[ "$(jq -c .warnings <<<"$output")" == *most-left-out* ]]
    answers show f
    [[ "$output" == *"more than half"*"left out"* ]]
    answers certify f whole.scores "${private[@]}" --bad-rows ignore --insecure-seed 3 --out certificate
    [[ "$output" == *"more than half"*"left out"* ]]
    [[ "$(jq -c .warnings certificate)" == *most-left-out* ]]
    answers verify certificate
    answers fit whole.scores "${scored[@]}" "${private[@]}" --bad-rows ignore --insecure-seed 3 --force --out f
    [[ "$(jq -c .warnings f)" != *most-left-out* ]]
}

@test "a bad row adds nothing: without noise the rule is that of the others" {
    with_row 2,2,M whole.scores wrong.scores
    sed 1235d whole.scores >fewer.scores
    answers fit wrong.scores "${scored[@]}" --solver exact --bad-rows ignore --out wrong
    answers fit fewer.scores "${scored[@]}" --solver exact --out fewer
    diff <(jq .rule wrong) <(jq .rule fewer)
    [ "$(jq .records wrong)" = 2000 ]
}

@test "damage that changes where rows begin is always refused" {
    local row
    for row in 1,u,m 1,u,m,yes,1 '1,"u,m,yes' '1,u"u,m,yes' '1,"u"x,m,yes' ''; do
        with_row "$row" whole.csv wrong.csv
        refuses 4 "wrong.csv" train wrong.csv --schema s.json "${private[@]}" --bad-rows ignore --out c
    done
    awk 'NR == 1235 { printf "1,u,%c,yes\n", 0; next } { print }' whole.csv >wrong.csv
    refuses 4 "NUL" train wrong.csv --schema s.json "${private[@]}" --bad-rows ignore --out c
    gzip <whole.csv | head -c 5000 >wrong.csv
    refuses 4 "wrong.csv" train wrong.csv --schema s.json "${private[@]}" --bad-rows ignore --out c
}

@test "run counts bad rows, and decides nothing for them" {
    with_row x,u,m,yes whole.csv wrong.csv
    alike shown run @.csv --schema s.json "${private[@]}" --bad-rows ignore --dry-run --json
    answers run wrong.csv --schema s.json "${private[@]}" --bad-rows ignore --insecure-seed 1 --json --save runs
    holds '.records == 2000'
    [ "$(wc -l <runs/run-0.csv)" -eq 2000 ]
    [ -z "$(grep '^1233,' runs/run-0.csv)" ]
}

@test "where bad rows cannot be ignored, the option is refused" {
    refuses 2 "cannot leave records out" fit whole.scores "${scored[@]}" "${private[@]}" --solver sgd-as-published \
        --bad-rows ignore --out f
    refuses 2 "needs a TABLE" train --schema adult --data-dir . "${private[@]}" --bad-rows ignore --out c
    refuses 2 "bad-rows" train --schema s.json --method external --weights w.csv --bad-rows ignore --out c
    answers fit whole.scores "${scored[@]}" "${private[@]}" --out f
    refuses 2 "bad-rows" predict f whole.scores --bad-rows ignore
    refuses 2 "bad-rows" evaluate f whole.scores --bad-rows ignore
}

@test "records that are clearly left out are told from the released tables, and their number is stored" {
    begin
    local scored=(--scores p_no,p_yes --sensitive sex --groups F,M --bad-rows ignore --epsilon 2 --delta 1e-6)
    awk -F, -v OFS=, 'NR > 1 && NR % 5 == 0 { $3 = "X" } 1' whole.scores >third.scores
    answers fit third.scores "${scored[@]}" --out third.json
    says "according to the released tables, about" "Is every group in the list of groups" "left out about"
    answers show third.json
    says "of 2000 records (20 %) were left out" "left out, and not in the numbers of people above"
    answers fit third.scores "${scored[@]}" --force --json --out third.json
    holds '.records_kept > 1500 and .records_kept < 1700'
    answers certify third.json third.scores --bad-rows ignore --epsilon 2 --delta 1e-6
    says "CAUTION: the bound does not cover about"
    answers certify third.json third.scores --bad-rows ignore --epsilon 2 --delta 1e-6 --json
    holds '.records_left_out > 300 and .records_left_out < 500'
    answers fit whole.scores "${scored[@]}" --out whole.json
    [[ "$output" != *"were left out"* ]]
    [ "$(jq 'has("records_kept")' whole.json)" = false ]
    answers certify whole.json whole.scores --bad-rows ignore --epsilon 2 --delta 1e-6
    [[ "$output" != *"does not cover about"* ]]
}
