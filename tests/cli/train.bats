#!/usr/bin/env bats
# `dp2dp train`: a classifier from labelled rows, its privacy cost, and what is printed about it.
load helpers

train=(train t.csv --schema s.json --force --out c.json)

@test "a training writes a classifier and says what it promises" {
    synthetic 2000 1 >t.csv
    answers "${train[@]}" "${private[@]}" --json
    holds '.model == "c.json" and .method == "dpgd" and .records == 2000 and .features == 5'
    holds '.epsilon <= 1 and .epsilon > 0.99 and .delta == 1e-5 and .private and .leaks == []'
    holds '.classes == ["0","1","2"] and .adjacency == "replace-one" and .ledger == null and (.is_noise | not)'
    answers "${train[@]}" "${private[@]}"
    says "Classifier, written to c.json" "learned from 2000 people" "features 5, and a bias" "What it means"
    [[ "$output" != *"NOT PRIVATE"* && "$output" != *"CAUTION"* ]]
    # The unfairness is 0.13 with a standard deviation of 0.01: use one seed.
    answers "${train[@]}" "${private[@]}" --insecure-seed 1
    answers evaluate c.json t.csv --json
    holds '.error < 0.5 and .error == .unfair.error and .unfairness > 0.1 and (.groups == ["-1","1"])'
}

@test "every epsilon re-derives from the model's own ledger" {
    synthetic 1000 1 >t.csv
    local method epsilon
    for method in dpgd dpsgd output; do
        answers "${train[@]}" --method "$method" "${private[@]}" --json
        holds ".method == \"$method\" and .private and .epsilon <= 1"
        epsilon=$(jq .epsilon <<<"$output")
        answers account c.json --json
        holds ".epsilon == $epsilon and .private and all(.entries[]; .set == \"train\" and .rng == \"secure\")"
    done
}

@test "what is not private says so, and needs no budget" {
    synthetic 500 1 >t.csv
    answers "${train[@]}" --method none --json
    holds '.epsilon == null and .delta == null and (.private | not) and .leaks == ["classifier-not-private"]'
    answers "${train[@]}" --method none
    says "NOT PRIVATE: the classifier behind the scores was trained without privacy" "nothing is promised"
    answers "${train[@]}" --epsilon inf --json
    holds '.epsilon == null and (.private | not)'
    answers "${train[@]}" "${private[@]}" --insecure-seed 3
    says "NOT PRIVATE: the noise came from the insecure seeded generator"
    answers account c.json --json
    holds '.private | not'
}

@test "a schema found in the rows marks the model" {
    synthetic 500 1 >t.csv
    answers schema --columns x1,x2,s:sensitive:-1\|1,y:label:0\|1\|2 --draft-from t.csv --out found.json
    answers train t.csv --schema found.json "${private[@]}" --force --out c.json --json
    holds '.leaks == ["schema-from-data"] and (.private | not)'
}

@test "the same seed gives the same file, whatever the number of threads" {
    synthetic 3000 1 >t.csv
    local threads
    for threads in 1 2 5; do
        answers train t.csv --schema s.json "${private[@]}" --insecure-seed 7 --threads "$threads" --out "$threads.json"
    done
    cmp 1.json 2.json
    cmp 1.json 5.json
    answers train t.csv --schema s.json "${private[@]}" --insecure-seed 8 --out other.json
    differ 1.json other.json
}

@test "a ledger is charged, and refuses what its budget does not allow" {
    synthetic 500 1 >t.csv
    answers "${train[@]}" "${private[@]}" --ledger people.json --budget 1.2 --json
    holds '.ledger.file == "people.json" and .ledger.spent <= 1 and .ledger.budget == 1.2'
    refuses 3 "people.json" train t.csv --schema s.json "${private[@]}" --ledger people.json --out second.json
    [ ! -e second.json ]
    refuses 2 "--out must not be the ledger" \
        train t.csv --schema s.json "${private[@]}" --ledger same.json --out same.json
    refuses 3 "people.json" "${train[@]}" --method none --ledger people.json
    refuses 3 "people.json" "${train[@]}" --epsilon inf --ledger people.json
}

