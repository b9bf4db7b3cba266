#!/usr/bin/env bats
# Mistakes of new users: the message says what is wrong, where, and what to do next.
load helpers

fit=(fit pool.csv "${scored[@]}" "${private[@]}")

begin() {
    people 400 1 >pool.csv
    answers "${fit[@]}" --out model.json
    people 50 2 >new.csv
}

# scaled FACTOR: new.csv with all scores multiplied by FACTOR.
scaled() {
    LC_ALL=C awk -F, -v OFS=, -v by="$1" 'NR > 1 { $2 *= by; $3 *= by } 1' new.csv
}

# mistake CODE WORDS ARGUMENT...: as refuses; adds the message to ../said.
mistake() {
    refuses "$@"
    printf '%s\n' "$stderr" >>../said
}

@test "the ten likeliest mistakes on the way from scores.csv to a certificate are each told what to do" {
    rm model.json
    people 400 1 >scores.csv
    people 400 2 >held-out.csv
    tr , ';' <scores.csv >semicolons.csv
    tail -n +2 scores.csv >headless.csv
    LC_ALL=C awk -F, -v OFS=, 'NR > 1 { $2 *= 100; $3 *= 100 } 1' scores.csv >percent.csv
    # 1. no budget
    mistake 2 "--epsilon E is needed: epsilon limits how much may be learned about any one person" \
        fit scores.csv "${unnamed[@]}" --out model.json
    # 2. no groups
    mistake 2 "--groups A,B,... is needed: every value the group can have, as written in the file" \
        fit scores.csv --scores p_no,p_yes --sensitive sex "${private[@]}" --out model.json
    # 3. a wrong column name
    mistake 4 'no column is named "p_non"; the nearest name is "p_no" (scores.csv)' \
        fit scores.csv --scores p_non,p_yes --sensitive sex --groups F,M "${private[@]}" --out model.json
    # 4. group names that are not in the file
    mistake 4 '--groups must name every group, but names only "f", "m"' \
        fit scores.csv --scores p_no,p_yes --sensitive sex --groups f,m "${private[@]}" --out model.json
    # 5. percentages
    mistake 4 "rounded or unscaled scores can be normalized (--normalize)" fit percent.csv "${unnamed[@]}" "${private[@]}" --out model.json
    # 6. semicolons
    mistake 4 "semicolons.csv; the first line seems to be separated by semicolons: set the separator to ';' (--separator)" fit semicolons.csv "${unnamed[@]}" "${private[@]}" --out model.json
    # 7. no header
    mistake 4 "see --no-header" fit headless.csv "${unnamed[@]}" "${private[@]}" --out model.json
    [ ! -e model.json ]
    answers fit scores.csv "${unnamed[@]}" "${private[@]}" --out model.json --ledger scores.ledger.json --budget 1.2
    # 8. an output file that exists
    mistake 2 "model.json; --force replaces it" fit scores.csv "${unnamed[@]}" "${private[@]}" --out model.json
    # 9. table and model swapped
    mistake 4 "the order is MODEL TABLE" certify held-out.csv model.json "${private[@]}"
    # 10. more than the budget allows
    mistake 3 "scores.ledger.json; --dry-run shows what a smaller --epsilon would cost" \
        fit scores.csv "${unnamed[@]}" "${private[@]}" --ledger scores.ledger.json --out second.json
    # Without a mistake it works.
    answers certify model.json held-out.csv "${private[@]}"
    says "Unfairness is at most"
    # The tutorial lists the same ten messages.
    [ -n "${DP2DP_SOURCE_DIR:-}" ] || skip "needs the page"
    local phrase count=0
    while IFS= read -r phrase; do
        count=$((count + 1))
        grep -qF -- "${phrase%%…*}" ../said
    done < <(sed -n '/^## When it is refused/,$s/^| `\([^`]*\)`.*/\1/p' "$DP2DP_SOURCE_DIR/docs/tutorial-scores.md")
    [ "$count" -eq 10 ]
}

@test "more mistakes on that way: a verb mistyped, a certificate without a budget" {
    refuses 2 "did you mean certify?" certfy model.json held-out.csv --epsilon 1 --delta 1e-5
    refuses 2 "--epsilon E is needed: the privacy budget of the certificate, for the people in TABLE" \
        certify model.json held-out.csv
}

