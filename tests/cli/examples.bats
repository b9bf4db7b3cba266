#!/usr/bin/env bats
# Every example of the help runs as printed if the files that it names exist.
load helpers

# table ROWS SEED: people with scores, with features for a classifier, and with group scores.
table() {
    people "$1" "$2" | LC_ALL=C awk -F, -v OFS=, 'NR == 1 { print $0, "age", "job", "p_F", "p_M" }
        NR > 1 { print $0, 17 + $1 % 74, substr("abc", 1 + $1 % 3, 1), $4 == "F" ? "0.7,0.3" : "0.4,0.6" }'
}

# The files that the examples name. Each table has different people.
begin() {
    mkdir ../bin
    ln -s "$(realpath "$DP2DP")" ../bin/dp2dp
    table 800 1 >pool.csv
    table 100 2 >new.csv
    table 800 3 >held-out.csv
    table 800 4 >test.csv
    table 800 5 >people.csv
    "$DP2DP" schema --columns "age:17:90,sex:sensitive:F|M,job:a|b|c,y:label:no|yes" --out my.schema.json
    echo 0.5,1,0,0,0,-0.2 >weights.csv # weights of the second class: age, four levels of job, bias
    [ -z "${DP2DP_DATA:-}" ] || ln -s "$DP2DP_DATA" data
}

# follows VERB: runs its examples, each in its own copy of the folder.
follows() {
    local line count=0
    while IFS= read -r line; do
        count=$((count + 1))
        [[ "$line" != *--download* ]] || continue
        [[ "$line" != *"--data-dir data"* || -e data ]] || continue
        mkdir ../once
        cp -a . ../once/
        [[ "$line" != *" --out "* ]] || rm -f "../once/${line##* --out }"
        if ! (cd ../once && PATH="$BATS_TEST_TMPDIR/bin:$PATH" bash -euo pipefail -c "$line" >out 2>err && [ ! -s err ]); then
            printf 'does not work: %s\n%s\n' "$line" "$(cat ../once/err)"
            return 1
        fi
        rm -rf ../once
    done < <("$DP2DP" "$1" --help | sed -n '/^Examples:/,$s/^  \(dp2dp .*\)/\1/p')
    [ "$count" -ge 2 ]
}

@test "the examples of verbs that read tables" {
    local verb
    for verb in run sweep train schema synth; do
        follows "$verb"
    done
    answers train people.csv --schema my.schema.json --epsilon 1 --delta 1e-5 --insecure-seed 1 --out classifier.json
    follows fit
    follows count
}

@test "the examples of verbs that read models and ledgers" {
    fits --epsilon 1 --delta 1e-5 --ledger pool.ledger.json --out model.json
    local verb
    for verb in predict evaluate certify show export account; do
        follows "$verb"
    done
    answers certify model.json held-out.csv --epsilon 1 --delta 1e-5 --out certificate.json
    {
        echo criterion,method,solver,rho,epsilon,delta,epsilon_holds,epsilon_claimed,run,error,unfairness,error_before,unfairness_before,positive,sees_group,data,records,protects
        echo demographic_parity,scores,counts,0,1,1e-05,0.99,,0,0.2,0.1,0.1,0.4,,true,,4000,
    } >sweep.csv
    follows report
}

@test "the examples of verbs that read nothing, or public data" {
    follows calibrate
    follows data
}

@test "no verb is without examples, and all are run here" {
    [ "$("$DP2DP" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p' | sort)" = "$(printf '%s\n' "${verbs[@]}")" ]
    local verb
    for verb in "${verbs[@]}"; do
        "$DP2DP" "$verb" --help | sed -n '/^Examples:/,$s/^  dp2dp/dp2dp/p'
    done >examples
    [ "$(wc -l <examples)" -ge 27 ]
}

@test "the three commands of the first help run in an empty folder but for the tables they name" {
    mkdir stranger
    cp pool.csv new.csv held-out.csv stranger
    cd stranger
    "$DP2DP" --help | sed -n '/three commands:$/,/^Each row/p' | grep -v '^[FE]' >../commands
    runs_as_printed 3 ../commands
    says "Fair rule, written to model.json" "Unfairness is at most"
    # Decisions are class names, as the labels are: the two can be compared.
    [ "$(tail -n +2 decisions.csv | sort -u)" = "$(printf 'no\nyes')" ]
    answers evaluate model.json held-out.csv --label y
    says "error with the model: between"
}