@test "a budget so small that noise swamps works, and is said in plain words" {
    synthetic 500 1 >t.csv
    local method
    for method in dpgd dpsgd output; do
        answers "${train[@]}" --method "$method" --epsilon 0.001 --delta 1e-5
        says "CAUTION: the budget is too small for so few people: the result is noise"
        decides c.json t.csv
        [ "$(wc -l <<<"$output")" -eq 501 ]
    done
    answers "${train[@]}" --epsilon 0.001 --delta 1e-5 --json
    holds '.is_noise and .noise > 1 and .epsilon <= 0.001'
    answers "${train[@]}" --epsilon 0.3 --delta 1e-5
    says "CAUTION: much of the result is noise"
}

@test "one class present, fewer rows than classes and all-zero features work" {
    synthetic 500 1 >t.csv
    awk -F, 'NR == 1 || $NF == 2' t.csv >one.csv
    head -3 t.csv >few.csv
    awk -F, -v OFS=, 'NR > 1 { for (i = 1; i <= 5; i++) $i = 0 } { print }' t.csv >zeros.csv
    local table method
    for table in one few zeros; do
        for method in dpgd dpsgd output none; do
            separately "$DP2DP" train "$table.csv" --schema s.json --method "$method" "${private[@]}" --force --out c.json --json
            [ "$status" -eq 0 ]
            [[ "$table" = one && "$stderr" == "Note: all 173 values of y are in the class"* || -z "$stderr" ]]
            holds ".method == \"$method\" and (.private | not) == (\"$method\" == \"none\")"
            decides c.json t.csv
            [ "$(wc -l <<<"$output")" -eq 501 ]
        done
    done
    answers train few.csv --schema s.json "${private[@]}" --force --out c.json
    says "learned from 2 people" "the result is noise"
    separately "$DP2DP" train one.csv --schema s.json --method none --force --out c.json
    [ "$status" -eq 0 ]
    answers evaluate c.json one.csv --json
    holds '.error == 0'
}

@test "weights from elsewhere are taken as they are, with what is declared about them" {
    synthetic 500 1 >t.csv
    printf '0,0,0,0,0,0\n1,0,0,0,0,0.5\n0,0,0,0,-2,1\n' >w.csv
    answers train --schema s.json --method external --weights w.csv --force --out c.json --json
    holds '.method == "external" and .records == 0 and .epsilon == null and .leaks == ["classifier-not-private"]'
    answers train --schema s.json --method external --weights w.csv --epsilon 2 --delta 1e-6 --force --out c.json
    says "epsilon 2, as declared"
    [[ "$output" != *"NOT PRIVATE"* ]]
    answers account c.json --json
    holds '.epsilon >= 2 and .epsilon < 2.0001 and .entries[0].mechanism == "declared" and .private'
    # The argmax of W (x, 1) in awk: the schema divides features by 4, and no row exceeds the norm.
    "$DP2DP" predict c.json t.csv --out p.csv
    awk -F, -v OFS=, 'NR > 1 {
            first = $1 / 4
            fifth = $5 / 4
            a = (first > 1 ? 1 : first < -1 ? -1 : first) + 0.5
            b = -2 * (fifth > 1 ? 1 : fifth < -1 ? -1 : fifth) + 1
            print(0 >= a && 0 >= b ? 0 : a >= b ? 1 : 2)
        }' t.csv >expected
    cmp expected <(tail -n +2 p.csv)
}

@test "weights of the wrong size are refused with both sizes" {
    synthetic 10 1 >t.csv
    external=(train --schema s.json --method external --force --out c.json)
    printf '0,0,0,0,0,0\n1,0,0,0,0,0.5\n' >w.csv
    refuses 4 "--weights w.csv has 2 rows instead of 3 (one for each class)" "${external[@]}" --weights w.csv
    printf '0,0,0,0,0,0,0\n1,0,0,0,0,0,0.5\n1,1,1,1,1,1,1\n' >w.csv
    refuses 4 "--weights w.csv has more than 6 columns (one for each feature, and one for the bias)" "${external[@]}" --weights w.csv
    printf '0,0\n1,2\n2,3\n' >w.csv
    refuses 4 "w.csv" "${external[@]}" --weights w.csv
    refuses 2 "--weights FILE" "${external[@]}"
    refuses 2 "reads no table" "${external[@]}" t.csv --weights w.csv
    refuses 2 "give both --epsilon and --delta" "${external[@]}" --weights w.csv --epsilon 1
    refuses 2 "--weights cannot be used with --method dpgd" "${train[@]}" "${private[@]}" --weights w.csv
    [ ! -e c.json ]
}

