#!/usr/bin/env bats
# `dp2dp show`: a model in plain words.
load helpers

@test "a rule for scores: to whom, at what cost, and what changes, in words" {
    people 3000 1 >pool.csv
    fits "${private[@]}" --rho 0.05 --insecure-seed 1 --out seeded.json
    fits "${private[@]}" --rho 0.05 --out m.json
    answers show m.json
    says "a fair rule for scores" "decides no or yes" "the columns p_no and p_yes" "F or M, in the column sex" \
        "within 0.05 (rho 0.05, solver counts)" "people the rule was learned from, 3000 people: epsilon 1" \
        "one person's record, which may be replaced by any other (replace-one)" "epsilon 1, delta 1e-05" \
        "is right at most" "F: class yes is given more easily, class no less easily" \
        "M: class no is given more easily, class yes less easily" "Class yes is given if its score is above the group's threshold before after F 0.5000 0." \
        "not to people the classifier behind the scores was trained on: no privacy cost was declared" \
        "The rule aims at fairness, but nothing proves" "dp2dp certify"
    [[ "$output" != *"NOT PRIVATE"* && "$output" != *"not checked"* ]]
    awk 'length > 80 { print; exit 1 }' <<<"$output"
    answers show seeded.json
    says "NOT PRIVATE: the noise came from the insecure seeded generator" "This promise does not hold"
}

@test "the threshold that is told is the one predict has" {
    people 3000 1 >pool.csv
    fits --solver exact --out m.json
    answers show m.json
    local from
    from=$(awk '$1 == "F" { print $3 }' <<<"$output")
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
    holds '.classifier.method == "dpgd" and .classifier.features == 5 and .classifier.columns == ["x1", "x2", "x3", "x4", "x5"] and .rule.solver == "counts" and .rule.groups == ["-1", "1"]'
    holds '(.rule.offsets | length) == 2 and (.rule.offsets[0] | length) == 3 and (.entries | length) == 3'
    answers show m.json
    says "a classifier with a fair rule" "people the classifier was trained on, 800 rows: epsilon 2" \
        "people the rule was learned from, 800 rows: epsilon 0.5" "all of one person's records, at most 3" \
        "the largest of the costs above" "5 features, through its own classifier (logistic regression, method dpgd)" \
        "columns x1, x2, x3, x4 and x5 and group"
}

@test "what was declared is named as declared" {
    people 400 1 >pool.csv
    fits "${private[@]}" --scores-epsilon 2 --scores-delta 1e-7 --out m.json
    answers show m.json
    says "people the classifier was trained on: epsilon 2, which the user stated and nobody checked" \
        "people the rule was learned from, 400 people: epsilon 1"
    answers show m.json --json
    holds '[.people[].declared] == [true, false]'
}

# promises WORDS...: "What it promises" of show m.json contains each of them, across line ends.
promises() {
    answers show m.json
    output=$(sed -n '/^What it promises/,/^What changes\|^What it does not/p' <<<"$output")
    says "$@"
}

@test "to whom what is promised: classifier and rule, other people, the same, and again" {
    synthetic 800 1 >t.csv
    local again=(--epsilon 0.5 --delta 1e-5)
    answers train t.csv --schema s.json --epsilon 2 --delta 1e-5 --out c.json
    head -501 t.csv >pool.csv
    answers fit pool.csv --model c.json "${again[@]}" --out m.json
    promises "to people the classifier was trained on, 800 people: epsilon 2" \
        "to people the rule was learned from, 500 people: epsilon 0.5" \
        "epsilon 2, delta 1e-05: the largest of the costs above, if nobody is in two of the sets"
    cp m.json first.json
    answers fit pool.csv --model c.json --same-people "${again[@]}" --force --out m.json
    promises "to people the classifier was trained on or the rule was learned from, 800 and 500 people: epsilon 2.0" \
        "both costs count, since some people may be in both sets"
    [ "$(grep -c '^  to ' <<<"$output")" -eq 1 ]
    cp m.json same.json
    answers fit t.csv --model first.json "${again[@]}" --force --out m.json
    promises "to people the classifier was trained on, 800 people: epsilon 2.0" \
        "to people an earlier rule was learned from: epsilon 0.7" \
        "to anybody else whose data a later fit used, 800 people in the last fit: epsilon 0.5" \
        "the largest of the costs above, if nobody is in two of the sets that were used before the rule was replaced. The later fits, which replaced it, count for all sets"
    [[ "$output" != *everybody* ]]
    answers fit t.csv --model same.json "${again[@]}" --force --out m.json
    promises "to people the classifier or an earlier rule was learned from, 800 people: epsilon 2.1" \
        "to anybody else whose data a later fit used" "the largest of the costs above. The later fits, which replaced the rule, count for all sets"
}

