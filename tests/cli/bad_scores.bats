#!/usr/bin/env bats
# A bad table of scores is refused before anything is charged, and no model is written. The message names
# file, row and column, never the value.
load helpers

fit=(fit pool.csv --scores a,b --sensitive s --groups=-1,1 --epsilon 1 --delta 1e-5 --ledger l.json --out model.json)

# table ROW...: writes four good rows and then these rows: the first of these is row 5, on line 6.
table() {
    printf 'a,b,s\n.25,.75,1\n.5,.5,-1\n.125,.875,1\n1,0,-1\n' >pool.csv
    [ $# -eq 0 ] || printf '%s\n' "$@" >>pool.csv
}

spends_nothing() {
    [ ! -e l.json ] && [ ! -e model.json ] && [ "$(ls -A | grep -c tmp)" = 0 ]
}

@test "the good rows alone are good" {
    table
    answers "${fit[@]}"
    [ -e model.json ]
}

@test "a probability that is none is refused with its row and column" {
    table "-.25,1.25,1"
    refuses 4 'row 5, column "a": a probability must be a number from 0 to 1: pool.csv' "${fit[@]}"
    [[ "$stderr" != *.25* ]]
    table "1.25,-.25,1"
    refuses 4 'row 5, column "b": a probability' "${fit[@]}"
    spends_nothing
}

@test "what is not a number is refused with its line and column" {
    local cell
    for cell in nan NaN inf -inf "" abc 0x1 1e999 "0.5 0.5"; do
        table "$cell,.5,1"
        refuses 4 "pool.csv" "${fit[@]}"
        [[ "$stderr" == *'line 6, column "a": '* ]]
        [[ -z "$cell" || "$stderr" != *"$cell"* ]]
    done
    spends_nothing
}

@test "probabilities that do not sum to 1 are refused, or normalized on demand" {
    table ".25,.5,1"
    refuses 4 "row 5: the probabilities do not sum to 1" "${fit[@]}"
    table ".25,.750002,1"
    refuses 4 "row 5: the probabilities do not sum to 1" "${fit[@]}"
    spends_nothing
    table "1,3,1" "20,20,-1"
    separately "$DP2DP" "${fit[@]}" --normalize
    [[ "$status" = 0 && "$stderr" == "CAUTION: the scores of each row are divided by their sum. These sums range from 1 to 40"* ]]
    answers predict model.json pool.csv --out d.csv
    rm model.json l.json
    table "0,0,1"
    refuses 4 "row 5: " "${fit[@]}" --normalize
    spends_nothing
}

@test "a sum within 1e-6 of 1 is 1" {
    table ".25,.7500009,1"
    answers "${fit[@]}"
}

@test "a group that was not declared is refused with its row and column" {
    local group
    for group in 2 1x 1.5 1e1 " 1" "-1 "; do
        rm -f l.json model.json
        table ".5,.5,$group"
        refuses 4 'row 5, column "s": the group is not in the declared list: pool.csv' "${fit[@]}"
    done
    table ".5,.5,"
    refuses 4 'row 5, column "s": the group is empty: pool.csv' "${fit[@]}"
    spends_nothing
}

@test "a group that is a number is found by its value" {
    local group seeded=(fit pool.csv --scores a,b --sensitive s --groups=-1,1 --epsilon 1 --delta 1e-5 --insecure-seed 1)
    table ".5,.5,1"
    answers "${seeded[@]}" --out expected.json
    for group in 01 1.0 +1; do
        table ".5,.5,$group"
        answers "${seeded[@]}" --out model.json --force
        cmp model.json expected.json
        answers predict model.json pool.csv
    done
}

@test "a declared group without people works" {
    table
    answers fit pool.csv --scores a,b --sensitive s --groups=-1,1,7 --epsilon 1 --delta 1e-5 --out model.json --json
    holds '(.shares | length) == 3 and (.offsets | length) == 3'
    answers predict model.json pool.csv
}

@test "fewer than two rows are too few" {
    echo a,b,s >pool.csv
    refuses 4 "pool.csv: the table has 0 rows, but at least 2 are needed" "${fit[@]}"
    printf 'a,b,s\n.5,.5,1\n' >pool.csv
    refuses 4 "pool.csv: the table has 1 row, but at least 2 are needed" "${fit[@]}"
    spends_nothing
}

@test "one class is too few, and a tolerance is not negative" {
    table
    refuses 2 "--scores has one name" fit pool.csv --scores a --sensitive s --groups=-1,1 --epsilon 1 \
        --delta 1e-5 --out model.json
    refuses 2 "--rho -1 is below its bound 0" "${fit[@]}" --rho=-1
    spends_nothing
}

@test "columns that are missing or there twice are refused" {
    table
    refuses 4 "pool.csv" fit pool.csv --scores a,c --sensitive s --groups=-1,1 --solver exact --out model.json
    [[ "$stderr" == *c* ]]
    refuses 4 "sex" fit pool.csv --scores a,b --sensitive sex --groups=-1,1 --solver exact --out model.json
    printf 'a,b,s,a\n.25,.75,1,.25\n.5,.5,-1,.5\n' >pool.csv
    refuses 4 "pool.csv" "${fit[@]}"
    printf 'a,b,s\n.25,.75\n.5,.5,-1\n' >pool.csv
    refuses 4 "pool.csv" "${fit[@]}"
    spends_nothing
}

@test "a file that is not there, no file, empty or closed is refused" {
    refuses 1 "pool.csv" "${fit[@]}"
    mkdir pool.csv
    refuses 1 "pool.csv" "${fit[@]}"
    rmdir pool.csv
    : >pool.csv
    refuses 4 "pool.csv" "${fit[@]}"
    spends_nothing
    if [ "$(id -u)" -ne 0 ]; then
        table
        chmod a-r pool.csv
        refuses 1 "pool.csv" "${fit[@]}"
        spends_nothing
    fi
}

@test "one wild record among many changes nothing but its own contribution" {
    # No clipping is needed: a record counts in one cell only, whatever its scores are.
    people 1000 1 >pool.csv
    fits --epsilon 1 --delta 1e-5 --insecure-seed 1 --out usual.json --json
    local usual=$output
    sed '2s/.*/1,1e-300,1,F,no/' pool.csv >wild.csv
    fits wild.csv --epsilon 1 --delta 1e-5 --insecure-seed 1 --out wild.json --json
    holds "[.offsets, $(jq -c .offsets <<<"$usual")] | map(flatten) | transpose | all(.[0] - .[1] | fabs < 0.05)"
}
