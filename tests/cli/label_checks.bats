#!/usr/bin/env bats
# Labels that cannot be right, and decisions that tell nobody apart: every command that measures says so.
load helpers

private_note="This caution comes from the data without noise: do not publish the caution."

begin() {
    people 2000 1 >pool.csv
    people 1500 2 >test.csv
    sed 's/yes$/x/; s/no$/yes/; s/x$/no/' test.csv >inverted.csv
    awk -F, -v OFS=, 'NR > 1 { $5 = $3 > $2 ? "yes" : "no" } { print }' test.csv >own.csv
    # The labels of the rows in another order.
    paste -d, <(cut -d, -f1-4 test.csv) <(echo y && sed 1d test.csv | cut -d, -f5 | tail -n 700 &&
        sed 1d test.csv | cut -d, -f5 | head -n 800) >reordered.csv
    fits --solver exact --out model.json
}

# raw_model: trained.json, a classifier of raw rows with a rule, and held.csv, raw rows with labels 0, 1 and 2.
raw_model() {
    synthetic 5000 1 >all.csv
    head -n 3001 all.csv >t.csv
    { head -n 1 all.csv && tail -n 2000 all.csv | head -n 800; } >p.csv
    { head -n 1 all.csv && tail -n 1200 all.csv; } >held.csv
    answers train t.csv --schema s.json --method none --out c.json
    answers fit p.csv --model c.json --solver exact --out trained.json
}

@test "evaluate: labels in another order are no better than guessing" {
    answers evaluate model.json reordered.csv --label y --json
    holds '.warnings == ["no-better-than-guessing"]'
    answers evaluate model.json reordered.csv --label y
    says "CAUTION: the scores do no better than guessing" "Do the labels and the scores list the rows in the same order"
    head -n 90 reordered.csv >few.csv
    answers evaluate model.json few.csv --label y --json
    holds '.warnings | index("no-better-than-guessing") | not'
    answers evaluate model.json test.csv --label y --json
    holds '.warnings == []'
}

@test "evaluate: wrong labels are noticed for raw rows too" {
    raw_model
    answers evaluate trained.json held.csv --json
    holds '.warnings == []'
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "y") at = i; print; next }
        { $at = ($at + 1) % 3; print }' held.csv >turned.csv
    answers evaluate trained.json turned.csv --json
    holds '.warnings | index("worse-than-guessing")'
    answers report trained.json --test turned.csv --out page.html --json
    holds '.warnings | index("worse-than-guessing")'
    grep -q 'The scores do worse than guessing' page.html
}

@test "report: stdout, JSON and the page have the cautions" {
    answers report model.json --test own.csv --label y --out page.html
    says "CAUTION: every label could be a decision"
    grep -q 'Every label could be a decision' page.html
    answers report model.json --test inverted.csv --label y --out page.html --force --json
    holds '.warnings == ["worse-than-guessing"]'
    grep -q 'The scores do worse than guessing' page.html
    grep -q '"warnings":\["worse-than-guessing"\]' page.html
    separately "$DP2DP" report model.json --test inverted.csv --label y --out -
    [[ "$stderr" == *"CAUTION: the scores do worse than guessing"* ]]
    answers report model.json --test test.csv --label y --out page.html --force --json
    holds '.warnings == []'
    [ "$(grep -c 'than guessing' page.html)" -eq 0 ]
}

@test "sweep: points on wrong labels have the cautions" {
    local table=(--label y --rho 0 --epsilon inf --delta 1e-5 --insecure-seed 1 --out x.csv --force)
    answers sweep inverted.csv "${scored[@]}" "${table[@]}" --json
    holds '.warnings | index("worse-than-guessing")'
    answers sweep own.csv "${scored[@]}" "${table[@]}"
    says "CAUTION: every label could be a decision"
    answers sweep test.csv "${scored[@]}" "${table[@]}" --json
    holds '.warnings | map(select(test("guessing|labels-are"))) == []'
}

