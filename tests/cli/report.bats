#!/usr/bin/env bats
# `dp2dp report`: one HTML page about a model. tests/python/test_report.py traces its numbers.
load helpers

sweep_columns=criterion,method,solver,rho,epsilon,delta,epsilon_holds,epsilon_claimed,run,error,unfairness,error_before,
sweep_columns+=unfairness_before,positive,sees_group,data,records,protects

begin() {
    people 2000 1 >pool.csv
    people 1000 2 >test.csv
    fits "${private[@]}" --out model.json
}

# sweep CRITERION DATA RECORDS: a table of dp2dp sweep with two points.
sweep() {
    printf '%s\n' "$sweep_columns"
    printf '%s,scores,counts,0,1,1e-05,0.99,,0,0.2,0.1,0.1,0.4,,true,%s,%s,\n' "$1" "$2" "$3"
    printf '%s,scores,counts,0.1,inf,,,,0,0.15,0.15,0.1,0.4,,true,%s,%s,\n' "$1" "$2" "$3"
}

# refuses_page CODE WORDS ARGUMENT...: refuses, and leaves no file.
refuses_page() {
    refuses "$1" "$2" report "${@:3}" --out refused.html
    [ ! -e refused.html ]
    [ ! -e .refused.html.tmp ]
}

# data_of FILE: the data that the page embeds.
data_of() {
    output=$(sed -n 's/.*<script type="application\/json" id="dp2dp-data">\(.*\)<\/script>.*/\1/p' "$1")
}

@test "a page about a model alone may be published, and others may read it" {
    umask 022
    answers report model.json --out page.html
    says "written to page.html"
    [[ "$output" != *publish* ]]
    [ "$(stat -c %a page.html)" = 644 ]
    grep -q 'class="banner publishable"' page.html
    grep -q 'not measured' page.html
    data_of page.html
    holds '.publishable and .private and .rates == null and .error == null and .tradeoff == null'
    holds '.covers[0].records == 2000 and .covers[0].epsilon <= 1'
}

@test "a page with test people is for the user alone, and says so" {
    umask 022
    answers report model.json --test test.csv --label y --out page.html
    says "the page holds exact counts about real people. Do not publish it"
    [ "$(stat -c %a page.html)" = 600 ]
    grep -q '<strong>Exact counts about real people: do not publish.</strong>' page.html
    data_of page.html
    holds '.publishable == false and .private and .test.people == 1000'
    # A page that others could read does not stay readable.
    chmod 644 page.html
    answers report model.json --test test.csv --label y --force --out page.html
    [ "$(stat -c %a page.html)" = 600 ]
}

@test "an unchanged error stays, and is no change from one number to the same" {
    fits --solver exact --rho 1 --out plain.json
    answers report plain.json --test test.csv --label y --out page.html
    grep -q '<p>Error stays at <strong>' page.html
    grep -q 'as many wrong decisions as before</strong> (between' page.html
    [ "$(grep -c 'more wrong decisions in 1,000 people' page.html)" -eq 0 ]
}

@test "its rates, errors and unfairness are those of evaluate" {
    answers evaluate model.json test.csv --label y --json
    printf '%s' "$output" >evaluated.json
    answers report model.json --test test.csv --label y --out page.html
    data_of page.html
    jq -e --slurpfile e evaluated.json '$e[0] as $e |
        [.rates.after[][] | .rate] == [$e.rates[][]] and [.rates.before[][] | .rate] == [$e.unfair.rates[][]] and
        [.rates.after[][] | [.low, .high]] == [$e.rate_intervals[][]] and
        .error.after.value == $e.error and .error.before.value == $e.unfair.error and
        [.error.after.low, .error.after.high] == $e.error_interval and
        .unfairness.after.value == $e.unfairness and
        [.unfairness.after.low, .unfairness.after.high] == $e.unfairness_interval and
        ([.unfairness.criteria[] | {key: .name, value: .after.value}] | from_entries) ==
            ($e.criteria | map_values(.unfairness))' <<<"$output"
}

@test "equal input gives equal bytes, without a time and without a folder" {
    mkdir secret-folder
    cp model.json test.csv secret-folder
    answers report model.json --test test.csv --label y --out page.html
    answers report secret-folder/model.json --test secret-folder/test.csv --label y --threads 1 --out again.html
    cmp page.html again.html
    [ "$(grep -c secret-folder again.html)" -eq 0 ]
    answers report model.json --test test.csv --label y --out -
    printf '%s\n' "$output" | cmp page.html -
}

