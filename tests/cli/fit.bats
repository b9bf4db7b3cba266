#!/usr/bin/env bats
# `dp2dp fit`: a model from scores and groups, its privacy cost, and budgets that refuse it.
load helpers

@test "a fit writes a model and says what it promises" {
    people 2000 1 >pool.csv
    fits "${private[@]}" --rho 0.02 --out model.json --json
    holds '.model == "model.json" and .solver == "counts" and .rho == 0.02 and .delta == 1e-5'
    holds '.epsilon <= 1 and .epsilon > 0.99 and .private and .leaks == [] and .adjacency == "replace-one"'
    holds '.records == 2000 and .groups == ["F","M"] and .classes == ["no","yes"] and .ledger == null'
    holds '(.offsets | length) == 2 and (.offsets[0] | length) == 2 and (.shares | add) > 0.999'
    holds '.offsets[0][1] < 0 and .offsets[1][1] > 0' # F is lifted, M is lowered
    fits "${private[@]}" --out model.json
    says "Fair rule, written to model.json" "2000 people in 2 groups" "replaced by any other" "What it means"
    [[ "$output" != *"NOT PRIVATE"* ]]
}

@test "the model is a file of its own: it can be re-accounted" {
    people 2000 1 >pool.csv
    fits "${private[@]}" --out model.json --json
    local epsilon
    epsilon=$(jq .epsilon <<<"$output")
    answers account model.json --json
    holds ".model == \"model.json\" and .epsilon == $epsilon and .delta == 1e-5 and .private and .leaks == []"
    holds '(.entries | length) == 2 and all(.entries[]; .rng == "secure")'
    answers account model.json --delta 1e-3 --json
    holds ".epsilon < $epsilon"
    answers account model.json
    says "Privacy spent by model.json" "What it means"
    head -c 300 model.json >cut.json
    refuses 4 "" account cut.json
}

@test "the same seed gives the same model, whatever the number of threads" {
    people 3000 1 >pool.csv
    local threads
    for threads in 1 2 5; do
        fits "${private[@]}" --insecure-seed 7 --threads "$threads" --out "model$threads.json"
    done
    cmp model1.json model2.json
    cmp model1.json model5.json
    fits "${private[@]}" --insecure-seed 8 --out other.json
    differ model1.json other.json
}

@test "without a seed two fits differ" {
    people 500 1 >pool.csv
    fits "${private[@]}" --out one.json
    fits "${private[@]}" --out two.json
    [ "$(jq -c .. one.json)" != "$(jq -c .. two.json)" ]
}

@test "what is not private says so, loudly, in text, JSON and file" {
    people 500 1 >pool.csv
    local word options
    while IFS='|' read -r word options; do
        # shellcheck disable=SC2086
        fits $options --out model.json --json
        holds ".private == false and (.leaks | index(\"$word\")) != null"
        # shellcheck disable=SC2086
        fits $options --out model.json
        says "NOT PRIVATE"
        [[ "$output" != *"What it means"* ]]
        answers account model.json --json
        holds ".private == false and (.leaks | index(\"$word\")) != null"
        answers account model.json
        says "NOT PRIVATE"
    done <<'END'
insecure-noise|--epsilon 1 --delta 1e-5 --insecure-seed 1
no-noise|--epsilon inf
no-noise|--solver exact
scores-from-pool|--epsilon 1 --delta 1e-5 --scores-from-pool
END
}

@test "a model without noise has no epsilon, though its ledger is empty" {
    people 500 1 >pool.csv
    fits --solver exact --out model.json --json
    holds '.epsilon == null and .optimality.dual >= .optimality.primal - 1e-9'
    answers account model.json --json
    holds '.epsilon == null'
    fits --epsilon inf --out model.json --json
    holds '.epsilon == null and .optimality == null'
}

@test "with the noise off, counts comes close to exact" {
    people 4000 1 >pool.csv
    fits --solver exact --out exact.json
    fits --epsilon inf --out counts.json
    answers evaluate counts.json pool.csv --json
    holds '.unfairness < 0.02 and .unfair.unfairness > 0.3'
    answers evaluate exact.json pool.csv --json
    holds '.unfairness < 0.01'
}

@test "the answer says which score column is for which class, and which group score for which group" {
    people 200 1 >pool.csv
    answers fit pool.csv "${scored[@]}" "${private[@]}" --out model.json
    says "scores p_no is the score of no, p_yes is the score of yes"
    awk -F, -v OFS=, 'NR == 1 { print $0, "f,m"; next } { p = $4 == "F" ? .8 : .3; print $0, p, 1 - p }' pool.csv >weighed.csv
    separately "$DP2DP" fit weighed.csv "${scored[@]}" --unaware --group-scores f,m "${private[@]}" --out unaware.json
    says "group scores f is the score of F, m is the score of M"
}

