#!/usr/bin/env bats
# `fit --model`: a fair rule for a classifier, and the verbs that apply both to raw rows.
load helpers

# Three files of different people from one population, and a classifier.
begin() {
    synthetic 9000 1 >all.csv
    { head -1 all.csv && sed -n 2,5001p all.csv; } >train.csv
    { head -1 all.csv && sed -n 5002,7001p all.csv; } >pool.csv
    { head -1 all.csv && sed -n 7002,9001p all.csv; } >test.csv
    answers train train.csv --schema s.json "${private[@]}" --insecure-seed 1 --out c.json
}

# fair ARGUMENT...: fits a rule for that classifier.
fair() {
    answers fit pool.csv --model c.json "${private[@]}" --force --out f.json "$@"
}

@test "train, fit, predict, evaluate, certify: no scores, no lists of names" {
    fair --insecure-seed 2 --json
    holds '.groups == ["-1","1"] and .classes == ["0","1","2"] and .records == 2000'
    holds '.classifier == {"method": "dpgd", "records": 5000, "features": 5}'
    answers evaluate f.json test.csv --json
    holds '.unfair.unfairness > 3 * .unfairness and .unfairness < 0.1 and .error < 0.6 and .records == 2000'
    answers predict f.json test.csv
    [ "$(head -1 <<<"$output")" = prediction ]
    [ "$(wc -l <<<"$output")" -eq 2001 ]
    # The rates of the decisions are those that evaluate counts.
    paste -d, test.csv <(echo "$output") >both.csv
    local rate
    rate=$(awk -F, '$6 == "-1" { n++; k += $8 == "2" } END { printf "%.9f", k / n }' both.csv)
    answers evaluate f.json test.csv --json
    holds ".rates[0][2] - $rate | fabs < 1e-8"
    answers certify f.json test.csv "${private[@]}" --insecure-seed 3 --json
    holds '.unfairness_upper < 0.4 and .groups == ["-1","1"]'
}

@test "a rule on raw rows is the rule on the scores of the same rows" {
    # With no rule, adjusted scores are the scores.
    for part in pool test; do
        "$DP2DP" predict c.json $part.csv --adjusted >scores.csv
        paste -d, $part.csv scores.csv | sed '1s/,0,1,2$/,p0,p1,p2/' >$part.scores.csv
    done
    answers fit pool.csv --model c.json --solver exact --out raw.json --json
    local raw=$output
    answers fit pool.scores.csv --scores p0,p1,p2 --sensitive s --groups=-1,1 --normalize --solver exact --out s2.json --json
    [ "$(jq -c '[.offsets[][] | . * 1e5 | round]' <<<"$raw")" = "$(jq -c '[.offsets[][] | . * 1e5 | round]' <<<"$output")" ]
    answers predict s2.json test.scores.csv
    local scored=$output
    answers predict raw.json test.csv
    [ "$(diff <(echo "$output") <(echo "$scored") | grep -c '^<')" -le 2 ]
}

@test "the larger of both costs counts, or both where the people are the same" {
    fair --json
    holds '.epsilon <= 1 and .epsilon > 0.99'
    answers fit train.csv --model c.json --same-people "${private[@]}" --force --out f.json --json
    holds '.epsilon > 1.3 and .epsilon < 1.6'
    answers account f.json --json
    holds '.epsilon > 1.3 and (.entries | map(.set) | unique) == ["train"] and (.entries | length) == 3'
    answers fit pool.csv --model c.json --epsilon 0.2 --delta 1e-5 --ledger l.json --force --out f.json --json
    holds '.epsilon > 0.99 and .ledger.spent <= 0.2' # the pool's ledger is not charged for the training
}

@test "a classifier without privacy leaves the model without privacy" {
    answers train train.csv --schema s.json --method none --force --out c.json
    fair
    says "NOT PRIVATE: the classifier behind the scores was trained without privacy"
    fair --json
    holds '(.private | not) and (.leaks | index("classifier-not-private"))'
}

@test "rows that the schema leaves out keep their line" {
    "$DP2DP" schema --columns "x1:-4:4:drop,x2:-4:4:drop,s:sensitive:-1|1,y:label:0|1|2" --missing '""' --out d.json
    sed '2s/^[^,]*//; 6s/^[^,]*//; 7s/^[^,]*//' test.csv | sed '$s/^[^,]*//' >gaps.csv
    answers train train.csv --schema d.json "${private[@]}" --force --out c.json
    answers predict c.json gaps.csv --out p.csv
    [ "$(wc -l <p.csv)" -eq "$(wc -l <gaps.csv)" ]
    [ "$(grep -nx '""' p.csv | cut -d: -f1 | xargs)" = "2 6 7 2001" ]
    # The others are decided as they would be without the gaps.
    decides c.json test.csv
    cmp <(sed '2d; 6d; 7d; $d' <<<"$output") <(grep -vx '""' p.csv)
    answers predict c.json gaps.csv --adjusted --force --out p.csv
    [ "$(sed -n 2p p.csv)" = '"",,' ]
    answers evaluate c.json gaps.csv --json
    holds '.records == 1996'
}

