#!/usr/bin/env bats
# `dp2dp show`: a model in plain words.
load helpers

private=(--epsilon 1 --delta 1e-5)

@test "a rule for scores: to whom, at what cost, and what changes, in words" {
    people 3000 1 >pool.csv
    fits "${private[@]}" --rho 0.05 --insecure-seed 1 --out seeded.json
    fits "${private[@]}" --rho 0.05 --out m.json
    answers show m.json
    says "a fair rule for scores" "decides no or yes" "the columns p_no and p_yes" "F or M, in the column sex" \
        "within 0.05 (rho 0.05, solver counts)" "whoever the rule was learnt from, 3000 people: epsilon 1" \
        "one person's record replaced by any other (replace-one)" "epsilon 1, delta 1e-05" \
        "An observer's odds" "F: class yes is given earlier: 0." "is added to its score" \
        "M: class yes is given later: 0." "is taken from its score" "instead of 0.5" \
        "Fairness is an aim, not a proof" "dp2dp certify"
    [[ "$output" != *"NOT PRIVATE"* && "$output" != *train* ]]
    awk 'length > 80 { print; exit 1 }' <<<"$output"
    answers show seeded.json
    says "NOT PRIVATE: the noise came from the insecure seeded generator" "takes the promise back"
}

@test "the threshold that is told is the one predict has" {
    people 3000 1 >pool.csv
    fits --solver exact --out m.json
    answers show m.json
    local from
    from=$(tr -s ' \n' ' ' <<<"$output" | sed 's/.*F: class yes[^:]*: [^,]*, so that it is given from \([0-9.]*\) on.*/\1/')
    LC_ALL=C awk -v t="$from" 'BEGIN {
        print "p_no,p_yes,sex"
        printf "%.9f,%.9f,F\n%.9f,%.9f,F\n", 1 - (t - .0002), t - .0002, 1 - (t + .0002), t + .0002
    }' >edge.csv
    answers predict m.json edge.csv
    [ "$output" = "$(printf 'prediction\nno\nyes')" ]
}

@test "numbers are derived again from the ledger, set by set" {
    synthetic 800 1 >t.csv
    answers train t.csv --schema s.json --epsilon 2 --delta 1e-5 --rows-per-person 3 --out c.json
    answers fit t.csv --model c.json --epsilon 0.5 --delta 1e-5 --rows-per-person 3 --out m.json
    answers account m.json --json
    local epsilon
    epsilon=$(jq .epsilon <<<"$output")
    answers show m.json --json
    holds ".epsilon == $epsilon and .delta == 1e-5 and .private and .adjacency == \"replace-one\""
    holds '[.people[] | [.set, .records, .rows_per_person]] == [["train", 800, 3], ["pool", 800, 3]]'
    holds '.people[0].epsilon > 1.99 and .people[0].epsilon <= 2 and .people[1].epsilon > 0.49 and .people[1].epsilon <= 0.5'
    holds '.classifier.method == "dpgd" and .classifier.features == 5 and .rule.solver == "counts" and .rule.groups == ["-1", "1"]'
    holds '(.rule.offsets | length) == 2 and (.rule.offsets[0] | length) == 3 and (.entries | length) == 3'
    answers show m.json
    says "a classifier with a fair rule" "whoever the classifier was trained on, 800 rows: epsilon 2" \
        "whoever the rule was learnt from, 800 rows: epsilon 0.5" "all of one person's records, at most 3" \
        "the largest of these" "5 features, by a classifier of its own (logistic regression, method dpgd)"
}

@test "what was declared is named as declared" {
    people 400 1 >pool.csv
    fits "${private[@]}" --scores-epsilon 2 --scores-delta 1e-7 --out m.json
    answers show m.json
    says "whoever the classifier was trained on: epsilon 2, some of it declared by others and not checked" \
        "whoever the rule was learnt from, 400 people: epsilon 1"
    answers show m.json --json
    holds '[.people[].declared] == [true, false]'
}

@test "a model without promise promises nothing, and says why" {
    people 400 1 >pool.csv
    fits --solver exact --out m.json
    answers show m.json
    says "NOT PRIVATE: no noise was added" "Nothing: no bound holds"
    [[ "$output" != *"observer"* ]]
    answers show m.json --json
    holds '.epsilon == null and .delta == null and (.private | not) and .people == []'
}

@test "a classifier alone has no rule, and says where to get one" {
    synthetic 400 1 >t.csv
    answers train t.csv --schema s.json "${private[@]}" --out c.json
    answers show c.json
    says "c.json, a classifier" "no fair rule yet, see dp2dp fit --model"
    [[ "$output" != *"What changes"* ]]
    answers show c.json --json
    holds '.rule == null'
}

@test "names cannot write to the terminal, and many classes are left to JSON" {
    people 400 1 | sed "s/,F,/,F$(printf '\033')[31m,/" >pool.csv
    answers fit pool.csv --scores p_no,p_yes --sensitive sex --groups "F$(printf '\033')[31m,M" --solver exact --out m.json
    answers show m.json
    [[ "$output" != *$'\033'* ]]
}

@test "what is no model is refused" {
    people 10 1 >pool.csv
    refuses 4 "not a model" show pool.csv
    refuses 2 "MODEL is missing" show
    refuses 1 "absent.json" show absent.json
}

@test "what is mostly noise is still said to be" {
    synthetic 60 1 >t.csv
    answers train t.csv --schema s.json --epsilon 0.01 --delta 1e-5 --out c.json
    answers show c.json
    says "the result is noise"
    answers fit t.csv --model c.json --epsilon 0.01 --delta 1e-5 --out m.json
    answers show m.json
    says "people are few against this noise"
}
