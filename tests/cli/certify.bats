#!/usr/bin/env bats
# `dp2dp certify`: a private upper bound on unfairness, charged before it is drawn, and its file.
load helpers

begin() {
    people 4000 1 >pool.csv
    people 4000 2 >held.csv
    fits --solver exact --out model.json
}

@test "the bound is above what is measured, and not far above" {
    answers evaluate model.json held.csv --json
    local unfairness
    unfairness=$(jq .unfairness <<<"$output")
    answers certify model.json held.csv "${private[@]}" --confidence 0.95 --insecure-seed 1 --json
    holds ".unfairness_upper > $unfairness and .unfairness_upper < $unfairness + 0.1"
    holds '.unfairness_upper_strict >= .unfairness_upper and .confidence == 0.95'
    holds '.epsilon <= 1 and .epsilon > 0.99 and .delta == 1e-5 and .group_too_small == false'
    holds '.table | flatten | add | . > 3900 and . < 4100'
    local upper
    upper=$(jq .unfairness_upper <<<"$output")
    answers certify model.json held.csv "${private[@]}" --confidence 0.999 --insecure-seed 1 --json
    holds ".unfairness_upper > $upper"
}

@test "an unfair model gets an honest bound" {
    fits --solver exact --rho 1 --out plain.json
    answers certify plain.json held.csv "${private[@]}" --json
    holds '.unfairness_upper > 0.35'
}

@test "the noise is secret unless a seed is given, which is said" {
    answers certify model.json held.csv "${private[@]}" --json
    holds '.private and .ledger == null and (.entries | length) == 1 and .entries[0].rng == "secure"'
    local table
    table=$(jq -c .table <<<"$output")
    answers certify model.json held.csv "${private[@]}" --json
    [ "$(jq -c .table <<<"$output")" != "$table" ]
    answers certify model.json held.csv "${private[@]}" --insecure-seed 4 --json
    holds '.private == false'
    # All but the time of the ledger entry, and the hash over it, repeats.
    local all='del(.entries[].time, .entries[].hash)' first
    first=$(jq -c "$all" <<<"$output")
    answers certify model.json held.csv "${private[@]}" --insecure-seed 4 --json
    [ "$(jq -c "$all" <<<"$output")" = "$first" ]
    answers certify model.json held.csv "${private[@]}" --insecure-seed 4
    says "NOT PRIVATE"
    answers certify model.json held.csv "${private[@]}"
    says "Unfairness is at most" "with confidence 0.95" "What it means"
    [[ "$output" != *"NOT PRIVATE"* ]]
}

@test "a ledger is charged, and refuses when it is spent" {
    answers certify model.json held.csv "${private[@]}" --ledger held.ledger.json --budget 1 --json
    holds '.ledger.file == "held.ledger.json" and .ledger.budget == 1 and .ledger.spent == .epsilon'
    local before
    before=$(sha256sum held.ledger.json)
    refuses 3 "" certify model.json held.csv "${private[@]}" --ledger held.ledger.json
    [ "$before" = "$(sha256sum held.ledger.json)" ]
    answers account held.ledger.json --json
    holds '[.entries[] | select(.kind == "charge")] | length == 1 and .[0].label == "certificate"'
    refuses 2 "--budget needs --ledger FILE" certify model.json held.csv "${private[@]}" --budget 1
}

@test "people have as many rows as the model was made for" {
    answers certify model.json held.csv "${private[@]}" --json
    holds '.rows_per_person == 1'
    local sigma
    sigma=$(jq .sigma <<<"$output")
    fits "${private[@]}" --rows-per-person 3 --out three.json
    answers certify three.json held.csv "${private[@]}" --json
    holds ".rows_per_person == 3 and (.sigma - 3 * $sigma | fabs) < 1e-6 * $sigma"
    holds '.entries[0].rows_per_person == 3'
    answers certify three.json held.csv "${private[@]}"
    says "at most 3"
}

@test "costs add up unless people have names" {
    answers certify model.json held.csv "${private[@]}" --ledger l.json --json
    local once
    once=$(jq .epsilon <<<"$output")
    answers certify model.json held.csv "${private[@]}" --ledger l.json --json
    holds ".ledger.spent > 1.3 * $once and .people == null"
    answers certify model.json held.csv "${private[@]}" --ledger n.json --people visitors --note "first visit" --json
    holds '.people == "visitors"'
    answers certify model.json held.csv "${private[@]}" --ledger n.json --people staff --json
    holds ".ledger.spent < 1.0001 * $once"
    grep -q '"note":"first visit"' n.json
}