@test "predict needs no label, and says why it needs the group" {
    fair
    cut -d, -f1-6 test.csv >unlabelled.csv
    answers predict f.json test.csv
    repeats predict f.json unlabelled.csv
    cut -d, -f1-5 test.csv >bare.csv
    refuses 4 "the fair rule needs each person's group" predict f.json bare.csv
    [[ "$stderr" == *'no column is named "s"'* && "$stderr" == *bare.csv* ]]
    decides c.json bare.csv # a classifier without a rule needs no group
    [ "$(wc -l <<<"$output")" -eq 2001 ]
    sed '9s/,-\?1,\([0-9]\)$/,other,\1/' test.csv >strange.csv
    refuses 4 'column "s"' predict f.json strange.csv --out kept.csv
    [[ "$stderr" == *"row 8"* && "$stderr" != *other* ]]
    [ ! -e kept.csv ]
}

@test "decisions do not depend on threads or on how the table is written" {
    fair --insecure-seed 2
    answers predict f.json test.csv --threads 1
    repeats predict f.json test.csv --threads 4
    gzip -k test.csv
    repeats predict f.json test.csv.gz
    repeats predict f.json - <test.csv
    tr , '\t' <test.csv >test.tsv
    repeats predict f.json test.tsv --separator tab
    answers fit pool.csv --model c.json "${private[@]}" --insecure-seed 2 --threads 3 --out again.json
    cmp f.json again.json
}

@test "options for scores are refused with a model, and the other way round" {
    local option fit=(fit pool.csv --model c.json "${private[@]}" --force --out f.json)
    for option in --scores=a,b --sensitive=s --groups=a,b --classes=a,b --normalize --scores-from-pool; do
        refuses 2 "${option%=*} cannot be used with --model" "${fit[@]}" "$option"
    done
    refuses 2 "--scores-epsilon cannot be used with --model" "${fit[@]}" --scores-epsilon 1 --scores-delta 1e-5
    people 100 1 >scores.csv
    local scores=(fit scores.csv "${unnamed[@]}" "${private[@]}" --force --out f.json)
    refuses 2 "--same-people needs the cost of the scores" "${scores[@]}" --same-people
    refuses 2 "give --scores-epsilon and --scores-delta together" "${scores[@]}" --scores-epsilon 1
    refuses 2 "; or give --model instead" fit pool.csv "${private[@]}" --force --out f.json
    answers "${scores[@]}" --scores-epsilon 2 --scores-delta 1e-6 --json
    holds '.epsilon > 1.99 and .epsilon < 2.01'
    refuses 2 "the model has no classifier" fit pool.csv --model f.json "${private[@]}" --out g.json
    refuses 4 "not a model" fit pool.csv --model pool.csv "${private[@]}" --out g.json
    refuses 2 "--label is only for tables of scores" evaluate c.json test.csv --label y
    refuses 2 "--unknown-group base is only for tables of scores" predict c.json test.csv --unknown-group base
    refuses 2 "the model has no fair rule yet" certify c.json test.csv "${private[@]}"
    refuses 2 "--out would overwrite an input" fit pool.csv --model c.json "${private[@]}" --out pool.csv
    refuses 2 "--out would overwrite an input" fit pool.csv --model c.json "${private[@]}" --force --out c.json
    refuses 2 "--out would overwrite an input" train train.csv --schema s.json "${private[@]}" --out s.json
    [ ! -e g.json ]
}

@test "a schema without groups trains and predicts, and says what fit lacks" {
    "$DP2DP" schema --columns "x1:-4:4,x2:-4:4,y:label:0|1|2" --out plain.json
    answers train train.csv --schema plain.json "${private[@]}" --out plain.model.json
    says "What it means" "CAUTION: the schema has no sensitive column, so dp2dp fit --model cannot learn a fair rule" \
        "write the scores with dp2dp predict MODEL TABLE --adjusted --keep COLUMN, and give these scores to dp2dp fit"
    decides plain.model.json test.csv
    [ "$(wc -l <<<"$output")" -eq 2001 ]
    refuses 2 "no sensitive column, so there are no groups: train again with a schema that has a sensitive column, or write the scores and the group column with dp2dp predict MODEL TABLE --adjusted --keep COLUMN, and fit on these columns" \
        fit pool.csv --model plain.model.json "${private[@]}" --force --out f.json
    refuses 2 "no sensitive column, so there are no groups: train again with a schema that has a sensitive column" \
        evaluate plain.model.json test.csv
    [[ "$stderr" != *"fit on"* ]]
    answers show plain.model.json
    says "dp2dp fit --model cannot learn one, because the schema has no sensitive column" "dp2dp predict MODEL TABLE --adjusted" \
        "In Python, give the groups to dp2dp.fit(scores, groups, base=model)"
    # The way that all of these name.
    answers predict plain.model.json pool.csv --adjusted --keep s --out scores.csv
    says "no fair rule yet, and its schema has no sensitive column: learn a rule with dp2dp fit from the scores"
    answers fit scores.csv --scores 0,1,2 --sensitive s --groups=-1,1 --scores-epsilon 1 --scores-delta 1e-5 \
        "${private[@]}" --out fair.json
}