@test "fit and certify tell the operator alone, and not if bad rows are ignored" {
    local file command
    fits --solver exact --criterion equalized_odds --label y --out odds.json
    for file in own inverted reordered; do
        for command in "fit $file.csv ${scored[*]} --criterion equal_opportunity --force --out m.json" \
            "certify odds.json $file.csv --force --out c.json"; do
            # shellcheck disable=SC2086 # words
            separately "$DP2DP" $command --label y "${private[@]}"
            [ "$status" -eq 0 ]
            case $file in
            own) [[ "$stderr" == "CAUTION: every label could be a decision"*"$private_note" ]] ;;
            inverted) [[ "$stderr" == "CAUTION: the scores do worse than guessing"*"$private_note" ]] ;;
            *) [[ "$stderr" == "CAUTION: the scores do no better than guessing"*"$private_note" ]] ;;
            esac
            [[ "$output" != *"every label could"* && "$output" != *"than guessing"* ]]
            # shellcheck disable=SC2086 # words
            answers $command --label y "${private[@]}" --bad-rows ignore
        done
    done
    [ "$(grep -cE 'labels-are-decisions|than-guessing' m.json c.json | grep -cv ':0$')" -eq 0 ]
    answers certify odds.json test.csv --label y "${private[@]}"
}

@test "labels that are the rule's own decisions, or a cut through the scores, are noticed" {
    fits --solver exact --criterion equalized_odds --label y --out odds.json
    answers predict odds.json test.csv --out d.csv
    paste -d, test.csv <(sed '1s/.*/given/' d.csv) >given.csv
    awk -F, -v OFS=, 'NR > 1 { $5 = $3 > .7 ? "yes" : "no" } { print }' test.csv >cut.csv
    local label=(--label given) table=given.csv
    for _ in own cut; do
        answers evaluate odds.json "$table" "${label[@]}"
        says "CAUTION: every label could be a decision of the model, or a decision made with a threshold on the scores"
        answers evaluate odds.json "$table" "${label[@]}" --json
        holds '.warnings | index("labels-are-decisions")'
        answers report odds.json --test "$table" "${label[@]}" --out page.html --force --json
        holds '.warnings | index("labels-are-decisions")'
        [ "$(grep -o 'very label could be a decision' page.html | wc -l)" -eq 1 ]
        separately "$DP2DP" certify odds.json "$table" "${label[@]}" "${private[@]}" --out c.json --force
        [ "$status" -eq 0 ]
        [[ "$stderr" == "CAUTION: every label could be a decision"*"$private_note" ]]
        [[ "$output$(<c.json)" != *"could be a decision"* && "$(<c.json)" != *labels-are* ]]
        answers certify odds.json "$table" "${label[@]}" "${private[@]}" --bad-rows ignore
        label=(--label y) table=cut.csv
    done
    separately "$DP2DP" fit cut.csv "${scored[@]}" --label y --criterion equal_opportunity "${private[@]}" --out m.json
    [[ "$status" -eq 0 && "$stderr" == "CAUTION: every label could be a decision"*"$private_note" ]]
    answers fit cut.csv "${scored[@]}" --label y --criterion equal_opportunity "${private[@]}" --bad-rows ignore --out n.json
    answers sweep cut.csv "${scored[@]}" --label y --rho 0 --epsilon inf --delta 1e-5 --out x.csv --json
    holds '.warnings | index("labels-are-decisions")'
    # One person on the wrong side of the cut, and it is no cut.
    awk -F, -v OFS=, 'NR == 2 { $5 = $5 == "yes" ? "no" : "yes" } { print }' cut.csv >near.csv
    answers evaluate odds.json near.csv --label y --json
    holds '.warnings | index("labels-are-decisions") | not'
}

# three SWAPPED: 3000 people with probabilities of three classes; 1: two of the columns are exchanged.
three() {
    LC_ALL=C awk -v OFS=, -v swapped="$1" 'BEGIN {
        srand(5)
        print "a,b,c,sex,y"
        for (i = 0; i < 3000; i++) {
            x = (rand() + rand() - 1) * 3
            p = exp(-x); q = 1.2; r = exp(x - .8); all = p + q + r
            u = rand() * all
            y = u < p ? "low" : u < p + q ? "middle" : "high"
            p = sprintf("%.6f", p / all); q = sprintf("%.6f", q / all); r = sprintf("%.6f", 1 - p - q)
            print p, swapped ? r : q, swapped ? q : r, i % 2 ? "F" : "M", y
        }
    }'
}