@test "people that the model was made from are charged and give rates, but no bound" {
    answers certify model.json pool.csv "${private[@]}" --same-people --ledger l.json --out c.json --json
    holds '.held_out == false and .unfairness_upper == null and .unfairness_upper_strict == null and .quote == null'
    holds '(.rates | length) == 2 and (.rates[0] | add) > 0.999'
    holds '.epsilon <= 1 and .ledger.exposed and .ledger.spent == null' # the model shows them without noise
    output=$(<c.json)
    holds '.held_out == false and .unfairness_upper == null and .unfairness_upper_strict == null and .quote == null'
    answers verify c.json l.json
    answers certify model.json pool.csv "${private[@]}" --same-people
    says "No bound on unfairness" "Rates, from these counts" "nothing follows about the population"
    [[ "$output" != *"at most 0"* ]]
    refuses 2 "--at-most cannot be used with --same-people" certify model.json pool.csv "${private[@]}" --same-people --at-most 0.1 \
        --ledger l2.json
    [ ! -e l2.json ]
}

@test "a bound says whom it takes these people not to be" {
    answers certify model.json pool.csv "${private[@]}"
    says "(this table has exactly as many people as the rule was learned from: check that they are different people); otherwise use --same-people"
    head -3001 held.csv >fewer.csv
    answers certify model.json fewer.csv "${private[@]}"
    says "assumes" "that nobody in this table was among the people the model was learned from; otherwise use --same-people"
    answers certify model.json held.csv "${private[@]}" --json
    holds '.held_out and .assumption == "that nobody in this table was among the people the model was learned from"'
    answers certify model.json held.csv "${private[@]}" --same-people --json
    holds '.assumption == null'
}

@test "a certificate says how many rows it takes a person to have" {
    answers certify model.json held.csv "${private[@]}"
    says "assumes one row per person; otherwise make the model with --rows-per-person"
    answers certify model.json held.csv "${private[@]}" --same-people --json
    holds '.rows_assumption == "one row per person; otherwise make the model with --rows-per-person"'
    fits --rows-per-person 2 "${private[@]}" --out two.json
    answers certify two.json held.csv "${private[@]}"
    says "assumes that nobody has more than 2 rows"
}

@test "a certificate is a file that says what it rests on" {
    answers certify model.json held.csv "${private[@]}" --ledger l.json --out c.json --insecure-seed 3 --json
    local printed=$output checksum
    holds '.certificate == "c.json" and .quote == "unfairness_upper_strict" and .records == 4000'
    checksum=$(jq .checksum model.json)
    output=$(<c.json)
    holds ".format == \"dp2dp-certificate\" and .version == {major: 1, minor: 0} and .model_checksum == $checksum"
    holds '.records == 4000 and .groups == ["F", "M"] and .classes == ["no", "yes"] and .held_out'
    holds '.quote == "unfairness_upper_strict" and .cost.rng == "insecure" and .cost.insecure_seed == "3"'
    holds '.ledger.kind == "model" and (.ledger.entries | length) == 1 and .ledger.entries[0].role == "certificate"'
    jq -e --argjson printed "$printed" '.unfairness_upper_strict == $printed.unfairness_upper_strict and
        .table == $printed.table and .release_id == $printed.release_id' c.json
    # The ledger names the file, and the file cites the ledger.
    jq -e --slurpfile c c.json '(.entries[0].hash == $c[0].ledger_hash) and .entries[1].entry == "published" and
        .entries[1].checksum == $c[0].checksum and .entries[1].release_id == $c[0].release_id' l.json
    # Its checksum is the SHA-256 of the other lines.
    [ "$(grep -v '^  "checksum"' c.json | sha256sum | cut -c 1-64)" = "$(jq -r .checksum c.json)" ]
}

@test "without a ledger the file depends only on the seed" {
    answers certify model.json held.csv "${private[@]}" --insecure-seed 3 --out a.json
    says "certificate written to a.json"
    answers certify model.json held.csv "${private[@]}" --insecure-seed 3 --out b.json
    cmp a.json b.json
    [ "$(jq .ledger_hash a.json)" = null ]
    answers certify model.json held.csv "${private[@]}" --insecure-seed 3 --out -
    [ "$output" = "$(<a.json)" ]
    refuses 2 "--json needs --out FILE" certify model.json held.csv "${private[@]}" --out - --json
}

@test "a file that cannot be written costs nothing" {
    answers certify model.json held.csv "${private[@]}" --out c.json
    refuses 2 "the file exists already: c.json; --force replaces it" certify model.json held.csv "${private[@]}" \
        --ledger l.json --out c.json
    refuses 2 "would overwrite an input" certify model.json held.csv "${private[@]}" --ledger l.json \
        --out model.json --force
    refuses 1 "create the folder of this file first" certify model.json held.csv "${private[@]}" --ledger l.json --out none/c.json
    refuses 2 "--out must not be the ledger" certify model.json held.csv "${private[@]}" --ledger l.json --out l.json
    [ ! -e l.json ]
    answers certify model.json held.csv "${private[@]}" --out c.json --force
}