@test "a schema without groups is told of before anything is charged, and in JSON" {
    local word='.warnings | index("no-sensitive-column")' caution="CAUTION: the schema has no sensitive column"
    "$DP2DP" schema --columns "x1:-4:4,x2:-4:4,y:label:0|1|2" --out plain.json
    answers schema check plain.json train.csv
    says "$caution"
    answers schema check plain.json train.csv --json
    holds "$word != null"
    local train=(train train.csv --schema plain.json --out plain.model.json)
    answers "${train[@]}" "${private[@]}" --dry-run
    says "$caution"
    answers "${train[@]}" "${private[@]}" --dry-run --json
    holds "$word != null"
    answers "${train[@]}" "${private[@]}" --json
    holds "$word != null"
    answers show plain.model.json --json
    holds "$word != null"
    answers "${train[@]}" --method none --force
    says "$caution"
    # A schema with groups is not warned of, nor is a schema that nothing can be trained with.
    answers schema check s.json train.csv --json
    holds '.warnings == []'
    answers train train.csv --schema s.json "${private[@]}" --dry-run --json --out d.json
    holds '.warnings == []'
    answers show c.json --json
    holds '.warnings == []'
    "$DP2DP" schema --columns "x1:-4:4,x2:-4:4" --out features.json
    answers schema check features.json train.csv --json
    holds '.warnings == []'
}

@test "several sensitive columns make one group" {
    synthetic 4000 1 >all.csv
    awk -F, -v OFS=, 'NR == 1 { print $0, "t"; next } { print $0, NR % 2 ? "a" : "b" }' all.csv >two.csv
    "$DP2DP" schema --columns "x1:-4:4,x2:-4:4,s:sensitive:-1|1,t:sensitive:a|b,y:label:0|1|2" --out two.json
    answers train two.csv --schema two.json "${private[@]}" --insecure-seed 1 --force --out c.json
    answers fit two.csv --model c.json --same-people "${private[@]}" --insecure-seed 2 --force --out f.json --json
    holds '(.groups | length) == 4 and .groups[0] == "-1 × a"'
    answers evaluate f.json two.csv --json
    holds '(.group_sizes | add) == 4000 and .unfairness < .unfair.unfairness'
}

@test "a fit says whom it takes the people to be" {
    answers fit pool.csv --model c.json "${private[@]}" --out other.json
    says "assumes that nobody in this table was among those the classifier was trained on" "--same-people"
    [[ "$output" != *"as many people"* ]]
    answers fit train.csv --model c.json "${private[@]}" --force --out other.json
    says "otherwise use --same-people. This table has exactly as many people as the classifier was trained on: check that they are different people"
    answers fit train.csv --model c.json "${private[@]}" --force --out other.json --json
    holds '.assumption | test("exactly as many people as the classifier was trained on")'
    answers fit pool.csv --model c.json "${private[@]}" --same-people --out same.json
    [[ "$output" != *"assumes      that nobody"* ]]
    answers fit pool.csv --model c.json "${private[@]}" --force --out other.json --json
    holds '.people == "other" and .epsilon <= 1'
    answers fit pool.csv --model c.json "${private[@]}" --same-people --force --out same.json --json
    holds '.people == "same" and .epsilon > 1.3'
}

@test "a table without the label measures unfairness, and says that errors are not counted" {
    fair --insecure-seed 2
    local label
    label=$(jq -r '.phase1.schema.columns[] | select(.role == "label") | .name' f.json)
    awk -F, -v OFS=, -v name="$label" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
        { out = ""; for (i = 1; i <= NF; i++) if (i != at) out = out (out == "" ? "" : ",") $i; print out }' \
        test.csv >unlabelled.csv
    separately "$DP2DP" evaluate f.json unlabelled.csv --json
    [ "$status" -eq 0 ]
    [[ "$stderr" == *"note: the table has no column \"$label\", the label of this model: errors are not counted"* ]]
    holds '.error == null and .unfair.error == null and .unfairness < 0.1 and .records == 2000'
    local without=$output
    answers evaluate f.json test.csv --json
    jq -e --argjson without "$without" '.unfairness == $without.unfairness and .error > 0' <<<"$output"
    separately "$DP2DP" evaluate f.json - <unlabelled.csv
    [ "$status" -eq 4 ]
    [[ "$stderr" == *"that column is the label of this model. To measure without labels, give a file"* ]]
}

@test "as many people as the classifier was trained on may be those" {
    fair --insecure-seed 2
    answers evaluate f.json train.csv
    says "(this table has exactly as many people as the classifier was trained on: check that they are different people). A model fits the people it was learned from better"
    answers evaluate f.json train.csv --json
    holds '.warnings == ["as-many-people"]'
    answers evaluate c.json train.csv --json
    holds '.warnings == ["as-many-people"]'
    answers certify f.json train.csv "${private[@]}"
    says "(this table has exactly as many people as the classifier was trained on: check that they are different people); otherwise use --same-people"
    answers certify f.json train.csv "${private[@]}" --json
    holds '.warnings == ["as-many-people"]'
}