@test "exchanged columns of three classes are noticed" {
    three 0 >right.csv
    three 1 >exchanged.csv
    local columns=(--scores a,b,c --classes low,middle,high --sensitive sex --groups F,M)
    answers fit right.csv "${columns[@]}" --solver exact --out three.json
    answers evaluate three.json right.csv --label y --json
    holds '.warnings | index("worse-than-guessing") | not'
    answers evaluate three.json exchanged.csv --label y
    says "CAUTION: the scores do worse than guessing, or two classes seem to be exchanged"
    answers report three.json --test exchanged.csv --label y --out page.html --json
    holds '.warnings | index("worse-than-guessing")'
    grep -q 'or two classes seem to be exchanged' page.html
    answers sweep exchanged.csv "${columns[@]}" --label y --rho 0 --epsilon inf --delta 1e-5 --out x.csv --json
    holds '.warnings | index("worse-than-guessing")'
}

@test "one class for everybody is no fairness" {
    {
        echo x,s,y
        seq 600 | awk '{ print ($1 * 7) % 10 "," ($1 % 2 ? "a" : "b") "," (int($1 / 10) % 5 ? "no" : "yes") }'
    } >t.csv
    answers schema --columns 'x:0:9,s:sensitive:a|b,y:label:no|yes' --out s.json
    answers run t.csv --schema s.json --method none --solver exact
    says "CAUTION: everybody gets the same class"
    answers sweep t.csv --schema s.json --method none --solver exact --rho 0 --out x.csv --json
    holds '.warnings | index("one-class")'
    answers train t.csv --schema s.json --method none --out c.json
    answers evaluate c.json t.csv --json
    holds '.warnings | index("one-class") and (index("no-better-than-guessing") | not)'
}

# rare ROWS SEED: people whose larger score is always that of "no", as for a rare event.
rare() {
    people "$1" "$2" | awk -F, -v OFS=, 'NR > 1 { $3 = $3 / 20; $2 = 1 - $3 } { print }'
}

@test "one class for everybody: fit, predict and certify say it" {
    local everybody="CAUTION: everybody gets the same class"
    rare 3000 1 >pool.csv
    rare 3000 2 >rare.csv
    people 3000 3 >mixed.csv
    separately "$DP2DP" fit pool.csv "${scored[@]}" "${private[@]}" --insecure-seed 1 --out m.json
    [[ "$status" = 0 && "$stderr" == "$everybody"*"$private_note" && "$output" != *"$everybody"* ]]
    [[ "$(<m.json)" != *one-class* ]]
    answers fit pool.csv "${scored[@]}" "${private[@]}" --insecure-seed 1 --bad-rows ignore --out i.json
    answers predict m.json rare.csv --out d.csv --json
    holds '.warnings == ["one-class"]'
    answers predict m.json rare.csv --out d.csv --force
    says "$everybody"
    separately "$DP2DP" predict m.json rare.csv
    [[ "$status" = 0 && "$stderr" == "$everybody"*"$private_note" ]]
    answers predict m.json mixed.csv --out d.csv --force --json
    holds '.warnings == ["rates-differ"]' # the rule was fitted for other scores
    head -n 100 rare.csv >few.csv # 99 rows
    answers predict m.json few.csv --out d.csv --force --json
    holds '.warnings == []'
    head -n 500 rare.csv >more.csv # a rare class is often absent from so few
    answers predict m.json more.csv
    # A certificate tells it from its noisy counts, so its answer may say it, also if bad rows are ignored.
    for ignore in "" "--bad-rows ignore"; do
        # shellcheck disable=SC2086 # words
        answers certify m.json rare.csv "${private[@]}" --insecure-seed 1 $ignore --json
        holds '.warnings | index("one-class")'
    done
    answers certify m.json rare.csv "${private[@]}" --insecure-seed 1 --out z.json
    says "$everybody"
    [[ "$(<z.json)" != *one-class* ]]
    answers certify m.json mixed.csv "${private[@]}" --insecure-seed 1 --json
    holds '.warnings | index("one-class") | not'
}