@test "percentages are refused by every verb that reads scores" {
    scaled 100 >percent.csv
    refuses 4 "row 1: the probabilities do not sum to 1: percent.csv" predict model.json percent.csv
    refuses 4 "fit with --normalize" predict model.json percent.csv --out decisions.csv
    refuses 4 "row 1: the probabilities do not sum to 1: percent.csv" evaluate model.json percent.csv
    refuses 4 "row 1: the probabilities do not sum to 1: percent.csv" certify model.json percent.csv "${private[@]}"
    [ ! -e decisions.csv ]
    cp percent.csv pool.csv
    refuses 4 "rounded or unscaled scores can be normalized (--normalize)" "${fit[@]}" --out other.json
    answers "${fit[@]}" --normalize --out other.json
    answers predict other.json percent.csv
    repeats predict other.json new.csv
}

@test "log-odds are refused at predict as at fit, with row and column" {
    sed '4s/,[^,]*,[^,]*,/,-1.5,2.5,/' new.csv >logits.csv
    refuses 4 'row 3, column "p_no": a probability must be a number from 0 to 1: logits.csv' \
        predict model.json logits.csv
    refuses 4 'row 3, column "p_no": ' evaluate model.json logits.csv
    [[ "$stderr" != *1.5* ]]
    cp new.csv pool.csv
    answers "${fit[@]}" --normalize --out normal.json
    refuses 4 'row 3, column "p_no": ' predict normal.json logits.csv
    sed '4s/,[^,]*,[^,]*,/,0,0,/' new.csv >none.csv
    refuses 4 'row 3: the probabilities do not sum to 1 and cannot be normalized: none.csv' \
        predict normal.json none.csv
}

@test "operands the wrong way round are said to be so, without a word of the table" {
    tail -n +2 new.csv | cut -d, -f2- >headless.csv
    local verb value
    value=$(sed -n 2p headless.csv | cut -d, -f1)
    for verb in predict evaluate "certify --epsilon 1 --delta 1e-5"; do
        # shellcheck disable=SC2086 # words
        refuses 4 "not a model: it looks like a table: headless.csv; the order is MODEL TABLE" \
            $verb headless.csv model.json
        [[ "$stderr" != *"$value"* ]]
    done
    refuses 4 "not a ledger: it looks like a table: headless.csv; the file is not a model either; dp2dp fit and dp2dp train make a model from a table" account headless.csv
    [[ "$stderr" != *"$value"* ]]
    refuses 4 "not a ledger: " "${fit[@]}" --ledger headless.csv --out other.json
    [[ "$stderr" != *"$value"* ]]
    cp model.json pool.csv
    refuses 4 "this is JSON, not a table" "${fit[@]}" --out other.json
    refuses 2 "MODEL and TABLE cannot both be standard input" predict - -
}

@test "other separators and a missing header are named" {
    tr , ';' <new.csv >pool.csv
    refuses 4 "the first line seems to be separated by semicolons: set the separator to ';' (--separator)" "${fit[@]}" --out other.json
    tr , '\t' <new.csv >tabs.csv
    refuses 4 "the first line seems to be separated by tabs: set the separator to tab (--separator)" predict model.json tabs.csv
    answers predict model.json tabs.csv --separator tab
    tr , '|' <new.csv >bars.csv
    refuses 4 "the first line seems to be separated by bars: set the separator to '|' (--separator)" predict model.json bars.csv
    refuses 4 "the first line seems to be separated by bars" predict model.json bars.csv --separator tab
    printf '.5,.5,set,yes\n' >headless.csv
    refuses 4 "the first line must hold the column names" predict model.json headless.csv
    [[ "$stderr" != *nearest* ]]
    sed 's/p_no/p_On/' new.csv >typo.csv
    refuses 4 'no column is named "p_no"; the nearest name is "p_On" (typo.csv)' predict model.json typo.csv
}