@test "two classes may have the weights of the second alone" {
    people 20 1 >t.csv
    answers schema --columns "p_yes:0:1,sex:sensitive:F|M,y:label:no|yes" --out two.json
    printf '1,0\n' >one.csv
    printf '0,0\n1,0\n' >both.csv
    answers train --schema two.json --method external --weights one.csv --out one.json
    answers train --schema two.json --method external --weights both.csv --out both.json
    cmp one.json both.json
    decides one.json t.csv
    paste -d, <(tail -n +2 t.csv) <(tail -n +2 <<<"$output") | awk -F, '$NF != ($3 > 0.5 ? "yes" : "no") { exit 1 }'
}

@test "what a method does not use is refused, not ignored" {
    synthetic 10 1 >t.csv
    refuses 2 "--batch cannot be used with --method dpgd" "${train[@]}" "${private[@]}" --batch 5
    refuses 2 "--clip cannot be used with --method output" "${train[@]}" --method output "${private[@]}" --clip 2
    refuses 2 "--penalty cannot be used with --method dpsgd" "${train[@]}" --method dpsgd "${private[@]}" --penalty 2
    refuses 2 "--epsilon E is needed" "${train[@]}"
    refuses 2 "--delta D is needed" "${train[@]}" --epsilon 1
    refuses 2 "--schema SCHEMA is needed" train t.csv "${private[@]}" --force --out c.json
    refuses 2 "--out MODEL is needed" train t.csv --schema s.json "${private[@]}"
    refuses 2 "TABLE is missing" train --schema s.json "${private[@]}" --force --out c.json
    refuses 2 "--data-dir cannot be used with a TABLE" "${train[@]}" --data-dir . "${private[@]}"
    refuses 2 "--separator needs a TABLE" train --schema adult --separator tab "${private[@]}" --force --out c.json
    DP2DP_DATA='' refuses 2 "--data-dir or in the environment variable" train --schema adult "${private[@]}" --force --out c.json
    [ ! -e c.json ]
}

@test "every number of the library's table is an option" {
    [ -n "${DP2DP_SOURCE_DIR:-}" ] || skip "needs the table"
    local name names
    names=$(library_options dp2dp_train_options)
    [ "$(wc -w <<<"$names")" -ge 10 ]
    answers train --help
    for name in $names; do
        says "--${name//_/-} "
    done
    synthetic 200 1 >t.csv
    answers train t.csv --schema s.json --method dpsgd "${private[@]}" --steps 7 --batch 20 --clip 0.5 --step-size 0.5 \
        --momentum 0 --tail 1 --rows-per-person 2 --force --out c.json --json
    holds '.rows_per_person == 2'
    answers account c.json --json
    holds '.entries[0].steps == 7 and .entries[0].rows_per_person == 2 and .entries[0].rate <= 0.1001'
}

@test "bad tables are refused with file, row and column, and nothing is written" {
    synthetic 20 1 >t.csv
    echo keep >c.json
    sed '3s/^[^,]*/oops/' t.csv >bad.csv
    refuses 4 'column "x1"' train bad.csv --schema s.json "${private[@]}" --force --out c.json
    [[ "$stderr" == *"line 3"* && "$stderr" == *"bad.csv"* && "$stderr" != *oops* ]]
    sed '5s/,[^,]*$/,secret/' t.csv >bad.csv
    refuses 4 'column "y"' train bad.csv --schema s.json "${private[@]}" --force --out c.json
    [[ "$stderr" == *"row 4"* && "$stderr" == *"bad.csv"* && "$stderr" != *secret* ]]
    cut -d, -f2- t.csv >bad.csv
    refuses 4 'no column is named "x1"' train bad.csv --schema s.json "${private[@]}" --force --out c.json
    sed 1d t.csv >bad.csv
    refuses 4 "the first line must hold the column names" train bad.csv --schema s.json "${private[@]}" --force --out c.json
    [[ "$stderr" != *nearest* ]]
    head -1 t.csv >bad.csv
    refuses 4 "there are no rows to train on: bad.csv" train bad.csv --schema s.json "${private[@]}" --force --out c.json
    "$DP2DP" schema --columns "x1:-4:4,s:sensitive:-1|1" --out nolabel.json
    refuses 4 "no label column" train t.csv --schema nolabel.json "${private[@]}" --force --out c.json
    refuses 1 "No such file" train absent.csv --schema s.json "${private[@]}" --force --out c.json
    refuses 1 "neither a built-in schema nor a file" train t.csv --schema absent "${private[@]}" --force --out c.json
    [ "$(<c.json)" = keep ]
    [ "$(ls -A | grep -c tmp)" -eq 0 ]
}