@test "the budget must be chosen" {
    people 10 1 >pool.csv
    local fit=(fit pool.csv "${unnamed[@]}" --out model.json)
    refuses 2 "--epsilon E is needed" "${fit[@]}"
    refuses 2 "--delta D is needed" "${fit[@]}" --epsilon 1
    refuses 2 "--epsilon 0 is not above its bound 0" "${fit[@]}" --epsilon 0 --delta 1e-5
    refuses 2 "--delta 0 is not above its bound 0" "${fit[@]}" --epsilon 1 --delta 0
    refuses 2 "--delta 1 is not below its bound 1" "${fit[@]}" --epsilon 1 --delta 1
    refuses 2 "--epsilon -1 is not above its bound 0" "${fit[@]}" --epsilon=-1 --delta 1e-5
    refuses 2 "--epsilon 'nan' is not a finite decimal number or inf" "${fit[@]}" --epsilon nan
    refuses 2 "--rho -0.1 is below its bound 0" "${fit[@]}" "${private[@]}" --rho=-0.1
    refuses 2 "--rho 'inf' is not a finite" "${fit[@]}" "${private[@]}" --rho inf
    refuses 2 "--budget needs --ledger FILE" "${fit[@]}" "${private[@]}" --budget 1
    refuses 2 "--note needs --ledger FILE" "${fit[@]}" "${private[@]}" --note text
    refuses 2 "--new-ledger needs --ledger FILE" "${fit[@]}" "${private[@]}" --new-ledger
    refuses 2 "--scores-id needs --scores-epsilon" "${fit[@]}" "${private[@]}" --scores-id "$(printf 'a%.0s' {1..32})"
    refuses 2 "--out must not be the ledger" "${fit[@]}" "${private[@]}" --ledger model.json
    refuses 2 "--out must not be the ledger" "${fit[@]}" "${private[@]}" --ledger ./model.json
    refuses 2 "--out must not be the ledger" "${fit[@]}" "${private[@]}" --ledger "../${PWD##*/}/model.json"
    refuses 2 "--dither-seed needs --dither" "${fit[@]}" "${private[@]}" --dither-seed 1
    [ "$(ls -A)" = pool.csv ]
}

@test "a shared ledger refuses what its budget does not allow, before any noise" {
    people 1000 1 >pool.csv
    local fit=(fit pool.csv "${unnamed[@]}" "${private[@]}" --ledger pool.ledger.json)
    answers "${fit[@]}" --budget 1.2 --out one.json --json
    holds '.ledger.file == "pool.ledger.json" and .ledger.budget == 1.2 and .ledger.spent <= 1'
    local before
    before=$(sha256sum pool.ledger.json)
    refuses 3 "" "${fit[@]}" --budget 1.2 --out two.json
    refuses 3 "" "${fit[@]}" --out two.json
    [ "$before" = "$(sha256sum pool.ledger.json)" ]
    [ ! -e two.json ]
    # A budget can only be lowered, and the refusal shows the one that is stored.
    refuses 2 "the ledger already has a budget of epsilon 1.2 at delta 1e-05" "${fit[@]}" --budget 5 --out two.json
    answers account pool.ledger.json --json
    holds '.budget.epsilon == 1.2 and [.entries[].kind] == ["budget", "charge", "charge", "published"]'
}

@test "control characters of a path do not reach the terminal" {
    people 100 1 >pool.csv
    fits "${private[@]}" --ledger $'l\033[2J.json' --out $'m\033[2J.json'
    [[ "$output" != *$'\033'* ]]
    says "m?[2J.json" "l?[2J.json"
}

@test "a budget too small for any release is refused" {
    people 100 1 >pool.csv
    refuses 3 "" fit pool.csv "${unnamed[@]}" --epsilon 1e-300 --delta 1e-300 --out model.json
    refuses 3 "" fit pool.csv "${unnamed[@]}" "${private[@]}" --ledger l.json --budget 0.5 --out model.json
    [ ! -e model.json ]
}

