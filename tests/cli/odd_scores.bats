#!/usr/bin/env bats
# Scores that are no probabilities of all classes are not taken for such without a word.
load helpers

ids=(--scores "p_no,number" --sensitive sex --groups F,M --classes no,yes)
odd="CAUTION: the scores of each row are divided by their sum. These sums range from"
hard="CAUTION: every score is 0 or 1. These look like decisions."
same="CAUTION: all rows have the same scores, so the scores do not tell one person from another."
seen="CAUTION: every group score is 0 or 1. These look like the groups themselves. If they are, the rule sees the group."
unaware=(--unaware --group-scores g0,g1)

begin() {
    people 200 1 >pool.csv
    awk -F, -v OFS=, 'NR == 1 { print $0, "number"; next } { print $0, NR }' pool.csv >ids.csv
    awk -F, -v OFS=, 'NR > 1 { $2 = $2 > .5; $3 = 1 - $2 } 1' pool.csv >hard.csv
    awk -F, -v OFS=, 'NR > 1 { $2 = .7; $3 = .3 } 1' pool.csv >equal.csv
    awk -F, -v OFS=, 'NR == 1 { print $0, "g0,g1"; next } { g = $1 == "F"; print $0, g, 1 - g }' pool.csv >one_hot.csv
    awk -F, -v OFS=, 'NR == 1 { print $0, "g0,g1"; next } { g = $1 == "F" ? .9 : .2; print $0, g, 1 - g }' pool.csv >guessed.csv
    "$DP2DP" fit guessed.csv "${scored[@]}" "${unaware[@]}" --solver exact --out unaware.json >/dev/null
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

@test "evaluate, predict and report say that all rows have equal scores" {
    cautions "$same" .scores_are_equal evaluate fine.json equal.csv
    cautions "$same" .scores_are_equal predict fine.json equal.csv --out d.csv --force
    cautions "$same" .scores_are_equal report fine.json --test equal.csv --label y --out r.html --force
    { cat equal.csv && tail -n 1 pool.csv; } >nearly.csv
    answers predict fine.json nearly.csv --out d.csv --force --json
    holds 'has("scores_are_equal") | not'
}

@test "evaluate, predict and report say that group scores are the groups" {
    cautions "$seen" .group_scores_are_groups evaluate unaware.json one_hot.csv
    cautions "$seen" '.group_scores_are_groups and .sees_group' predict unaware.json one_hot.csv --out d.csv --force
    answers predict unaware.json one_hot.csv --out d.csv --force
    [[ "$output" != *"does not see the group"* ]]
    cautions "$seen" .group_scores_are_groups report unaware.json --test one_hot.csv --label y --out r.html --force
    answers predict unaware.json guessed.csv --out d.csv --force
    says "group not read: the rule does not see the group"
    [[ "$output" != *CAUTION* ]]
    answers evaluate unaware.json guessed.csv --json
    holds 'has("group_scores_are_groups") | not'
}

@test "a forgotten class is noticed if the sums differ by more than rounding" {
    awk 'BEGIN { print "a,b,c,s"; for (i = 0; i < 90; i++) { c = .19 + (i % 9) * .03; printf "%g,%g,%g,%d\n", (1 - c) / 3, 2 * (1 - c) / 3, c, i % 2 } }' >three.csv
    separately "$DP2DP" fit three.csv --scores a,b --normalize --sensitive s --groups 0,1 "${private[@]}" --out m.json
    [[ "$status" = 0 && "$stderr" == *"$odd 0.57 to 0.81, so the scores are neither rounded probabilities (sums near 1) nor percentages (sums near 100). Is there a probability for each class?"* ]]
    # Scores with two decimals, whole percentages, and odds of a constant sum are as good as probabilities.
    local format
    for format in '%.2f,%.2f,%.2f' '%.1f,%.1f,%.1f'; do
        awk -F, -v f="$format,%d\n" 'NR == 1 { print; next } { printf f, $1, $2, $3, $4 }' three.csv >round.csv
        answers fit round.csv --scores a,b,c --normalize --sensitive s --groups 0,1 "${private[@]}" --out m.json --force
    done
    awk -F, 'NR == 1 { print; next } { printf "%d,%d,%d,%d\n", 100 * $1 + .5, 100 * $2 + .5, 100 * $3 + .5, $4 }' three.csv >percent.csv
    answers fit percent.csv --scores a,b,c --normalize --sensitive s --groups 0,1 "${private[@]}" --out m.json --force
    awk -F, 'NR == 1 { print; next } { printf "%g,%g,%g,%d\n", 7 * $1, 7 * $2, 7 * $3, $4 }' three.csv >seven.csv
    answers fit seven.csv --scores a,b,c --normalize --sensitive s --groups 0,1 "${private[@]}" --out m.json --force
}

@test "scores of one class out of three are noticed, and rounded scores and percentages are not" {
    awk 'BEGIN { print "a,b,c,s"; for (i = 0; i < 90; i++) { c = (i % 9) / 10; printf "%g,%g,%g,%d\n", (1 - c) / 2, (1 - c) / 2, c, i % 2 } }' >three.csv
    separately "$DP2DP" fit three.csv --scores a,b --normalize --sensitive s --groups 0,1 "${private[@]}" --out m.json
    [[ "$status" = 0 && "$stderr" == *"$odd 0.2 to 1, so the scores"* ]]
    awk -F, -v OFS=, 'NR > 1 { $2 = int($2 * 10 + .5) * 10; $3 = int($3 * 10 + .6) * 10 } 1' pool.csv >percent.csv
    answers fit percent.csv "${scored[@]}" --normalize "${private[@]}" --out n.json
}

# tells WORDS ARGUMENT...: only standard error has the words, and with --bad-rows ignore it has none.
tells() {
    local words=$1
    shift
    separately "$DP2DP" "$@"
    [[ "$status" = 0 && "$output" != *"$words"* && "$stderr" == *"$words"*"do not publish the "* ]]
    answers "$@" --bad-rows ignore
}

@test "fit and certify tell only the operator, and with --bad-rows ignore nobody" {
    tells "$odd" fit ids.csv "${ids[@]}" --normalize "${private[@]}" --out o.json --force
    tells "$odd" fit ids.csv "${ids[@]}" --normalize "${private[@]}" --dry-run
    tells "$odd" certify ids.json ids.csv "${private[@]}" --out o.json --force
    tells "$hard" fit hard.csv "${scored[@]}" "${private[@]}" --out o.json --force
    tells "$hard" certify fine.json hard.csv "${private[@]}" --out o.json --force
    tells "$same" fit equal.csv "${scored[@]}" "${private[@]}" --out o.json --force
    tells "$seen" fit one_hot.csv "${scored[@]}" "${unaware[@]}" "${private[@]}" --out o.json --force
    tells "$seen" certify unaware.json one_hot.csv "${private[@]}" --out o.json --force
    [[ "$(<o.json)" != *CAUTION* ]]
}

# source_says WORDS COMMAND ARGUMENT...: the command of a fit says the words, unless it ignores bad rows.
source_says() {
    local words=$1 command=$2
    shift 2
    separately "$DP2DP" fit --source "$command --serve" "$@" "${private[@]}" --out o.json --force
    [[ "$status" = 0 && "$output" != *"$words"* ]]
    if [[ "$command" = *ignore* ]]; then
        [[ "$stderr" != *CAUTION* ]]
    else
        [[ "$stderr" = *"$words"*"do not publish the "* ]]
    fi
}

# The coordinator, who reads what a source prints, gets exact counts too. With --bad-rows ignore nobody is told.
@test "a source says what is odd about its rows, and with --bad-rows ignore nothing" {
    local odds=(--criterion equalized_odds) count="./dp2dp count" flags
    ln -s "$(realpath "$DP2DP")" dp2dp
    awk -F, -v OFS=, 'NR > 1 { $5 = $3 > $2 ? "yes" : "no" } { print }' pool.csv >own.csv
    { cat pool.csv && sed 1d pool.csv; } >twice.csv
    for flags in "" "--bad-rows ignore"; do
        source_says "$odd" "$count ids.csv ${ids[*]} --normalize $flags" "${ids[@]}"
        source_says "$seen" "$count one_hot.csv ${scored[*]} --group-scores g0,g1 $flags" "${scored[@]}" "${unaware[@]}"
        source_says "$hard" "$count hard.csv ${scored[*]} $flags" "${scored[@]}"
        source_says "CAUTION: every label could be a decision" \
            "$count own.csv ${scored[*]} --label y $flags" "${scored[@]}" "${odds[@]}"
        source_says "CAUTION: many rows are equal to another row, more than chance can explain" "$count twice.csv ${scored[*]} $flags" "${scored[@]}"
    done
    # Nobody is told before a site is charged, and an honest table gives no caution.
    separately "$DP2DP" fit --source "$count ids.csv ${ids[*]} --normalize --ledger s.json --epsilon .1 --delta 1e-9 --serve" \
        "${ids[@]}" "${private[@]}" --out o.json --force
    [[ "$status" = 4 && "$stderr" != *CAUTION* ]]
    separately "$DP2DP" fit --source "$count pool.csv ${scored[*]} --label y --serve" "${scored[@]}" "${odds[@]}" \
        "${private[@]}" --out o.json --force
    [[ "$status" = 0 && "$stderr" != *CAUTION* ]]
}

@test "sweep tells it on standard error, and decisions on standard output stay as they are" {
    separately "$DP2DP" sweep ids.csv "${ids[@]}" --label y --normalize "${private[@]}" --rho 0 --out w.csv
    [[ "$status" = 0 && "$stderr" == *"$odd"* ]]
    separately "$DP2DP" predict ids.json ids.csv
    [[ "$status" = 0 && "$output" != *CAUTION* && "$stderr" == *"$odd"* ]]
    [ "$(wc -l <<<"$output")" -eq 201 ]
}

@test "ids of the dither that many rows share" {
    local words="CAUTION: many rows share one id or a few ids" table
    local dither=(--dither 0.1 --dither-key id --id key)
    paste -d, pool.csv <(echo key && seq 200) >own.csv
    paste -d, pool.csv <(echo key && seq 200 | awk '{ print $1 % 2 }') >few.csv
    paste -d, pool.csv <(echo key && seq 200 | awk '{ print $1 % 4 ? "B1" : $1 }') >one.csv
    # Ten rows of each person are no oddity.
    paste -d, pool.csv <(echo key && seq 200 | awk '{ print int($1 / 10) }') >rows.csv
    for table in own rows; do
        answers fit $table.csv "${scored[@]}" "${dither[@]}" "${private[@]}" --out d.json --force
        answers predict d.json $table.csv --id key --out d.csv --force --json
        holds 'has("ids_are_few") | not'
    done
    for table in few one; do
        separately "$DP2DP" fit $table.csv "${scored[@]}" "${dither[@]}" "${private[@]}" --out d.json --force
        [[ "$status" = 0 && "$stderr" == "$words"*"do not publish the "* && "$output$(<d.json)" != *"share one id"* ]]
        answers fit $table.csv "${scored[@]}" "${dither[@]}" "${private[@]}" --out d.json --force --bad-rows ignore
        answers predict d.json $table.csv --id key --out d.csv --force
        says "$words"
        answers predict d.json $table.csv --id key --out d.csv --force --json
        holds .ids_are_few
        answers evaluate d.json $table.csv --id key --label y --json
        holds .ids_are_few
    done
}

@test "a table in which everybody is in one group is noted" {
    local note='Note: all 100 values of sex are in the group "M". Was the table cut from a larger table that is sorted by sex?'
    awk -F, 'NR == 1 || $4 == "M"' pool.csv | head -101 >men.csv
    cautions "$note" '.one_group == "M"' predict fine.json men.csv --out d.csv --force
    cautions "$note" '.one_group == "M"' evaluate fine.json men.csv
    separately "$DP2DP" predict fine.json men.csv
    [[ "$stderr" == "$note This note comes from the data without noise: do not publish the note." ]]
    separately "$DP2DP" certify fine.json men.csv "${private[@]}" --json
    [[ "$stderr" == "$note"* ]]
    holds 'has("one_group") | not'
    separately "$DP2DP" certify fine.json men.csv "${private[@]}" --bad-rows ignore
    [[ "$stderr" != *Note* ]]
    separately "$DP2DP" fit men.csv "${scored[@]}" "${private[@]}" --out m.json
    [[ "$stderr" == *"$note"* ]]
    head -100 men.csv >fewer.csv
    answers predict fine.json fewer.csv
    { cat men.csv; grep -m 1 ',F,' pool.csv; } >mixed.csv
    answers predict fine.json mixed.csv
    # An unknown group is no group, and a site of a larger fit may have one group.
    sed 's/,M,/,X,/' men.csv >unknown.csv
    separately "$DP2DP" predict fine.json unknown.csv --unknown-group base --out d.csv --force
    [[ "$output$stderr" != *"Note: all"* ]]
}

@test "columns of group scores in another order than in the fit are told by predict" {
    people 1000 1 | awk -F, -v OFS=, 'NR == 1 { print $0, "c_f,c_m"; next } { f = $4 == "F" ? .45 : .3; print $0, f, 1 - f }' >right.csv
    awk -F, -v OFS=, '{ print $1, $2, $3, $4, $5, $7, $6 }' right.csv | sed '1s/.*/id,p_no,p_yes,sex,y,c_f,c_m/' >wrong.csv
    answers fit right.csv "${scored[@]}" --unaware --counted scores --group-scores c_f,c_m --solver exact --out order.json
    cautions "CAUTION: the mean of the group score c_" '.group_scores_fit_order == ["c_m", "c_f"]' \
        predict order.json wrong.csv --out d.csv --force
    separately "$DP2DP" predict order.json wrong.csv
    [[ "$stderr" == "CAUTION: the mean of the group score c_"*"in the order c_m,c_f. Are they swapped?"* ]]
    [[ "$stderr" == *"do not publish the caution." ]]
    answers predict order.json right.csv
    answers predict order.json right.csv --out d.csv --force --json
    holds 'has("group_scores_fit_order") | not'
    head -100 wrong.csv >few.csv # 99 rows
    answers predict order.json few.csv
}