@test "a group that was not declared comes with those that were" {
    refuses 4 'the group is not in the declared list: pool.csv; --groups must name every group, but names only "F", " M"' \
        fit pool.csv --scores p_no,p_yes --sensitive sex --groups 'F," M"' --epsilon 1 --delta 1e-5 --out other.json
    sed 's/,M,/,X,/' new.csv >odd.csv
    refuses 4 "odd.csv; the model's groups are \"F\", \"M\"" predict model.json odd.csv
    sed 's/,yes$/,1/' new.csv >odd.csv
    refuses 4 "odd.csv; the model's classes are \"no\", \"yes\"" evaluate model.json odd.csv --label y
    local many
    many=$(seq -s, 100 200)
    refuses 4 '"102", ' fit pool.csv --scores p_no,p_yes --sensitive sex --groups "$many" --solver exact \
        --out other.json
    [[ "$stderr" == *", ... (row 1 is the first row after the header)" ]]
}

@test "a label that is a group or a score is refused" {
    refuses 2 "--label sex: the model uses that column as the person's group" \
        evaluate model.json new.csv --label sex
    refuses 2 "--label p_no: the model uses that column as a score" evaluate model.json new.csv --label p_no
}

@test "numbers of another solver are refused" {
    refuses 2 "--beta is only for --solver sgd or sgd-as-published, not for counts" \
        "${fit[@]}" --beta .1 --out model.json
    refuses 2 "--batch is only for" "${fit[@]}" --solver exact --batch 5 --out model.json
    refuses 2 "--group-least is only for --solver sgd-as-published, not for sgd" \
        "${fit[@]}" --solver sgd --group-least 5 --out model.json
}

@test "a model never takes the place of its ledger, however that is spelled" {
    answers "${fit[@]}" --ledger ledger.json --out other.json
    local before
    before=$(sha256sum ledger.json)
    ln -s ledger.json link.json
    refuses 2 "--out must not be the ledger" "${fit[@]}" --ledger ./ledger.json --out ledger.json
    refuses 2 "--out must not be the ledger" "${fit[@]}" --ledger ledger.json --out link.json
    [ "$(sha256sum ledger.json)" = "$before" ]
}

@test "a budget that refuses is named with its ledger" {
    refuses 3 "the budget is epsilon 0.5: people.json" "${fit[@]}" --ledger people.json --budget 0.5 --out other.json
    [ ! -e other.json ]
}

@test "a delta and a noise that are too large for so few people are warned of" {
    fits --epsilon 1 --delta 0.01 --out model.json
    says "CAUTION: delta is close to 1/N or above"
    fits --epsilon 1 --delta 0.01 --out model.json --json
    holds '.warnings | index("delta-large")'
    fits --epsilon 1e-6 --delta 1e-5 --out model.json --json
    holds '.warnings | index("epsilon-below-delta")'
    fits --solver exact --epsilon 1 --delta 1e-5 --out model.json --json
    holds '.warnings | index("epsilon-unused")'
    fits --epsilon 1 --delta 0.01 --out model.json
    answers certify model.json pool.csv --epsilon 1 --delta 0.01
    says "CAUTION: delta is close to 1/N or above"
    fits --epsilon 0.001 --delta 1e-5 --out model.json
    says "CAUTION: a group is too small for its noise"
    people 5000 1 >pool.csv
    fits --epsilon 1 --delta 1e-5 --scores-epsilon 1 --scores-delta 1e-6 --out model.json
    says "noise standard deviation" "on each count, in" "which may be published" \
        "It does not cover decisions"
    [[ "$output" != *CAUTION* ]]
    fits --epsilon 1 --delta 1e-5 --out model.json
    says "CAUTION: nobody stated the privacy cost of the model behind the scores"
}

