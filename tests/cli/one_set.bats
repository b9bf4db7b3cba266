#!/usr/bin/env bats
# `run` and `sweep` with --pool same, `train --train-share` and `fit --total-epsilon`: one set of people for both
# phases, and one budget.
load helpers

seeded=("${private[@]}" --insecure-seed 1)

@test "a run says that both phases saw the same people, and what they cost together" {
    synthetic 4000 1 >t.csv
    answers run t.csv --schema s.json "${private[@]}" --pool same --json
    holds '.sizes == {"train": 3000, "pool": 3000, "test": 1000} and .pool == "same" and .train_share == 0.7'
    holds '.epsilon <= 1 and .epsilon > 0.9999 and .assumes == "train and pool are the same people, so both costs count"'
    holds '.epsilon_train > 0.8 and .epsilon_train < 0.85 and .epsilon_rule > 0.5 and .epsilon_rule < 0.55'
    holds '.leaks == [] and ([.covers[] | .epsilon] | unique) == [.epsilon]'
    answers run t.csv --schema s.json "${private[@]}" --pool same
    says "3000 to train on and to learn the rule from (the same people), 1000 to test on" \
        "train and pool are the same people, so both costs count" "training alone costs 0.8224"
    # The default says nothing of it.
    answers run t.csv --schema s.json "${private[@]}" --json
    holds '(has("pool") or has("train_share")) | not'
}

@test "every method and solver stays within the budget of one set" {
    synthetic 2000 1 >t.csv
    local method solver
    for method in dpgd dpsgd output; do
        for solver in counts sgd; do
            answers run t.csv --schema s.json --method $method --solver $solver "${seeded[@]}" --pool same --json
            holds '.epsilon <= 1 and .epsilon > 0.9999'
        done
    done
    answers run t.csv --schema s.json --method none "${seeded[@]}" --pool same --json
    holds '.epsilon == null and .epsilon_train == null and .epsilon_rule == 1'
    holds '.leaks | index("classifier-not-private") and index("scores-from-pool")'
    answers run t.csv --schema s.json --solver exact "${seeded[@]}" --pool same --json
    holds '.epsilon == null and .epsilon_rule == null'
}

@test "one set has the test rows of two sets, and says both in what is saved" {
    synthetic 1000 1 >t.csv
    answers run t.csv --schema s.json "${seeded[@]}" --save own
    answers run t.csv --schema s.json "${seeded[@]}" --pool same --save same
    cmp <(grep ,test, own/run-0.csv | cut -d, -f1) <(grep ,test, same/run-0.csv | cut -d, -f1)
    [ "$(cut -d, -f2 same/run-0.csv | sort | uniq -c | xargs)" = "750 both 1 split 250 test" ]
}

@test "a dry run plans what a run charges, also if a person may be in both parts" {
    synthetic 1000 1 >t.csv
    answers run t.csv --schema s.json "${private[@]}" --pool same --dry-run --json
    holds '.epsilon <= 1 and .epsilon > 0.9999 and (.entries | length) == 3'
    answers run t.csv --schema s.json "${private[@]}" --rows-per-person 2 --dry-run --json
    holds '.epsilon > 1.3 and .epsilon < 1.6 and (.entries | length) == 3'
}

@test "a dry run says that training without noise exposes the people of the rule too" {
    synthetic 1000 1 >t.csv
    local whose
    for whose in "--pool same" "--rows-per-person 2"; do
        answers run t.csv --schema s.json "${private[@]}" --method none $whose --dry-run --json
        holds '.epsilon == null and .entries[0].mechanism == "exposed" and (.entries | length) == 3'
    done
    answers run t.csv --schema s.json "${private[@]}" --method none --dry-run --json
    holds '.epsilon > 0.9999 and (.entries | length) == 2'
}