@test "nothing is spent where the model could not be kept" {
    people 100 1 >pool.csv
    mkdir folder
    local fit=(fit pool.csv "${unnamed[@]}" "${private[@]}" --ledger l.json)
    refuses 1 "absent/model.json" "${fit[@]}" --out absent/model.json
    refuses 1 "Is a directory" "${fit[@]}" --out folder
    refuses 2 "--out would overwrite an input: pool.csv" "${fit[@]}" --out pool.csv
    ln pool.csv twin.csv
    refuses 2 "--out would overwrite an input" "${fit[@]}" --out twin.csv
    [ ! -e l.json ]
    if [ "$(id -u)" -ne 0 ]; then
        mkdir closed && chmod a-w closed
        refuses 1 "Permission denied" "${fit[@]}" --out closed/model.json
        [ ! -e l.json ]
    fi
}

@test "an interrupt cancels a fit: 130, no model, no leftover, what was charged stays charged" {
    people 3000 1 >pool.csv
    echo old >model.json
    # The ledger has this entry once it is charged: the first step is under way.
    signalled INT "grep -qs decision.counts l.json" fit pool.csv "${unnamed[@]}" "${private[@]}" --steps 1000000 \
        --ledger l.json --threads 1 --force --out model.json
    [ "$code" = 130 ]
    grep -q "interrupted: no model was written; what was charged to l.json stays charged" ../message
    [ "$(cat model.json)" = old ]
    [ "$(ls -A | grep -c tmp)" = 0 ]
    answers account l.json --delta 1e-5 --json
    holds '.epsilon > 0.9'
}

@test "an interrupt without a ledger has nothing to say about one" {
    people 3000 1 >pool.csv
    interrupted "dp2dp fit: interrupted: no model was written" fit pool.csv "${unnamed[@]}" "${private[@]}" \
        --steps 1000000 --threads 1 --out model.json
    [ "$code" -eq 130 ]
    [ ! -e model.json ]
}

@test "a model on standard output is the model and nothing else" {
    people 100 1 >pool.csv
    fits "${private[@]}" --out - --json
    printf '%s\n' "$output" >model.json
    answers predict model.json pool.csv
    [ "$(wc -l <<<"$output")" -eq 101 ]
}

@test "classes are 0, 1, ... unless they have names" {
    people 100 1 >pool.csv
    answers fit pool.csv "${unnamed[@]}" "${private[@]}" --out model.json --json
    holds '.classes == ["0","1"]'
    answers predict model.json pool.csv
    [[ "$(sed -n 2p <<<"$output")" =~ ^[01]$ ]]
}