@test "the noise of the rates is told, and what it means for small groups" {
    people 2000 1 >pool.csv
    fits "${private[@]}" --insecure-seed 1 --out m.json --json
    # The noise of a rate among n people is about 3.7/n at epsilon 1.
    holds '([.rate_noise, .shares] | transpose | all(.[0] * .[1] * 2000 | . > 3.6 and . < 4)) and .warnings == ["scores-origin-not-stated"]'
    answers show m.json --json
    holds '(.rule.rate_noise | length) == 2 and .rule.rate_noise[0] > 0'
    answers show m.json
    says "How well the rule could be learned" "noise of a rate"
    # At epsilon 0.1 the noise is about 40/n: 0.04 for groups of 1000 people.
    fits --epsilon 0.1 --delta 1e-5 --insecure-seed 1 --out m.json
    says "on the rates of the group" "CAUTION: the noise on the rates of a group may have a standard deviation of more than 0.025 (the exact value is unknown, since the size of the group is noisy too). If the rates of two groups differ by less than two standard deviations, decisions may be less fair with the rule than without it."
    answers show m.json --json
    holds '.warnings | index("rates-noisy")'
    [[ "$(<m.json)" != *rates-noisy* ]] # it follows from the rest of the file
    fits --epsilon 0.02 --delta 1e-5 --insecure-seed 1 --out m.json
    says "CAUTION: a group is too small for its noise, which moves the group's rates at random: with the rule, decisions may be less fair than without it."
    [[ "$output" != *"more than 0.025"* ]]
    fits --solver exact --out m.json --json
    holds 'has("rate_noise") | not'
}

@test "noise is not taken for ties" {
    people 2000 1 >pool.csv
    local seed
    for seed in 1 2 3 4 5; do
        fits "${private[@]}" --rows-per-person 1000 --insecure-seed $seed --out m.json --json
        holds '.warnings | index("ties") | not'
    done
}

@test "a model that makes things worse is said to" {
    answers evaluate model.json pool.csv
    [[ "$output" != *CAUTION* ]]
    sed 's/,F,/,X,/; s/,M,/,F,/; s/,X,/,M,/' pool.csv >swapped.csv
    answers evaluate model.json swapped.csv --label y
    says "CAUTION: unfairness is larger with the model" "error with the model: between"
}

@test "rows are not called people where a person has several" {
    fits --epsilon 1 --delta 1e-5 --rows-per-person 4 --out model.json
    says "learned from 400 rows"
    fits --epsilon 1 --delta 1e-5 --out model.json
    says "learned from 400 people"
}

@test "names of classes and groups are shown whole where they fit" {
    people 400 1 | sed 's/,F,/,first of all,/; s/,M,/,first of some,/' >pool.csv
    answers fit pool.csv --scores p_no,p_yes --classes "not invited yet,not invited ever" --sensitive sex \
        --groups "first of all,first of some" --solver exact --force --out model.json
    says "not invited yet not invited ever" "first of some "
    awk 'length > 80 { exit 1 }' <<<"$output"
    [[ "$output" != *-0.0000* ]]
}

@test "a file that may not grow ends with 1 and leaves nothing" {
    people 5000 3 >many.csv
    local code=0
    (ulimit -f 4 && exec "$DP2DP" predict model.json many.csv --out decisions.csv) 2>message || code=$?
    [ "$code" = 1 ]
    grep -q "cannot write" message
    [ ! -e decisions.csv ]
    [ "$(ls -A | grep -c tmp)" = 0 ]
}

@test "a run that is told to end leaves no temporary file" {
    mkfifo pipe
    exec 7<>pipe
    signalled TERM "has_begun decisions.csv" predict model.json pipe --out decisions.csv
    exec 7>&-
    [ "$code" = 143 ]
    [ ! -e decisions.csv ]
    [ "$(ls -A | grep -c tmp)" = 0 ]
}

@test "classes in another order than the columns that bear their names are refused" {
    refuses 2 "the column 'p_no' would be used as the scores of the class 'yes'; list the score columns and the names in the same order" \
        fit pool.csv "${unnamed[@]}" --classes yes,no "${private[@]}" --ledger l.json --out other.json
    [ ! -e l.json ] && [ ! -e other.json ]
    refuses 2 "the column 'p_no' would be used as the scores of the class 'yes'; list the score columns and the names in the same order" \
        sweep pool.csv "${unnamed[@]}" --classes yes,no --label y --rho 0 "${private[@]}" --ledger l.json --out sweep.csv
    [ ! -e l.json ] && [ ! -e sweep.csv ]
    refuses 2 "the column 'p_no' would be used as the scores of the class 'yes'" \
        sweep pool.csv "${unnamed[@]}" --classes yes,no --label y --rho 0 "${private[@]}" --dry-run
}