@test "a sweep measures what a run measures, and its table says whose rule it is" {
    synthetic 2000 1 >t.csv
    answers run t.csv --schema s.json "${seeded[@]}" --pool same --train-share 0.6 --rho 0.05 --json
    local run=$output
    answers sweep t.csv --schema s.json "${seeded[@]}" --pool same --train-share 0.6 --rho 0.05 --out c.csv --json
    holds '.pool == "same" and .train_share == 0.6 and .sizes.pool == 1500 and .sizes.train == 1500'
    [ "$(jq .points[0].mean.error <<<"$output")" = "$(jq .mean.error <<<"$run")" ]
    head -1 c.csv | grep -q ",pool,train_share,seed,version,not_private$"
    sed -n 2p c.csv | grep -q ",same,0.6,1,"
    answers sweep t.csv --schema s.json "${seeded[@]}" --pool same --rho 0 --out d.csv
    says "1500 to train on and to learn the rule from (the same people), 500 to test on" "a model with these settings has epsilon 1 for each person"
}

@test "train takes its share, fit takes the rest, and the ledger adds both up" {
    synthetic 3000 1 >t.csv
    answers train t.csv --schema s.json "${private[@]}" --train-share 0.7 --ledger l.json --out c.json --json
    holds '.epsilon > 0.82 and .epsilon < 0.83'
    answers fit t.csv --model c.json --same-people --total-epsilon 1 --delta 1e-5 --ledger l.json --out m.json --json
    holds '.epsilon <= 1 and .epsilon > 0.9999 and .people == "same" and .ledger.spent == .epsilon'
    answers account l.json --delta 1e-5 --json
    holds '.epsilon <= 1 and .epsilon > 0.9999 and (.entries | map(select(.mechanism)) | length) >= 3'
    answers verify l.json m.json
    # A dry run says the same, and a second fit finds nothing left.
    answers fit t.csv --model c.json --same-people --total-epsilon 1 --delta 1e-5 --out n.json --dry-run --json
    holds '.epsilon <= 1 and .epsilon > 0.9999'
    refuses 3 "too little is left for the fit" fit t.csv --model m.json --same-people --total-epsilon 1 --delta 1e-5 \
        --out n.json
}

@test "the commands of the page make a model of the total" {
    [ -n "${DP2DP_SOURCE_DIR:-}" ] || skip "needs the page"
    synthetic 3000 1 >people.csv
    block fit "--train-share 0.7" >commands
    runs_as_printed 2 commands
    answers account m.json --json
    holds '.epsilon <= 1 and .epsilon > 0.9999 and .private'
}

@test "options that contradict one set are refused" {
    synthetic 500 1 >t.csv
    refuses 2 "--train-share needs --pool same" run t.csv --schema s.json "${private[@]}" --train-share 0.5
    refuses 2 "--train-share needs --pool same" sweep t.csv --schema s.json "${private[@]}" --train-share 0.5 --out c.csv
    refuses 2 "does not follow a budget" run t.csv --schema s.json "${private[@]}" --pool same --solver sgd-as-published
    refuses 2 "--train-share" run t.csv --schema s.json "${private[@]}" --pool same --train-share 1
    answers train t.csv --schema s.json "${private[@]}" --out c.json
    local total=(fit t.csv --model c.json --total-epsilon 2 --out m.json)
    refuses 2 "for the rule: also give --same-people; for other people, use --epsilon instead" \
        "${total[@]}" --delta 1e-5
    refuses 2 "also give --same-people and --delta; for other" "${total[@]}"
    refuses 2 "for the rule: also give --delta" "${total[@]}" --same-people
    [[ "$stderr" != *"give --same-people"* && "$stderr" != *"--epsilon out"* && "$stderr" != *"other people"* ]]
    refuses 2 "for the rule: leave --epsilon out" "${total[@]}" --same-people "${private[@]}"
    refuses 2 "also give --same-people, and leave --epsilon out; for other people, leave --total-epsilon out instead" \
        "${total[@]}" "${private[@]}"
    answers train t.csv --schema s.json --method none --out bare.json
    refuses 2 "no total can be guaranteed" fit t.csv --model bare.json --same-people --total-epsilon 1 --delta 1e-5 --out m.json
}
