#!/usr/bin/env bats
# `dp2dp evaluate`: measures a model on data that need no privacy.
load helpers

# In eight.csv the scores give yes to 1 of 4 F and to 3 of 4 M; 6 of 8 labels agree.
begin() {
    {
        printf 'p_no,p_yes,sex,y\n'
        printf '.9,.1,F,no\n.8,.2,F,no\n.7,.3,F,yes\n.3,.7,F,yes\n'
        printf '.4,.6,M,yes\n.2,.8,M,yes\n.1,.9,M,no\n.9,.1,M,no\n'
    } >eight.csv
    people 4000 1 >pool.csv
    people 4000 2 >test.csv
    fits --solver exact --out model.json
}

@test "error, unfairness and rates are those counted by hand" {
    fits eight.csv --solver exact --rho 1 --out plain.json
    answers evaluate plain.json eight.csv --label y --json
    holds '.error == 0.25 and .unfairness == 0.5 and .rates == [[0.75,0.25],[0.25,0.75]]'
    holds '.unfair.error == 0.25 and .unfair.unfairness == 0.5 and .unfair.rates == .rates'
    holds '.groups == ["F","M"] and .classes == ["no","yes"] and .group_sizes == [4,4] and .records == 8'
    holds '.private == false and .confidence == 0.95 and .balanced_accuracy == 0.75'
    holds '.error_interval[0] <= .error and .error <= .error_interval[1]'
    holds '.rate_intervals[0][0][0] <= 0.75 and .rate_intervals[0][0][1] >= 0.75'
}

@test "before and after: unfairness goes down, and the text says it is not private" {
    answers evaluate model.json test.csv --label y --json
    holds '.unfairness < 0.06 and .unfair.unfairness > 0.35 and .error > .unfair.error'
    holds '.unfairness_interval[0] < .unfairness_interval[1]'
    answers evaluate model.json test.csv --label y
    says "Before and after, on 4000 people" "NOT private" "error" "unfairness" "Group sizes"
}

@test "without labels there is no error, and fairness all the same" {
    cut -d, -f1-4 test.csv >unlabelled.csv
    answers evaluate model.json unlabelled.csv --json
    holds '.error == null and .unfair.error == null and .unfairness < 0.06'
    answers evaluate model.json unlabelled.csv
    [[ "$output" != *"balanced"* ]]
}

@test "a group without people has no rates" {
    answers fit eight.csv --scores p_no,p_yes --classes no,yes --sensitive sex --groups F,M,X --solver exact --rho 1 \
        --force --out model.json
    answers evaluate model.json eight.csv --label y --json
    holds '.rates[2] == [null,null] and .group_sizes == [4,4,0] and .unfairness == 0.5'
    answers evaluate model.json eight.csv
}

@test "a label or group that has no name is bad data, with its row" {
    sed '11s/[a-z]*$/maybe/' test.csv >odd.csv
    refuses 4 'row 10, column "y": the label is not in the declared list: odd.csv' evaluate model.json odd.csv --label y
    [[ "$stderr" != *maybe* ]]
    sed '11s/,[FM],/,X,/' test.csv >odd.csv
    refuses 4 'row 10, column "sex": the group' evaluate model.json odd.csv
    refuses 4 "z" evaluate model.json test.csv --label z
    head -n 1 test.csv >none.csv
    refuses 4 "none.csv: the table has no rows" evaluate model.json none.csv --label y
}

@test "a group with nobody in it is no proof of fairness" {
    printf 'p0,p1,s\n.2,.8,a\n.7,.3,b\n.6,.4,a\n.1,.9,b\n' >pool.csv
    answers fit pool.csv --scores p0,p1 --sensitive s --groups a,b --solver exact --out m.json
    answers evaluate m.json pool.csv
    [[ "$output" != *CAUTION* ]]
    grep -v ',b$' pool.csv >half.csv
    answers evaluate m.json half.csv
    says "CAUTION: a group has nobody in this table" "with one group there is nothing to compare"
    grep -Eq '^ +unfairness +- +-$' <<<"$output"
    [[ "$output" != *"unfairness   after"* ]]
    answers evaluate m.json half.csv --json
    holds '[.unfairness, .unfair.unfairness, .criteria.demographic_parity.unfairness] == [null, null, null]'
    holds '.unfairness_interval == [null, null]'
}

@test "four people are no proof of fairness" {
    printf 'p_no,p_yes,sex\n.9,.1,F\n.9,.1,F\n.9,.1,M\n.9,.1,M\n' >four.csv
    answers evaluate model.json four.csv --json
    holds '.unfairness == 0 and .unfairness_interval[0] == 0 and .unfairness_interval[1] > 0.8'
    holds '.criteria.demographic_parity.unfairness_interval == .unfairness_interval'
    answers evaluate model.json four.csv
    says "unfairness with the model: between 0.0000 and 0.8"
}