@test "score columns with the names of the groups are refused: groups and classes may be exchanged" {
    local exchanged="the score columns, such as 'p_no', have the names of groups, and none has the name of a class. Are groups and classes exchanged?"
    refuses 2 "$exchanged" fit pool.csv --scores p_no,p_yes --sensitive y --groups no,yes --classes F,M "${private[@]}" --ledger l.json --out other.json
    refuses 2 "$exchanged" fit pool.csv --scores p_no,p_yes --sensitive y --groups no,yes "${private[@]}" --dry-run
    [ ! -e l.json ] && [ ! -e other.json ]
}

@test "a number is one group, however it is written" {
    sed 's/,F,/,1.0,/; s/,M,/,2.0,/' pool.csv >numbers.csv
    refuses 2 "the names '1' and '1.0' are two spellings of one number; list only one of the two: rows may use either spelling" \
        fit numbers.csv --scores p_no,p_yes --sensitive sex --groups 1,1.0,2 "${private[@]}" --out other.json
    answers fit numbers.csv --scores p_no,p_yes --sensitive sex --groups 1,2 "${private[@]}" --out other.json
}

@test "a group that differs only in blanks or case is said to" {
    refuses 4 "; the text in the table differs from one of these names only in blanks or in upper and lower case" fit pool.csv --scores p_no,p_yes --sensitive sex \
        --groups f,m "${private[@]}" --out other.json
    refuses 4 "; the text in the table differs from one of these names only in blanks or in upper and lower case" fit pool.csv --scores p_no,p_yes --sensitive sex \
        --groups 'F," M"' "${private[@]}" --out other.json
    sed 's/,M,/,M ,/' pool.csv >blanks.csv
    refuses 4 "; the text in the table differs from one of these names only in blanks or in upper and lower case" fit blanks.csv "${scored[@]}" "${private[@]}" --out other.json
    refuses 2 "--groups has one name, but at least 2 are needed: separate the names with commas" fit pool.csv \
        --scores p_no,p_yes --sensitive sex --groups 'F;M' "${private[@]}" --out other.json
    refuses 2 "--scores has one name, but at least 2 are needed: separate the names with commas" fit pool.csv \
        --scores 'p_no|p_yes' --sensitive sex --groups F,M "${private[@]}" --out other.json
}

@test "columns of scores in another order than the model's are refused by every command that takes them" {
    local verb back=(--scores p_yes,p_no) named=(--scores q_yes,q_no)
    refuses 2 "the column 'p_yes' stands where the model has its column 'p_no'" export model.json --sql duckdb "${back[@]}"
    refuses 2 "the column 'q_yes' would be used as the scores of the class 'no'" export model.json --sql duckdb "${named[@]}"
    for verb in predict evaluate "certify --epsilon 1 --delta 1e-5 --ledger l.json"; do
        read -ra words <<<"$verb"
        refuses 2 "the column 'p_yes' stands where the model has its column 'p_no'" "${words[@]}" model.json new.csv "${back[@]}"
        refuses 2 "the column 'q_yes' would be used as the scores of the class 'no'" "${words[@]}" model.json new.csv "${named[@]}"
    done
    refuses 2 "the column 'p_yes' stands where the model has its column 'p_no'" \
        report model.json --test new.csv --label y --out r.html "${back[@]}"
    [ ! -e l.json ] && [ ! -e r.html ]
    sed '1s/p_no/q_no/; 1s/p_yes/q_yes/; 1s/sex/gender/' new.csv >renamed.csv
    answers predict model.json new.csv --out a.csv
    answers predict model.json renamed.csv --scores q_no,q_yes --sensitive gender --out b.csv
    cmp a.csv b.csv
}

@test "group scores in another order than the groups are refused by fit, and by every command with a model" {
    local verb unaware=(--unaware --group-scores)
    people 400 1 | awk -F, -v OFS=, 'NR == 1 { print $0, "p_F", "p_M" } NR > 1 { print $0, "0.5,0.5" }' >wide.csv
    refuses 2 "the column 'p_M' would be used as the scores of the group 'F'" \
        fit wide.csv "${scored[@]}" "${private[@]}" "${unaware[@]}" p_M,p_F --ledger l.json --out u.json
    answers fit wide.csv "${scored[@]}" "${private[@]}" "${unaware[@]}" p_F,p_M --out u.json
    for verb in predict evaluate "certify --epsilon 1 --delta 1e-5 --ledger l.json"; do
        read -ra words <<<"$verb"
        refuses 2 "the column 'p_M' stands where the model has its column 'p_F'" \
            "${words[@]}" u.json wide.csv --group-scores p_M,p_F
        refuses 2 "the column 'w_m' would be used as the scores of the group 'F'" "${words[@]}" u.json wide.csv --group-scores w_m,w_f
    done
    refuses 2 "the column 'p_M' stands where the model has its column 'p_F'" export u.json --sql duckdb --group-scores p_M,p_F
    refuses 2 "--sensitive is only for rules that see the group" predict u.json wide.csv --sensitive sex
    [ ! -e l.json ]
}

