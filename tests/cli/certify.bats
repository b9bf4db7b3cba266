#!/usr/bin/env bats
# `dp2dp certify`: a private upper bound on unfairness, charged before it is drawn.
load helpers

begin() {
    people 4000 1 >pool.csv
    people 4000 2 >held.csv
    fits --solver exact --out model.json
}

@test "the bound is above what is measured, and not far above" {
    answers evaluate model.json held.csv --json
    local unfairness
    unfairness=$(jq .unfairness <<<"$output")
    answers certify model.json held.csv "${private[@]}" --confidence 0.95 --insecure-seed 1 --json
    holds ".unfairness_upper > $unfairness and .unfairness_upper < $unfairness + 0.1"
    holds '.unfairness_upper_strict >= .unfairness_upper and .confidence == 0.95'
    holds '.epsilon <= 1 and .epsilon > 0.99 and .delta == 1e-5 and .group_too_small == false'
    holds '.table | flatten | add | . > 3900 and . < 4100'
    local upper
    upper=$(jq .unfairness_upper <<<"$output")
    answers certify model.json held.csv "${private[@]}" --confidence 0.999 --insecure-seed 1 --json
    holds ".unfairness_upper > $upper"
}

@test "an unfair model gets an honest bound" {
    fits --solver exact --rho 1 --out plain.json
    answers certify plain.json held.csv "${private[@]}" --json
    holds '.unfairness_upper > 0.35'
}

@test "the noise is secret unless a seed is given, which is said" {
    answers certify model.json held.csv "${private[@]}" --json
    holds '.private and .ledger == null and (.entries | length) == 1 and .entries[0].rng == "secure"'
    local first=$output
    answers certify model.json held.csv "${private[@]}" --json
    [ "$output" != "$first" ]
    answers certify model.json held.csv "${private[@]}" --insecure-seed 4 --json
    holds '.private == false'
    repeats certify model.json held.csv "${private[@]}" --insecure-seed 4 --json
    answers certify model.json held.csv "${private[@]}" --insecure-seed 4
    says "NOT PRIVATE"
    answers certify model.json held.csv "${private[@]}"
    says "Unfairness is at most" "with confidence 0.95" "What it means"
    [[ "$output" != *"NOT PRIVATE"* ]]
}

@test "a ledger is charged, and refuses when it is spent" {
    answers certify model.json held.csv "${private[@]}" --ledger held.ledger.json --budget 1 --json
    holds '.ledger.file == "held.ledger.json" and .ledger.budget == 1 and .ledger.spent == .epsilon'
    local before
    before=$(sha256sum held.ledger.json)
    refuses 3 "" certify model.json held.csv "${private[@]}" --ledger held.ledger.json
    [ "$before" = "$(sha256sum held.ledger.json)" ]
    answers account held.ledger.json --json
    holds '(.entries | length) == 1 and .entries[0].label == "certificate"'
    refuses 2 "--budget needs --ledger FILE" certify model.json held.csv "${private[@]}" --budget 1
}

@test "people have as many rows as the model was made for" {
    answers certify model.json held.csv "${private[@]}" --json
    holds '.rows_per_person == 1'
    local sigma
    sigma=$(jq .sigma <<<"$output")
    fits "${private[@]}" --rows-per-person 3 --out three.json
    answers certify three.json held.csv "${private[@]}" --json
    holds ".rows_per_person == 3 and (.sigma - 3 * $sigma | fabs) < 1e-6 * $sigma"
    holds '.entries[0].rows_per_person == 3'
    answers certify three.json held.csv "${private[@]}"
    says "at most 3"
}

@test "what a ledger takes for other people is said" {
    answers certify model.json held.csv "${private[@]}" --ledger l.json
    [[ "$output" != *assumes* ]]
    answers certify model.json held.csv "${private[@]}" --ledger l.json
    [[ "$output" != *assumes* ]]
    fits held.csv "${private[@]}" --ledger l.json --out m.json
    says "assumes that nobody in this table is among the people the ledger calls certificate"
    answers certify model.json held.csv "${private[@]}" --ledger l.json
    says "the ledger calls pool"
}

@test "a group lost in the noise gives the bound 1, and says why" {
    { head -n 1 held.csv; grep ,M, held.csv; grep ,F, held.csv | head -n 5; } >few.csv
    answers certify model.json few.csv "${private[@]}" --insecure-seed 1 --json
    holds '.unfairness_upper == 1 and .group_too_small'
    answers certify model.json few.csv "${private[@]}" --insecure-seed 1
    says "too small a group is lost in the noise, so nothing is known about it"
}

@test "the budget must be chosen, and bad rows are refused before it is spent" {
    refuses 2 "--epsilon E is needed" certify model.json held.csv --delta 1e-5
    refuses 2 "--delta D is needed" certify model.json held.csv --epsilon 1
    refuses 2 "--confidence 0.4 is below its bound 0.5" certify model.json held.csv "${private[@]}" --confidence 0.4
    sed '11s/,0\./,9./' held.csv >odd.csv
    refuses 4 "row 10" certify model.json odd.csv "${private[@]}" --ledger l.json
    [ ! -e l.json ]
}