@test "of several commands that write one certificate, one is charged" {
    local i
    for i in 1 2 3 4; do
        "$DP2DP" certify model.json held.csv "${private[@]}" --ledger l.json --out c.json \
            >"out$i" 2>"message$i" 3>&- 7>&- && echo "$i" >>done &
    done
    wait
    [ "$(wc -l <done)" -eq 1 ]
    [ "$(grep -c '"entry":"charge"' l.json)" -eq 1 ]
    answers verify l.json c.json
}

@test "the first number is the one to quote" {
    local strict bound
    answers certify model.json held.csv "${private[@]}" --insecure-seed 1 --json
    strict=$(jq -r '.unfairness_upper_strict' <<<"$output")
    answers certify model.json held.csv "${private[@]}" --insecure-seed 1
    bound=$(sed -nE 's/.*nfairness is at most ([0-9.]+), with confidence 0.95.*/\1/p' <<<"$output")
    jq -en --argjson strict "$strict" --argjson bound "$bound" '$bound >= $strict and $bound < $strict * 1.01 + 0.0001'
    says "strict the bound above holds for any sample size (no approximation); quote this bound approximate at most"
}

@test "a bound that is one of several of a ledger says that its confidence is its own" {
    local again=(certify model.json held.csv --epsilon .3 --delta 1e-5 --ledger l.json)
    answers "${again[@]}"
    [[ "$output" != *"for this bound alone"* ]]
    answers "${again[@]}"
    says "confidence holds for this bound alone: the ledger has 1 other certificate. Do not state this confidence for all of them together"
    answers "${again[@]}" --json
    holds '.other_certificates == 2'
    answers "${again[@]}" --same-people --json
    holds 'has("other_certificates") | not'
}

@test "a bound above the limit has an exit code of its own" {
    separately "$DP2DP" certify model.json held.csv "${private[@]}" --at-most 0.01 --ledger l.json --out c.json --json
    [ "$status" -eq 5 ]
    [[ "$stderr" == *"is above --at-most 0.01"* ]]
    holds '.at_most == 0.01 and .met == false and .unfairness_upper_strict > 0.01'
    answers verify c.json l.json model.json # written and charged all the same
    separately "$DP2DP" certify model.json held.csv "${private[@]}" --at-most 0.01
    [ "$status" -eq 5 ]
    says "asked for at most 0.01: NOT MET by the strict bound"
    # The limit is for the bound to quote: here it lies between the two.
    answers certify model.json held.csv "${private[@]}" --insecure-seed 1 --json
    local between
    between=$(jq '(.unfairness_upper + .unfairness_upper_strict) / 2' <<<"$output")
    separately "$DP2DP" certify model.json held.csv "${private[@]}" --insecure-seed 1 --at-most "$between"
    [ "$status" -eq 5 ]
    answers certify model.json held.csv "${private[@]}" --at-most 1 --json
    holds '.at_most == 1 and .met'
    refuses 2 "--at-most 2" certify model.json held.csv "${private[@]}" --at-most 2
}

@test "a group that the noise hides gives the bound 1, and says why" {
    { head -n 1 held.csv; grep ,M, held.csv; grep ,F, held.csv | head -n 5; } >few.csv
    answers certify model.json few.csv "${private[@]}" --insecure-seed 1 --json
    holds '.unfairness_upper == 1 and .group_too_small'
    answers certify model.json few.csv "${private[@]}" --insecure-seed 1
    says "too small the noise hides a group, so nothing is known about that group"
}

@test "the budget must be chosen, and bad rows are refused before it is spent" {
    refuses 2 "--epsilon E is needed" certify model.json held.csv --delta 1e-5
    refuses 2 "--delta D is needed" certify model.json held.csv --epsilon 1
    refuses 2 "--confidence 0.4 is below its bound 0.5" certify model.json held.csv "${private[@]}" --confidence 0.4
    sed '11s/,0\./,9./' held.csv >odd.csv
    refuses 4 "row 10" certify model.json odd.csv "${private[@]}" --ledger l.json
    [ ! -e l.json ]
}

@test "a table without one group meets no limit" {
    grep -v ',M,' held.csv >half.csv
    separately "$DP2DP" certify model.json half.csv "${private[@]}" --at-most 0.9 --json
    [ "$status" -eq 5 ]
    holds '.group_too_small and .unfairness_upper == 1 and .unfairness_upper_strict == 1 and .met == false'
    separately "$DP2DP" certify model.json half.csv "${private[@]}" --at-most 0.9
    [ "$status" -eq 5 ]
    says "Unfairness is at most 1," "the noise hides a group" "NOT MET"
}

