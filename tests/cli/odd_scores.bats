#!/usr/bin/env bats
# Scores that are no probabilities of all classes are not taken for such without a word.
load helpers

ids=(--scores "p_no,number" --sensitive sex --groups F,M --classes no,yes)
odd="CAUTION: the scores of a row sum to anything from"
hard="CAUTION: every score is 0 or 1. These look like decisions."

begin() {
    people 200 1 >pool.csv
    awk -F, -v OFS=, 'NR == 1 { print $0, "number"; next } { print $0, NR }' pool.csv >ids.csv
    awk -F, -v OFS=, 'NR > 1 { $2 = $2 > .5; $3 = 1 - $2 } 1' pool.csv >hard.csv
    "$DP2DP" fit ids.csv "${ids[@]}" --normalize --solver exact --out ids.json >/dev/null 2>&1
    "$DP2DP" fit pool.csv "${scored[@]}" --normalize --solver exact --out fine.json >/dev/null
}

# cautions WORDS FILTER ARGUMENT...: the text has the words, and the JSON satisfies the filter.
cautions() {
    local words=$1 filter=$2
    shift 2
    answers "$@"
    says "$words"
    answers "$@" --json
    holds "$filter"
}

@test "evaluate, predict and report say that sums differ widely" {
    local sums='.row_sums[1] > 10 * .row_sums[0]'
    cautions "$odd" "$sums" evaluate ids.json ids.csv
    cautions "$odd" "$sums" predict ids.json ids.csv --out d.csv --force
    cautions "$odd" "$sums" report ids.json --test ids.csv --label y --out r.html --force
    answers evaluate fine.json pool.csv
    [[ "$output" != *CAUTION* ]]
    answers predict fine.json pool.csv --json --out d.csv --force
    holds 'has("row_sums") or has("scores_are_decisions") | not'
}

@test "evaluate, predict and report say that scores are decisions" {
    cautions "$hard" .scores_are_decisions evaluate fine.json hard.csv
    cautions "$hard" .scores_are_decisions predict fine.json hard.csv --out d.csv --force
    cautions "$hard" .scores_are_decisions report fine.json --test hard.csv --label y --out r.html --force
    head -n 20 hard.csv >few.csv # 19 people may all be sure cases
    answers predict fine.json few.csv --out d.csv --force
    [[ "$output" != *CAUTION* ]]
}

@test "scores of one class out of three are noticed, and rounded scores and percentages are not" {
    awk 'BEGIN { print "a,b,c,s"; for (i = 0; i < 90; i++) { c = (i % 9) / 10; printf "%g,%g,%g,%d\n", (1 - c) / 2, (1 - c) / 2, c, i % 2 } }' >three.csv
    separately "$DP2DP" fit three.csv --scores a,b --normalize --sensitive s --groups 0,1 "${private[@]}" --out m.json
    [[ "$status" = 0 && "$stderr" == *"$odd 0.2 to 1,"* ]]
    awk -F, -v OFS=, 'NR > 1 { $2 = int($2 * 10 + .5) * 10; $3 = int($3 * 10 + .6) * 10 } 1' pool.csv >percent.csv
    answers fit percent.csv "${scored[@]}" --normalize "${private[@]}" --out n.json
}

# tells WORDS ARGUMENT...: only standard error has the words, and with --bad-rows ignore it has none.
tells() {
    local words=$1
    shift
    separately "$DP2DP" "$@"
    [[ "$status" = 0 && "$output" != *"$words"* && "$stderr" == *"$words"*"do not publish it." ]]
    answers "$@" --bad-rows ignore
}

@test "fit and certify tell only the operator, and with --bad-rows ignore nobody" {
    tells "$odd" fit ids.csv "${ids[@]}" --normalize "${private[@]}" --out o.json --force
    tells "$odd" fit ids.csv "${ids[@]}" --normalize "${private[@]}" --dry-run
    tells "$odd" certify ids.json ids.csv "${private[@]}" --out o.json --force
    tells "$hard" fit hard.csv "${scored[@]}" "${private[@]}" --out o.json --force
    tells "$hard" certify fine.json hard.csv "${private[@]}" --out o.json --force
    [[ "$(<o.json)" != *CAUTION* ]]
}

@test "count and sweep tell it on standard error, and decisions on standard output stay as they are" {
    ln -s "$(realpath "$DP2DP")" dp2dp
    separately "$DP2DP" fit --source "./dp2dp count ids.csv ${ids[*]} --normalize --serve" "${ids[@]}" "${private[@]}" --out o.json
    [[ "$status" = 0 && "$stderr" == *"$odd"* ]]
    answers fit --source "./dp2dp count ids.csv ${ids[*]} --normalize --bad-rows ignore --serve" "${ids[@]}" "${private[@]}" --out q.json
    separately "$DP2DP" sweep ids.csv "${ids[@]}" --label y --normalize "${private[@]}" --rho 0 --out w.csv
    [[ "$status" = 0 && "$stderr" == *"$odd"* ]]
    separately "$DP2DP" predict ids.json ids.csv
    [[ "$status" = 0 && "$output" != *CAUTION* && "$stderr" == *"$odd"* ]]
    [ "$(wc -l <<<"$output")" -eq 201 ]
}