@test "to whom what is promised: where a part has no noise" {
    synthetic 800 1 >t.csv
    answers train t.csv --schema s.json --epsilon 2 --delta 1e-5 --out c.json
    answers train t.csv --schema s.json --method none --out none.json
    answers fit t.csv --model c.json --solver exact --out m.json
    promises "Nothing: the rule has no noise, and this file does not say whether the rule was learned from the people"
    answers fit t.csv --model none.json --solver exact --force --out m.json
    promises "Nothing: without noise the model may reveal anything about the people it was made from"
    answers fit t.csv --model none.json "${private[@]}" --force --out m.json
    promises "to people the rule was learned from, 800 people: epsilon 1" \
        "not to people the classifier was trained on: it was trained without privacy" "is right at most"
    answers fit t.csv --model none.json --same-people "${private[@]}" --force --out m.json
    promises "This promise does not hold"
    answers fit t.csv --model c.json "${private[@]}" --insecure-seed 1 --force --out m.json
    promises "This promise does not hold"
    [[ "$output" != *"observer"* ]]
}

@test "to whom what is promised: scores from outside" {
    people 400 1 >pool.csv
    fits "${private[@]}" --scores-epsilon 2 --scores-delta 1e-7 --same-people --out m.json
    promises "people the classifier was trained on or the rule was learned from, 400 people: epsilon 2.9" \
        "a part of which the user stated and nobody checked" "both costs count"
    answers show m.json
    says "Nobody has checked the declared privacy costs"
    fits "${private[@]}" --scores-from-pool --out m.json
    promises "This promise does not hold"
    fits "${private[@]}" --solver sgd-as-published --out m.json
    promises "Nothing: no useful upper bound on epsilon is known for the algorithm as published"
}

@test "what changes is a table, and of more than two classes what is added" {
    synthetic 3000 1 >t.csv
    answers train t.csv --schema s.json "${private[@]}" --out c.json
    answers fit t.csv --model c.json --solver exact --out m.json
    answers show m.json
    says "The rule adds these numbers to the scores, and then chooses the class with the largest sum 0 1 2 -1 "
    local table words
    table=$(grep -A4 "^  The rule adds these" <<<"$output" | awk '$1 == "-1" { print $2, $3, $4 }')
    # The text names the classes with the largest and the smallest number.
    words=$(awk '{ up = down = 1; for (k = 2; k <= 3; k++) { if ($k > $up) up = k; if ($k < $down) down = k }
        printf "-1: class %d is given more easily, class %d less easily", up - 1, down - 1 }' <<<"$table")
    says "$words"
    answers show m.json --json
    [ "$table" = "$(jq -r '.rule.offsets[0][] | -. * 10000 | round / 10000' <<<"$output" |
        LC_ALL=C awk '{ printf "%s%.4f", (NR > 1 ? " " : ""), $1 }')" ]
}

@test "a model without promise promises nothing, and says why" {
    people 400 1 >pool.csv
    fits --solver exact --out m.json
    answers show m.json
    says "NOT PRIVATE: no noise was added" "Nothing: without noise the model may reveal anything"
    [[ "$output" != *"observer"* ]]
    answers show m.json --json
    holds '.epsilon == null and .delta == null and (.private | not) and .people == []'
}

@test "a classifier alone has no rule, and says where to get one" {
    synthetic 400 1 >t.csv
    answers train t.csv --schema s.json "${private[@]}" --out c.json
    answers show c.json
    says "c.json, a classifier" "no fair rule yet. To learn one, use dp2dp fit --model or"
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

@test "nor can the name of the class that has a threshold" {
    people 400 1 >pool.csv
    answers fit pool.csv "${unnamed[@]}" --classes $'no,y\e[31m\xc2\x9bes' --solver exact --out m.json
    answers show m.json
    says "Class y?[31m??es is given if its score is above the group's threshold"
    [[ "$output" != *$'\e'* && "$output" != *$'\xc2\x9b'* ]]
}

@test "numbers that are too long for their cells stay apart" {
    people 400 1 >pool.csv
    answers fit pool.csv "${unnamed[@]}" --epsilon inf --offset-max 100 --step-size 1000 --steps 2 --out m.json
    [ "$(awk '$1 == "F" || $1 == "M" { count += NF == 3 && $2 + $3 < 1e-9 && $2 * $3 < -100 } END { print count }' \
        <<<"$output")" -eq 2 ]
}

@test "what is no model is refused" {
    people 10 1 >pool.csv
    refuses 4 "not a model: it looks like a table: pool.csv; dp2dp fit and dp2dp train make a model from a table" show pool.csv
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
    says "CAUTION: a group is too small for its noise"
}

@test "a model may come from standard input" {
    people 2000 1 >pool.csv
    answers fit pool.csv "${unnamed[@]}" "${private[@]}" --insecure-seed 1 --out model.json
    answers show model.json
    local shown=${output/model.json/standard input}
    "$DP2DP" fit pool.csv "${unnamed[@]}" "${private[@]}" --insecure-seed 1 --out - >piped.json
    cmp model.json piped.json
    [ "$("$DP2DP" show - <piped.json)" = "$shown" ]
    "$DP2DP" predict - pool.csv <model.json >piped.csv
    "$DP2DP" predict model.json pool.csv >named.csv
    cmp piped.csv named.csv
    refuses 4 "standard input must be a model" show - <pool.csv
    refuses 4 "standard input must be a model" show - </dev/null
}
