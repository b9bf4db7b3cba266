#!/usr/bin/env bats
# Rows that are in the table twice, groups that were exchanged, and group scores that predict nothing are noticed.
load helpers

private_note="This caution comes from the data without noise: do not publish the caution."
differ="CAUTION: groups get a class at clearly different rates, although the rule makes these rates equal."
repeated="CAUTION: many rows are equal to another row, more than chance can explain."
nothing="CAUTION: the group scores (the weights) predict the groups of these rows no better than chance, or worse."

# unlike ROWS SEED: people whose scores depend on their group, with scores g_F and g_M of the groups.
unlike() {
    LC_ALL=C awk -v rows="$1" -v seed="$2" 'BEGIN {
        srand(seed)
        print "p_no,p_yes,sex,y,g_F,g_M"
        for (i = 0; i < rows; i++) {
            male = rand() < .5
            p = 1 / (1 + exp(-(rand() + rand() + rand() - 1.5) * 3 - 1.2 * male))
            g = 1 / (1 + exp(-(rand() - .5) * 2 - 3 * (male - .5)))
            printf "%.9f,%.9f,%s,%s,%.9f,%.9f\n", 1 - p, p, male ? "M" : "F", rand() < p ? "yes" : "no", 1 - g, g
        }
    }'
}

exchanged() {
    awk -F, -v OFS=, 'NR > 1 { $3 = $3 == "F" ? "M" : "F" } { print }' "$1"
}

begin() {
    unlike 3000 1 >pool.csv
    unlike 2000 2 >new.csv
    exchanged new.csv >swapped.csv
    { cat pool.csv && sed 1d pool.csv; } >twice.csv
    fits "${private[@]}" --insecure-seed 1 --out model.json
}

@test "groups that are exchanged: predict, evaluate and certify tell" {
    answers predict model.json swapped.csv --out d.csv
    says "$differ" "Are the groups or the scores swapped?"
    answers predict model.json swapped.csv --out d.csv --force --json
    holds '.warnings == ["rates-differ"]'
    separately "$DP2DP" predict model.json swapped.csv
    [[ "$status" -eq 0 && "$stderr" == "$differ"*"$private_note" ]]
    answers evaluate model.json swapped.csv --label y --json
    holds '.warnings | index("rates-differ")'
    answers certify model.json swapped.csv "${private[@]}"
    says "$differ"
    answers certify model.json swapped.csv "${private[@]}" --json --out c.json
    holds '.warnings | index("rates-differ")'
    [ "$(grep -c rates-differ c.json)" -eq 0 ]
    separately "$DP2DP" predict model.json new.csv
    [[ "$status" -eq 0 && "$stderr" == "" ]]
    answers evaluate model.json new.csv --label y --json
    holds '.warnings == []'
    answers certify model.json new.csv "${private[@]}" --json
    holds '.warnings | index("rates-differ") | not'
}

@test "a table that is joined to itself: fit and certify tell the operator alone" {
    local command
    for command in "fit twice.csv ${scored[*]} --force --out m.json" "certify model.json twice.csv --force --out c.json"; do
        # shellcheck disable=SC2086 # words
        separately "$DP2DP" $command "${private[@]}"
        [[ "$status" -eq 0 && "$stderr" == "$repeated"*"$private_note" && "$output" != *repeated* ]]
        # shellcheck disable=SC2086 # words
        separately "$DP2DP" $command "${private[@]}" --bad-rows ignore
        [[ "$status" -eq 0 && "$stderr" == "" ]]
    done
    [ "$(cat m.json c.json | grep -c rows-repeated)" -eq 0 ]
    separately "$DP2DP" fit twice.csv "${scored[@]}" "${private[@]}" --rows-per-person 2 --out two.json
    [[ "$status" -eq 0 && "$stderr" == "" ]]
}

@test "a table of scores that is joined to itself: sweep tells" {
    local point=("${scored[@]}" --label y --rho 0 --epsilon inf --solver exact --insecure-seed 1 --out x.csv --force)
    answers sweep twice.csv "${point[@]}"
    says "$repeated"
    answers sweep twice.csv "${point[@]}" --json
    holds '.warnings | index("rows-repeated")'
    answers sweep twice.csv "${point[@]}" --rows-per-person 2 --json
    holds '.warnings | index("rows-repeated") | not'
    answers sweep pool.csv "${point[@]}" --json
    holds '.warnings | index("rows-repeated") | not'
}

@test "group scores in another order than the groups: fit and certify tell the operator alone" {
    local unaware=(--unaware --group-scores g_F,g_M)
    sed '1s/.*/p_no,p_yes,sex,y,g_M,g_F/' pool.csv >backwards.csv
    separately "$DP2DP" fit backwards.csv "${scored[@]}" "${unaware[@]}" "${private[@]}" --out m.json
    [[ "$status" -eq 0 && "$stderr" == "$nothing"*"$private_note" && "$output" != *"predict the groups"* ]]
    separately "$DP2DP" fit backwards.csv "${scored[@]}" "${unaware[@]}" "${private[@]}" --bad-rows ignore --out i.json
    [[ "$status" -eq 0 && "$stderr" == "" ]]
    separately "$DP2DP" fit --source "$(realpath "$DP2DP") count backwards.csv ${scored[*]} --group-scores g_F,g_M --serve" \
        "${scored[@]}" "${unaware[@]}" "${private[@]}" --out s.json
    [[ "$status" -eq 0 && "$stderr" == "$nothing"*"$private_note" ]]
    separately "$DP2DP" fit pool.csv "${scored[@]}" "${unaware[@]}" "${private[@]}" --out right.json
    [[ "$status" -eq 0 && "$stderr" == "" ]]
    sed '1s/.*/p_no,p_yes,sex,y,g_M,g_F/' new.csv >other.csv
    separately "$DP2DP" certify right.json other.csv "${private[@]}"
    [[ "$status" -eq 0 && "$stderr" == "$nothing"*"$private_note" ]]
}