@test "a budget that forbids what is not private does not advise a smaller epsilon" {
    local never="no value of --epsilon helps: the result of this command is not private, and a ledger with a budget never allows that"
    answers fit pool.csv "${scored[@]}" "${private[@]}" --ledger l.json --budget 5 --out budgeted.json
    refuses 3 "$never" fit pool.csv "${scored[@]}" --solver exact --ledger l.json --out exact.json
    refuses 3 "$never" fit pool.csv "${scored[@]}" --epsilon inf --ledger l.json --out exact.json
    [[ "$stderr" != *"smaller --epsilon"* ]]
    refuses 3 "--dry-run shows what a smaller --epsilon would cost" \
        fit pool.csv "${scored[@]}" --epsilon 9 --delta 1e-5 --ledger l.json --out more.json
}

@test "the help of export says what SQLite needs" {
    answers export --help
    [[ "$(tr -s ' \n' ' ' <<<"$output")" == *"In SQLite, scores must be stored as numbers"* ]]
}

@test "a label that is the group is refused by certify too" {
    answers "${fit[@]}" --criterion equalized_odds --label y --out odds.json
    refuses 2 "--label sex: the model uses that column as the person's group, not as the true class" \
        certify odds.json new.csv "${private[@]}" --label sex
}

@test "an addition to a message is whole or not there" {
    local groups='North,South,East,West,Centre' long
    { echo "p_no,p_yes,region"; printf '0.5,0.5,%s\n' North ""; } >regions.csv
    for long in _ __________ _____________________________________________________________; do
        cp regions.csv "regions$long.csv"
        refuses 4 "the group is empty" fit "regions$long.csv" --scores p_no,p_yes --sensitive region --groups "$groups" \
            "${private[@]}" --out r.json
        [[ "$stderr" == *")" || "$stderr" == *'"' || "$stderr" == *" without values" ]]
    done
}

@test "a column of dates that the schema takes for numbers is answered with the role ignore" {
    printf 'day,sex,y\n2024-01-31,F,no\n' >dates.csv
    "$DP2DP" schema --columns 'day:0:10,sex:sensitive:F|M,y:label:no|yes' --out dates.json >/dev/null
    local advice='for a column of dates or texts, use the role "ignore" in the schema'
    refuses 4 "$advice" schema check dates.json dates.csv
    refuses 4 "$advice" train dates.csv --schema dates.json "${private[@]}" --out d.json
    sed '2s/,0\./,O./' pool.csv >letter.csv
    refuses 4 "not a number" predict model.json letter.csv
    [[ "$stderr" != *"$advice"* ]]
}

@test "a confidence that is probably its complement is noted" {
    separately "$DP2DP" evaluate model.json new.csv --confidence 0.05
    [ "$status" -eq 0 ]
    [ "$stderr" = "dp2dp evaluate: note: --confidence 0.05 is low: an interval misses the true value more often than not. Did you mean 0.95?" ]
    answers evaluate model.json new.csv --confidence 0.5
}

@test "a value that --missing made missing, a list with other separators and names for a number of groups" {
    awk -F, -v OFS=, 'NR == 3 { $2 = 0; $3 = 1 } 1' pool.csv >zero.csv
    refuses 4 "a text in --missing counts as missing in every column" fit zero.csv "${scored[@]}" "${private[@]}" \
        --missing 0 --out x.json
    refuses 2 "separate several values with commas and no spaces" sweep pool.csv "${scored[@]}" --label y \
        --epsilon '0.5;1;2' --delta 1e-5 --out x.csv
    refuses 2 "the option takes one whole number" synth --groups woman,man --out x.csv
}
