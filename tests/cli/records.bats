#!/usr/bin/env bats
# What models, ledgers and certificates say about people: nothing is forgotten, and what is assumed is said.
load helpers

begin() {
    synthetic 1200 1 >all.csv
    { head -1 all.csv && sed -n 2,401p all.csv; } >train.csv
    { head -1 all.csv && sed -n 402,801p all.csv; } >pool.csv
    { head -1 all.csv && sed -n 802,1201p all.csv; } >late.csv
}

trains() {
    answers train train.csv --schema s.json --out c.json --force "$@"
}

fair() { # model table argument...
    local model=$1 table=$2
    shift 2
    answers fit "$table" --model "$model" "${private[@]}" --force "$@"
}

@test "a classifier without noise remembers whose data it shows" {
    trains --method none --people june
    answers show c.json
    says "NOT PRIVATE"
    fair c.json train.csv --people june --ledger l.json --out f.json --json
    holds '.ledger.exposed and .covers == [] and (.private | not) and .people == "same"'
    holds '[.not_covered[] | [.role, .people]] == [["train", "june"], ["pool", "june"]]'
    fair c.json pool.csv --people july --ledger m.json --out f.json --json
    holds '(.ledger.exposed | not) and [.covers[].people] == ["july"] and [.not_covered[].people] == ["june"]'
    holds '.epsilon <= 1 and .epsilon_before == null'
    answers show f.json
    says "not to people the classifier was trained on, called june"
    answers show f.json --json
    holds '.epsilon <= 1'
    answers verify f.json m.json
}

@test "a rule without noise remembers whose data it shows" {
    trains "${private[@]}" --people may
    local each
    for each in "--solver exact" "--epsilon inf"; do
        # shellcheck disable=SC2086 # words
        answers fit pool.csv --model c.json $each --people june --out bare.json --force --json
        holds '[.covers[].people] == ["may"] and [.not_covered[].people] == ["june"]'
        fair bare.json pool.csv --people june --ledger l.json --out f.json --json
        holds '.ledger.exposed'
        answers fit train.csv --model c.json --solver exact --same-people --out bare.json --force --json
        holds '.covers == [] and [.not_covered[].people] == ["may", "may"]'
        rm l.json l.json.lock
    done
}

@test "people with one name are the same people in every sentence" {
    trains "${private[@]}" --people june
    fair c.json train.csv --people june --out f.json
    says "together: both costs count, since some people may be in both sets"
    [[ "$output" != *nobody* ]]
    fair c.json train.csv --people june --out f.json --json
    holds '.people == "same" and .assumption == null and .epsilon > 1.3'
    fair c.json pool.csv --people july --out f.json
    says "assumes that nobody in this table was among those the classifier was trained on"
    fair c.json pool.csv --people july --out f.json --json
    holds '.people == "other" and (.assumption | test("nobody"))'
}

@test "a second fit says what its ledger assumes, and whom each number covers" {
    trains "${private[@]}" --people may
    fair c.json pool.csv --people june --out f.json
    head -301 late.csv >few.csv
    fair f.json few.csv --ledger l.json --out g.json
    says "assumes in the ledger: that nobody in this table was among those the classifier or its earlier rule" \
        "or that the ledger has those costs; otherwise use --same-people"
    fair f.json few.csv --ledger l.json --out g.json --json
    holds '(.assumption | test("earlier rule"))'
    holds '[.covers[] | [.role, .people, .records]] == [["train", "may", 400], ["pool", "june", null], ["pool", null, 300]]'
    holds '.epsilon as $e | (.covers[2].epsilon == $e) and (.covers[1].epsilon <= $e)'
    fair f.json few.csv --same-people --ledger m.json --out g.json --json
    holds '.assumption == null and (.ledger.spent - .epsilon | fabs) < 0.5 and .ledger.spent > 1.3'
    fair f.json few.csv --out g.json --json
    holds '.assumption == null'
}

@test "external weights without a guarantee cannot name their people" {
    local i
    for i in 1 2 3; do echo "0,0,0,0,0,$i"; done >w.csv
    refuses 2 "without a declared epsilon" train --schema s.json --method external --weights w.csv --people june --out c.json
    answers train --schema s.json --method external --weights w.csv --people june "${private[@]}" --out c.json --json
    holds '[.covers[].people] == ["june"]'
}