@test "a certificate gives noisy rates and the number to quote" {
    people 3000 3 >held-out.csv
    answers certify model.json held-out.csv "${private[@]}" --out certificate.json
    answers report model.json --certificate certificate.json --out page.html
    data_of page.html
    holds '.publishable and .rates.source == "certificate" and .rates.before == null'
    jq -e --slurpfile c certificate.json '.certificate.unfairness_upper_strict == $c[0].unfairness_upper_strict and
        .certificate.checksum == $c[0].checksum' <<<"$output"
    grep -q 'Quote the bound to a' page.html
    grep -q 'dp2dp verify <bdi>model.json</bdi> <bdi>certificate.json</bdi>' page.html
}

@test "a model that is not private is loud" {
    fits --solver exact --out exact.json
    answers report exact.json --out page.html
    says "NOT PRIVATE"
    grep -q 'class="banner not-private"' page.html
    data_of page.html
    holds '.publishable == false and .private == false and .covers == [] and .model.leaks == ["no-noise"]'
}

@test "a sweep says who its people are, and exposed people are not protected" {
    sweep demographic_parity "" 4000 >sweep.csv
    answers report model.json --sweep sweep.csv --sweep-people other --out page.html
    says "CAUTION: the model does not name its data, so nobody has checked that the sweep is about the same kind of data"
    [ "$(stat -c %a page.html)" = 600 ]
    data_of page.html
    holds '.private and (.publishable | not) and .tradeoff.people == "other" and (.tradeoff.points | length) == 2'
    holds '.tradeoff.points[1].epsilon == null and .tradeoff.points[0].error.mean == 0.2'
    answers report model.json --sweep sweep.csv --sweep-people other --force --out page.html --json
    holds .sweep_unchecked
    separately "$DP2DP" report model.json --sweep sweep.csv --sweep-people other --out -
    [[ "$status" = 0 && "$stderr" = *"nobody has checked that the sweep"* ]]
    sweep demographic_parity mine 4000 >named.csv
    answers report model.json --sweep named.csv --sweep-people other --name mine --force --out page.html --json
    holds 'has("sweep_unchecked") | not'
    answers report model.json --sweep sweep.csv --sweep-people exposed --force --out page.html
    says "NOT PRIVATE"
    data_of page.html
    holds '.private == false and .covers == [] and .not_covered[0].because == ["sweep-exposed"]'
}

@test "raw rows are read through the model's own schema and classifier" {
    synthetic 900 1 >raw.csv
    answers train raw.csv --schema s.json "${private[@]}" --out c.json
    refuses_page 2 "no fair rule yet: learn one with dp2dp fit TABLE --model c.json" c.json
    synthetic 600 2 >pool.csv
    answers fit pool.csv --model c.json "${private[@]}" --out both.json
    answers report both.json --test raw.csv --out page.html
    data_of page.html
    holds '.test.people == 900 and (.groups | length) == 2 and (.classes | length) == 3'
    refuses_page 2 "--label is only for tables of scores" both.json --test raw.csv --label y
    cut -d, -f1-6 raw.csv >unlabelled.csv
    refuses_page 4 'no column is named "y"' both.json --test unlabelled.csv
}

@test "rules that do not see the group, and dither by id" {
    awk -F, -v OFS=, 'NR == 1 { print $0, "f", "m"; next } { p = $4 == "F" ? 0.8 : 0.3; print $0, p, 1 - p }' \
        pool.csv >weighed.csv
    answers fit weighed.csv "${scored[@]}" --unaware --group-scores f,m "${private[@]}" --force --out unaware.json
    answers report unaware.json --test weighed.csv --label y --out page.html
    data_of page.html
    holds '.model.sees_group == false and .model.rule == "weighted" and .test.people == 2000'
    answers fit pool.csv "${scored[@]}" --criterion equalized_odds --label y --dither-key id --id id "${private[@]}" \
        --force --out odds.json
    refuses_page 2 "depends on an id: use --id to name the column that holds the ids" odds.json --test test.csv --label y
    answers report odds.json --test test.csv --label y --id id --force --out page.html
    data_of page.html
    holds '.model.criterion == "equalized_odds" and .ties[0].by_lot > 0 and (.statistics | length) == 4'
}