@test "names may have commas, quotes and blanks" {
    people 100 1 | sed '1s/.*/id,"no, sorry","say ""yes""",the sex,y/; s/,F,/,"F, f",/' >pool.csv
    answers fit pool.csv --scores '"no, sorry","say ""yes"""' --sensitive 'the sex' --groups '"F, f",M' \
        --classes '"no, sorry","a ""b"""' --solver exact --out model.json --json
    holds '.groups == ["F, f","M"] and .classes == ["no, sorry","a \"b\""]'
    answers predict model.json pool.csv
    [ "$(tail -n +2 <<<"$output" | sort -u)" = "$(printf '"a ""b"""\n"no, sorry"')" ]
    answers predict model.json pool.csv --adjusted
    [ "$(head -n 1 <<<"$output")" = '"no, sorry","a ""b"""' ]
}

@test "lists are checked" {
    people 10 1 >pool.csv
    local fit=(fit pool.csv --sensitive sex "${private[@]}" --out model.json)
    refuses 2 "--scores has one name" "${fit[@]}" --groups F,M --scores p_no
    refuses 2 "--groups has one name" "${fit[@]}" --groups F --scores p_no,p_yes
    refuses 2 "--groups: 'F' is given twice" "${fit[@]}" --groups F,M,F --scores p_no,p_yes
    refuses 2 "--scores: 'p_no' is given twice" "${fit[@]}" --groups F,M --scores p_no,p_no
    refuses 2 "--classes: 'a' is given twice" "${fit[@]}" --groups F,M --scores p_no,p_yes --classes a,a
    refuses 2 "--classes has 3 names but --scores has 2" "${fit[@]}" --groups F,M --scores p_no,p_yes --classes a,b,c
    refuses 2 "--groups: name 2 is empty" "${fit[@]}" --groups F, --scores p_no,p_yes
    refuses 2 "--groups: name 1 is empty" "${fit[@]}" --groups ,F --scores p_no,p_yes
    refuses 2 "--groups: name 1 has a misplaced or unclosed quote" "${fit[@]}" --groups '"F,M' --scores p_no,p_yes
    refuses 2 "--groups: name 2 has a misplaced or unclosed quote" "${fit[@]}" --groups 'F,M"' --scores p_no,p_yes
    refuses 2 "--groups: name 1 has a misplaced or unclosed quote" "${fit[@]}" --groups '"F"M,F' --scores p_no,p_yes
    refuses 2 "the column is in --scores too" "${fit[@]}" --groups F,M --scores p_no,sex
    refuses 2 "--scores p0,p1,... is needed" "${fit[@]}" --groups F,M
    refuses 2 "TABLE is missing" fit --groups F,M
    refuses 2 "only one TABLE is allowed: unexpected argument 'more.csv'" fit pool.csv more.csv
}

@test "every number of the library's table is an option" {
    people 200 1 >pool.csv
    fits "${private[@]}" --steps 10 --share-budget 0.1 --share-floor 0.01 --step-size 0.5 --tail 0.25 \
        --offset-max 1 --rows-per-person 3 --out model.json --json
    holds '.rows_per_person == 3'
    answers account model.json --json
    holds '.entries[1].steps == 10 and all(.entries[]; .rows_per_person == 3)'
    if [ -n "${DP2DP_SOURCE_DIR:-}" ]; then
        local name names
        names=$(library_options dp2dp_fit_options)
        [ "$(wc -w <<<"$names")" -ge 16 ]
        answers fit --help
        for name in $names; do
            says "--${name//_/-} "
        done
    fi
    refuses 2 "--tail 1.5 is above its bound 1" fit pool.csv --tail 1.5
    refuses 2 "--steps 0.5 is not a whole number" fit pool.csv --steps 0.5
}

@test "scores that tie can be dithered, in the fit and in predict alike" {
    { echo p_no,p_yes,sex; for i in {1..300}; do echo .5,.5,F; echo .4,.6,M; done; } >pool.csv
    fits --epsilon inf --dither 0.5 --dither-seed 3 --out model.json
    answers predict model.json pool.csv
    [ "$(tail -n +2 <<<"$output" | sort -u | wc -l)" -eq 2 ]
    repeats predict model.json pool.csv
}

@test "a numpy file has columns 0, 1, ..." {
    # Two rows of float64: .25 .75 0 and .75 .25 1.
    {
        printf '\x93NUMPY\x01\x00\x76\x00'
        printf '%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"
        printf '\0\0\0\0\0\0\xd0\x3f\0\0\0\0\0\0\xe8\x3f\0\0\0\0\0\0\0\0'
        printf '\0\0\0\0\0\0\xe8\x3f\0\0\0\0\0\0\xd0\x3f\0\0\0\0\0\0\xf0\x3f'
    } >pool.npy
    answers fit pool.npy --scores 0,1 --sensitive 2 --groups 0,1 --solver exact --rho 1 --out model.json
    answers predict model.json pool.npy
    [ "$output" = "$(printf 'prediction\n1\n0')" ]
}

@test "scores may come from standard input" {
    people 100 1 >pool.csv
    "$DP2DP" fit - "${unnamed[@]}" --solver exact --out piped.json <pool.csv >/dev/null
    fits --solver exact --out model.json
    [ "$("$DP2DP" predict model.json - <pool.csv | sed 's/no/0/; s/yes/1/')" = "$("$DP2DP" predict piped.json pool.csv)" ]
}

@test "a small group is named only if the noise does not hide which group it is" {
    local noise="The noise hides which group is the smallest: a larger epsilon or more people are needed."
    people 400 1 >pool.csv
    fits --epsilon 0.01 --delta 1e-5 --out hidden.json
    says "a group is too small for its noise" "$noise" "and hides which group this is"
    [[ "$output" != *"The smallest group is"* && "$output" != *"rows per person, the noise"* ]]
    fits --epsilon 0.01 --delta 1e-5 --rows-per-person 3 --out hidden.json
    says "$noise" "With up to 3 rows per person, the noise is 3 times as large as with one."
    # Nobody has the group X: its count is far below the others.
    people 4000 1 >pool.csv
    answers fit pool.csv --scores p_no,p_yes --sensitive sex --groups F,M,X --classes no,yes "${private[@]}" --out named.json
    says "The smallest group is X. If this group should not be small, compare its name"
    # Nobody has the groups X and Y, and the noise hides which of the two has fewer people.
    answers fit pool.csv --scores p_no,p_yes --sensitive sex --groups F,M,X,Y --classes no,yes "${private[@]}" --out both.json
    says "The noise hides which group is the smallest. If no group should be small, compare the list of groups with the values in the table."
}