@test "run: a feature that copies the label is noticed" {
    {
        echo x,s,y
        seq 2000 | awk '{ y = ($1 * 7) % 10 < 4; print y "," ($1 % 2 ? "a" : "b") "," (y ? "yes" : "no") }'
    } >t.csv
    answers schema --columns 'x:0:1,s:sensitive:a|b,y:label:no|yes' --out s.json
    answers run t.csv --schema s.json --method none --solver exact --json
    holds '.mean.unfair.error == 0 and (.warnings | index("labels-are-decisions"))'
    answers run t.csv --schema s.json --method none --solver exact
    says "Is a feature a copy of the label? Or was the classifier trained on these people?"
}

# drawn SHUFFLED: people with three classes, whose labels are drawn with the scores as chances, or from other scores.
drawn() {
    awk -v shuffled="$1" 'BEGIN { srand(4); print "a,b,c,s,y"; for (i = 0; i < 4000; i++) {
        s = rand() < 0.4; x = exp(3 * rand()); z = exp(3 * rand() + s); w = exp(3 * rand()); t = x + z + w
        u = rand(); y = u < x / t ? "a" : u < (x + z) / t ? "b" : "c"
        if (shuffled) y = rand() < 0.5 ? "a" : rand() < 0.5 ? "b" : "c"
        printf "%.7f,%.7f,%.7f,%s,%s\n", x / t, z / t, 1 - x / t - z / t, s ? "p" : "q", y } }'
}

@test "a constant rule names its class, and a label that nobody has is named, not a group" {
    local given=(--scores a,b,c --classes a,b,c --sensitive s --groups p,q --criterion equalized_odds --label y
        --normalize --epsilon 1 --delta 1e-6 --insecure-seed 1)
    drawn 1 >shuffled.three
    separately "$DP2DP" fit shuffled.three "${given[@]}" --out constant.json
    [[ "$status" -eq 0 && "$stderr" == "CAUTION: the scores do no better than guessing"*"$private_note" ]]
    [[ "$stderr" != *"worse than guessing"* ]]
    says "Everybody gets the class a."
    answers show constant.json
    says "everybody gets the class a, in every group"
    [[ "$output" != *"becomes easier to get"* ]]
    drawn 0 | sed 's/,b$/,/' >unlabelled.three
    answers fit unlabelled.three "${given[@]}" --bad-rows ignore --out unlabelled.json
    says "Hardly anybody has the label b, in any group." "nothing can be told"
    [[ "$output" != *"The smallest group"* ]]
    answers show unlabelled.json
    says "Hardly anybody has the label b, in any group." "1 or more"
    drawn 0 >whole.three
    answers fit whole.three "${given[@]}" --out whole.json
    [[ "$output" != *"Hardly anybody"* && "$output" != *"Everybody gets"* ]]
}

# In group p, b is ahead of c by little for many people, and c is rare; in group q it is frequent.
@test "a class that a group hardly gets any more is told by evaluate" {
    local given=(--scores a,b,c --classes a,b,c --sensitive s --groups p,q --label y)
    awk 'BEGIN { srand(6); print "a,b,c,s,y"; for (i = 0; i < 4000; i++) {
        s = i % 2; r = rand(); b = r < 0.3 ? 0.36 : 0.1; c = r < 0.3 ? 0.34 - 0.01 * rand() : 0.1 + 0.3 * rand()
        if (s) { b = 0.1; c = rand() < 0.6 ? 0.8 : 0.1 }
        u = rand(); y = u < b ? "b" : u < b + c ? "c" : "a"
        printf "%.7f,%.7f,%.7f,%s,%s\n", 1 - b - c, b, c, s ? "q" : "p", y } }' >rare.csv
    answers fit rare.csv "${given[@]}" --criterion equal_opportunity --positive c --solver exact --out one.json
    answers evaluate one.json rare.csv --label y
    says "CAUTION: hardly anybody of the group p gets the class b any more: 0.0 % with the rule" \
        "Without --positive, every class counts."
    answers evaluate model.json test.csv
    [[ "$output" != *"hardly anybody of"* ]]
}