@test "bad input is refused with what to do, and no page is written" {
    sweep demographic_parity "" 4000 >sweep.csv
    refuses_page 2 "give --label, the column with each person's true class" model.json --test test.csv
    refuses_page 2 "--sweep needs --sweep-people" model.json --sweep sweep.csv
    refuses_page 2 "--sweep-people needs --sweep CSV" model.json --sweep-people other
    refuses_page 2 "--label needs --test TABLE" model.json --label y
    refuses_page 4 'has no name for its data, but the model is about "credit". Repeat dp2dp sweep with --name "credit", or leave the name out of the report' \
        model.json --sweep sweep.csv --sweep-people other --name credit
    sed 's/,,4000,/,adult,4000,/' sweep.csv >adult.csv
    refuses_page 4 'the sweep is about the data "adult", but the model is about "credit"' \
        model.json --sweep adult.csv --sweep-people other --name credit
    sweep equalized_odds "" 4000 >odds.csv
    refuses_page 4 "the same criterion" model.json --sweep odds.csv --sweep-people other
    sweep demographic_parity "" 1999 >small.csv
    refuses_page 4 "learned from 2000" model.json --sweep small.csv --sweep-people public
    refuses_page 4 "no column" model.json --sweep test.csv --sweep-people other
    refuses_page 1 "No such file" model.json --sweep missing.csv --sweep-people other
    people 3000 3 >held-out.csv
    fits --rho 0.1 "${private[@]}" --out another.json
    answers certify another.json held-out.csv "${private[@]}" --out certificate.json
    refuses_page 4 "about another model" model.json --certificate certificate.json
    refuses_page 4 "not a" model.json --certificate test.csv
    refuses 2 "would overwrite an input" report model.json --sweep sweep.csv --sweep-people other --force --out sweep.csv
    echo old >page.html
    refuses 2 "the file exists already" report model.json --out page.html
    [ "$(<page.html)" = old ]
}

@test "--json says what was written" {
    answers report model.json --json --out page.html
    holds '.model == "model.json" and .out == "page.html" and .publishable and .private and (.exact | not)'
    [ "$(jq .bytes <<<"$output")" -eq "$(stat -c %s page.html)" ]
    answers report model.json --test test.csv --label y --json --force --out page.html
    holds '.exact and .private and (.publishable | not)'
    refuses 2 "--json needs --out FILE: standard output holds the page" report model.json --json --out -
}

@test "a test as large as the pool is cautioned on the terminal and in JSON" {
    answers report model.json --test pool.csv --label y --out page.html
    says "CAUTION: the table of --test has exactly as many people as the rule was learned from. If these are the same people"
    answers report model.json --test pool.csv --label y --force --out page.html --json
    holds '.warnings == ["as-many-people"]'
    separately "$DP2DP" report model.json --test pool.csv --label y --out -
    [[ "$stderr" == *"CAUTION: the table of --test has exactly as many people"* ]]
    answers report model.json --test test.csv --label y --force --out page.html --json
    holds '.warnings == []'
    answers report model.json --force --out page.html --json
    holds '.warnings == []'
    # The people of a certificate were held out too: they may be those of the test.
    answers certify model.json test.csv "${private[@]}" --out c.json
    answers report model.json --test test.csv --label y --certificate c.json --force --out page.html --json
    holds '.warnings == []'
    [ "$(grep -c 'exactly as many people' page.html)" -eq 0 ]
}

@test "stdout says if the people of a sweep may be those of the model" {
    sweep demographic_parity credit 2000 >sweep.csv
    answers report model.json --sweep sweep.csv --sweep-people other --out page.html
    says "CAUTION: the sweep is about exactly as many people as the rule was learned from"
    answers report model.json --sweep sweep.csv --sweep-people other --out page.html --force --json
    holds '.warnings == ["as-many-people"]'
    sweep demographic_parity credit 1999 >sweep.csv
    answers report model.json --sweep sweep.csv --sweep-people other --out page.html --force --json
    holds '.warnings == []'
}

@test "the page has the cautions about columns in another unit" {
    synthetic 3000 1 >all.csv
    head -n 1501 all.csv >t.csv
    { head -n 1 all.csv && tail -n 1500 all.csv | head -n 800; } >p.csv
    { head -n 1 all.csv && tail -n 700 all.csv; } >held.csv
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "x1") at = i; print; next }
        { $at *= 1000; print }' held.csv >milli.csv
    answers train t.csv --schema s.json --method none --out c.json
    answers fit p.csv --model c.json --solver exact --out m.json
    answers report m.json --test milli.csv --out page.html
    says "values of x1 are outside its bounds"
    grep -q 'Caution:</strong>.*values of x1 are outside its bounds' page.html
    answers report m.json --test held.csv --out page.html --force
    [ "$(grep -c 'outside its bounds' page.html)" -eq 0 ]
}