@test "a training that is interrupted ends with 130, stays charged and writes nothing" {
    synthetic 20000 1 >t.csv
    # The ledger has this entry once it is charged: the first step is under way.
    signalled INT "grep -qs gradient.sums l.json" train t.csv --schema s.json "${private[@]}" --steps 1000000 \
        --ledger l.json --force --out c.json
    [ "$code" -eq 130 ]
    [ ! -e c.json ]
    [ "$(ls -A | grep -c tmp)" -eq 0 ]
    answers account l.json --delta 1e-5 --json
    holds '.epsilon > 0.9'
}

@test "a data set of the paper is found by its schema" {
    [ -n "${DP2DP_DATA:-}" ] || skip "needs DP2DP_DATA"
    answers train --schema adult "${private[@]}" --force --out c.json --json
    holds '.records == 45222 and .features == 102 and .classes == ["<=50K", ">50K"]'
    holds '.data_set == {name: "adult", rows: "complete", table_rows: 48842} and .records == 45222'
    answers train --schema adult-cut "${private[@]}" --force --out c.json
    says "adult: as in the paper, only complete rows are used"
    # The same rows as a TABLE give the same records, but are not announced as a data set.
    answers data adult --complete --out complete.csv
    answers train complete.csv --schema adult "${private[@]}" --force --out c.json --json
    holds '.data_set == null and .records == 45222'
    answers train --schema parkinsons "${private[@]}" --data-dir "$DP2DP_DATA" --force --out c.json --json
    holds '.records == 5875 and .features == 19'
    refuses 1 "file not found" train --schema credit --data-dir . "${private[@]}" --out none.json
}

@test "the verdict about noise does not depend on the unit of the clip" {
    synthetic 500 1 >t.csv
    answers train t.csv --schema s.json --epsilon 0.01 --delta 1e-5 --out c.json --json
    local clip plain
    plain=$(jq .noise <<<"$output")
    for clip in 0.01 4; do
        answers "${train[@]}" --epsilon 0.01 --delta 1e-5 --clip "$clip" --json
        holds ".is_noise and .noise == $plain"
    done
}

@test "a classifier of the group, or of group and label, says what it is for" {
    synthetic 1000 1 >t.csv
    answers "${train[@]}" "${private[@]}" --target group-label --json
    holds '.target == "group-label" and .outputs == 6 and .classes == ["0","1","2"] and .epsilon <= 1 and .private'
    answers evaluate c.json t.csv --json
    holds '.error < 0.6'
    answers show c.json
    says "decides 0, 1 or 2, for each person" "6 pairs of group and class"
    answers "${train[@]}" "${private[@]}" --target group --json
    holds '.target == "group" and .outputs == 2 and .classes == [] and .private'
    answers "${train[@]}" "${private[@]}" --target group
    says "which of 2 groups a person is in" "this model makes no decisions"
    answers show c.json
    says "this model makes no decisions"
    refuses 2 "predicted groups are never written out" predict c.json t.csv --out d.csv
    refuses 2 "predicted groups are never written out" evaluate c.json t.csv
    answers "${train[@]}" "${private[@]}"
    [[ "$output" != *"predicts"* ]]
    refuses 2 "is not one of label|group|group-label" "${train[@]}" "${private[@]}" --target groups
}

@test "a clip that is larger than any gradient is refused, in plans too, and nothing is charged" {
    synthetic 500 1 >t.csv
    local clip
    for clip in 4.49 1000; do
        refuses 2 "use at most 4.48" "${train[@]}" "${private[@]}" --clip "$clip" --ledger l.json --new-ledger
        refuses 2 "use at most 4.48" "${train[@]}" "${private[@]}" --clip "$clip" --method dpsgd --dry-run
        [ ! -e l.json ]
    done
    answers "${train[@]}" "${private[@]}" --clip 4.48
    answers "${train[@]}" --epsilon inf --delta 1e-5 --clip 1000 # no noise, so nothing is lost
}