@test "as many people as the model was made from have a word in JSON" {
    answers certify model.json pool.csv "${private[@]}" --json
    holds '.warnings == ["as-many-people"]'
    answers certify model.json pool.csv "${private[@]}" --same-people --json
    holds '.warnings == []'
    answers certify model.json pool.csv "${private[@]}" --dry-run --json
    holds '.warnings == ["as-many-people"]'
    head -3001 held.csv >fewer.csv
    answers certify model.json fewer.csv "${private[@]}" --out c.json --json
    holds '.warnings == []'
    answers certify model.json pool.csv "${private[@]}" --out c.json --force # the file has words that it proves
    [ "$(jq -c .warnings c.json)" = "[]" ]
    answers verify c.json model.json
}

@test "with several rows for a person there is no strict bound, which is said before anything is charged" {
    fits "${private[@]}" --rows-per-person 3 --out three.json
    head -3001 held.csv >fewer.csv
    refuses 2 "--at-most 0.9 cannot be met: the model was made for up to 3 rows per person" \
        certify three.json fewer.csv "${private[@]}" --at-most 0.9 --ledger l.json
    [ ! -e l.json ]
    refuses 2 "--at-most 0.9 cannot be met" certify three.json fewer.csv "${private[@]}" --at-most 0.9 --dry-run
    answers certify three.json fewer.csv "${private[@]}" --dry-run
    says "no strict bound is proven for that case"
    answers certify three.json fewer.csv "${private[@]}" --at-most 1 --json
    holds '.met and .unfairness_upper_strict == 1 and .unfairness_upper < 1 and .warnings == ["no-strict-bound"]'
    answers certify three.json fewer.csv "${private[@]}" --out c.json
    says "strict no bound below 1: the model was made for up to 3 rows per person"
    [[ "$output" != *"quote this bound"* ]]
    answers verify c.json three.json
    refuses 2 "unknown option --rows-per-person; the model already has this number" certify three.json fewer.csv \
        "${private[@]}" --rows-per-person 1
}

@test "a limit that looks like a percentage is guessed" {
    refuses 2 "--at-most 5 is above its bound 1 (between 0 and 1); did you mean 0.05?" \
        certify model.json held.csv "${private[@]}" --at-most 5
}

@test "people by a name that the model knows need --same-people" {
    fits "${private[@]}" --people june --ledger l.json --out named.json
    refuses 2 "with this name, so use --same-people" certify named.json held.csv "${private[@]}" --people june
}

@test "a bound that so few people cannot give is told before the charge" {
    local caution="CAUTION: --at-most 0.05 is out of reach. With 300 people, this epsilon and this confidence, the strict bound is about"
    people 4000 1 >pool.csv
    people 300 2 >few.csv
    people 5000 3 >many.csv
    fits "${private[@]}" --insecure-seed 1 --out m.json
    answers certify m.json few.csv --at-most 0.05 "${private[@]}" --dry-run
    says "$caution 0.1" "at least about 960 people (often many more), or a larger epsilon"
    answers certify m.json few.csv --at-most 0.05 "${private[@]}" --dry-run --json
    holds '.unfairness_least > 0.1 and .unfairness_least < 0.2'
    separately "$DP2DP" certify m.json few.csv --at-most 0.05 "${private[@]}" --insecure-seed 1 --bad-rows ignore
    [[ "$status" = 5 && "$stderr" == "$caution"* ]] # it is about public numbers only
    says "NOT MET by the strict bound" "too few" "So NOT MET does not mean that the rule is unfair"
    separately "$DP2DP" certify m.json few.csv --at-most 0.05 "${private[@]}" --insecure-seed 1 --json
    jq -e '.status == "not-met"' <<<"$stderr" # and nothing else is there
    # What is in reach gets no caution, and a rule that is unfair no excuse.
    answers certify m.json many.csv --at-most 0.2 "${private[@]}" --insecure-seed 1 --json
    holds '.met and .unfairness_least < 0.05'
    awk -F, -v OFS=, 'NR > 1 { $4 = $4 == "F" ? "M" : "F" } 1' many.csv >swapped.csv
    separately "$DP2DP" certify m.json swapped.csv --at-most 0.2 "${private[@]}" --insecure-seed 1
    [[ "$status" = 5 && "$stderr" != *"out of reach"* && "$output" != *"too few"* ]]
    says "NOT MET by the strict bound"
    answers certify m.json few.csv "${private[@]}" --json
    holds 'has("unfairness_least") | not'
    fits --criterion equalized_odds --label y --insecure-seed 1 "${private[@]}" --out odds.json
    answers certify odds.json few.csv --label y --at-most 0.05 "${private[@]}" --dry-run --json
    holds '.unfairness_least > 0.2'
}