@test "evaluate always says whom it takes these people not to be, and a table as large as the pool may be the pool" {
    answers evaluate model.json pool.csv
    says "(this table has exactly as many people as the rule was learned from: check that they are different people). A model fits the people it was learned from better than it fits other people"
    answers evaluate model.json pool.csv --json
    holds '.assumption == "that nobody in this table was among the people the model was learned from"'
    holds '.warnings == ["as-many-people"]'
    head -n 3001 test.csv >fewer.csv
    answers evaluate model.json fewer.csv
    says "assumes that nobody in this table was among the people the model was learned from. A model fits the people it was learned from better"
    [[ "$output" != *"as many people"* ]]
    answers evaluate model.json fewer.csv --json
    holds '.assumption == "that nobody in this table was among the people the model was learned from" and .warnings == []'
}

# swapped FILE: the people of the file, each in the other group.
swapped() {
    sed 's/,F,/,X,/; s/,M,/,F,/; s/,X,/,M,/' "$1"
}

@test "the criterion that the model aims at is in the first table, and in JSON beside demographic parity" {
    fits --solver exact --criterion equalized_odds --label y --out odds.json
    swapped test.csv >other.csv
    answers evaluate odds.json other.csv --label y --json
    holds '.criterion_unfairness == .criteria.equalized_odds.unfairness and .unfairness != .criterion_unfairness'
    holds '.unfair.criterion_unfairness == .criteria.equalized_odds.unfairness_before'
    holds '.unfairness == .criteria.demographic_parity.unfairness and (.warnings | index("unfairness-larger"))'
    local row
    row=$(jq -r '"unfairness, equalized_odds " + ([.unfair.criterion_unfairness, .criterion_unfairness][] | tostring)' \
        <<<"$output" | awk 'NR == 1 { a = $3 } NR == 2 { printf "unfairness, equalized_odds %.4f %.4f", a, $3 }')
    answers evaluate odds.json other.csv --label y
    says "$row" "unfairness, demographic_parity" "unfairness equalized_odds with the model: between" \
        "CAUTION: unfairness is larger with the model"
    answers report odds.json --test other.csv --label y --out page.html --json
    holds '.warnings | index("unfairness-larger")'
    answers report odds.json --test other.csv --label y --out page.html --force
    says "CAUTION: unfairness is larger with the model"
    answers report odds.json --test test.csv --label y --out page.html --force --json
    holds '.warnings | index("unfairness-larger") | not'
    answers evaluate odds.json test.csv --label y --json
    holds '.warnings | index("unfairness-larger") | not'
    answers evaluate model.json test.csv --label y --json
    holds '.criterion_unfairness == .unfairness and .unfair.criterion_unfairness == .unfair.unfairness'
}

@test "without labels, a criterion that needs them is said not to be measured" {
    fits --solver exact --criterion equalized_odds --label y --out odds.json
    answers evaluate odds.json test.csv --json
    holds '.criterion_unfairness == null and .unfairness != null and (.warnings | index("criterion-not-measured"))'
    answers evaluate odds.json test.csv
    says "CAUTION: the criterion that the model aims at was not measured"
    answers evaluate odds.json test.csv --label y --json
    holds '.warnings | index("criterion-not-measured") | not'
    answers evaluate model.json test.csv --json
    holds '.warnings | index("criterion-not-measured") | not'
}

@test "every caution of the text has a word in JSON" {
    answers evaluate model.json pool.csv --json
    holds '.warnings == ["as-many-people"]'
    head -n 3001 test.csv >fewer.csv
    answers evaluate model.json fewer.csv --json
    holds '.warnings == []'
    grep -v ',M,' fewer.csv >half.csv
    answers evaluate model.json half.csv --json
    holds '.warnings | index("empty-group")'
    sed 's/yes$/x/; s/no$/yes/; s/x$/no/' fewer.csv >wrong.csv
    answers evaluate model.json wrong.csv --label y --json
    holds '.warnings | index("worse-than-guessing")'
    grep -v 'yes$' fewer.csv >one.csv
    answers evaluate model.json one.csv --label y --json
    holds '.warnings | index("empty-class")'
    answers evaluate model.json one.csv --json
    holds '.warnings | index("empty-class") | not'
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
        { $at["y"] = $at["p_yes"] > $at["p_no"] ? "yes" : "no"; print }' fewer.csv >own.csv
    answers evaluate model.json own.csv --label y --json
    holds '.warnings | index("labels-are-decisions")'
    answers evaluate model.json own.csv --label y
    says "CAUTION: every label could be a decision"
}
