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
    says "assumes for the ledger: either that nobody in this table was used to learn the classifier or its earlier rule" \
        "or that the ledger already has the costs of both. If neither is true, use --same-people"
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
    refuses 2 "also give epsilon, because the name" train --schema s.json --method external --weights w.csv --people june --out c.json
    answers train --schema s.json --method external --weights w.csv --people june "${private[@]}" --out c.json --json
    holds '[.covers[].people] == ["june"]'
}

@test "a certificate says in JSON and in its file what it warns of in text" {
    trains "${private[@]}"
    fair c.json pool.csv --out f.json
    answers certify f.json late.csv --epsilon 11 --delta 0.01 --out z.json --json
    holds '.warnings == ["delta-large", "epsilon-large", "as-many-people"]' # the last is not in the file
    [ "$(jq -c .warnings z.json)" = '["delta-large","epsilon-large"]' ]
    answers verify z.json f.json
    answers certify f.json late.csv --epsilon 11 --delta 0.01 --insecure-seed 1
    says "CAUTION: delta is close to 1/N or above" "CAUTION: epsilon is above 10"
    answers certify f.json late.csv "${private[@]}" --out z.json --force --json
    holds '.warnings == ["as-many-people"]'
}

@test "a certificate for the people of the model charges them for the model, once" {
    trains "${private[@]}"
    fair c.json train.csv --same-people --out f.json --json
    local model
    model=$(jq .epsilon <<<"$output")
    answers certify f.json train.csv --same-people "${private[@]}" --ledger l.json --dry-run --json
    holds ".spent_after > 1.1 * $model"
    answers certify f.json train.csv --same-people "${private[@]}" --ledger l.json --json
    holds ".ledger.spent > 1.1 * $model and .epsilon <= 1 and (.held_out | not)"
    answers account l.json --delta 1e-5 --json
    holds '[.entries[] | select(.kind == "charge")] | length == 4'
    answers certify f.json train.csv --same-people "${private[@]}" --ledger l.json --json
    answers account l.json --delta 1e-5 --json
    holds '[.entries[] | select(.kind == "charge")] | length == 5'
    answers certify f.json train.csv --same-people "${private[@]}" --ledger l.json
    says "charged for this certificate and, if the ledger did not have the model's charge yet, for the model"
    refuses 3 "the budget is epsilon 1.2" certify f.json train.csv --same-people "${private[@]}" --ledger m.json --budget 1.2
}

@test "no command replaces a ledger" {
    trains "${private[@]}" --ledger l.json
    fair c.json pool.csv --out f.json
    answers certify f.json late.csv "${private[@]}" --out z.json
    local before each
    before=$(sha256sum l.json)
    for each in "" --dry-run; do
        # shellcheck disable=SC2086 # none or one
        {
            refuses 2 "--out would replace a privacy ledger" train train.csv --schema s.json "${private[@]}" --out l.json --force $each
            refuses 2 "--out would replace a privacy ledger" fit pool.csv --model c.json "${private[@]}" --out l.json --force $each
            refuses 2 "--out would replace a privacy ledger" certify f.json late.csv "${private[@]}" --out l.json --force $each
        }
    done
    refuses 2 "--out would replace a privacy ledger" predict f.json late.csv --out l.json --force
    [ "$(sha256sum l.json)" = "$before" ]
    answers certify f.json late.csv "${private[@]}" --out z.json --force
    fair c.json pool.csv --out f.json
}

@test "a name of people has one spelling" {
    trains "${private[@]}" --people june --ledger l.json
    local before
    before=$(sha256sum l.json)
    refuses 2 "there are people called 'june' already" fit pool.csv --model c.json "${private[@]}" --people June --out f.json
    refuses 2 "there are people called 'june' already" \
        train train.csv --schema s.json "${private[@]}" --people JUNE --ledger l.json --out d.json
    refuses 2 "must not begin or end with a blank" fit pool.csv --model c.json "${private[@]}" --people "june " --out f.json
    fair c.json pool.csv --people july --out f.json
    refuses 2 "there are people called 'june' already" certify f.json late.csv "${private[@]}" --people June
    [ "$(sha256sum l.json)" = "$before" ]
    [ ! -e d.json ]
}

@test "a total says which entries count for everybody" {
    trains "${private[@]}" --people june --ledger l.json --json
    holds '.ledger.assumes == "all entries count for the people called june"'
    trains "${private[@]}" --ledger l.json --json
    holds '.ledger.assumes == "entries without a name count for everybody, including the people called june"'
    trains "${private[@]}" --people july --ledger l.json --json
    holds '.ledger.assumes | test("june and july .as you stated., so .*; entries without a name count for every set")'
}

@test "a delta that is too small is told from a release without noise" {
    local i
    for i in 1 2 3; do echo "0,0,0,0,0,$i"; done >w.csv
    answers train --schema s.json --method external --weights w.csv --epsilon 1 --delta 1e-4 --ledger l.json --out w.json
    trains --epsilon 1 --delta 1e-6 --ledger l.json
    says "no epsilon holds at delta 1e-06, which is too small for the declared releases; the total spent is epsilon" "at delta 0.001"
    [[ "$output" != *"no finite epsilon"* ]]
    trains --epsilon 1 --delta 1e-6 --ledger l.json --json
    holds '.ledger.spent == null and .ledger.at_larger_delta.delta <= 0.0011 and .ledger.at_larger_delta.epsilon > 1'
    trains --epsilon 1 --delta 1e-6 --ledger l.json --dry-run --json
    holds '.spent_after == null and (.exposed_after | not)'
    trains --epsilon 1 --delta 1e-6 --ledger l.json --dry-run
    says "afterwards no epsilon holds at delta 1e-06"
    refuses 1 "; at delta 0.001" account l.json --delta 1e-6
}

@test "show says that a model was read from a file of version 1" {
    local old=$BATS_TEST_DIRNAME/../golden/model-1.1-fitted.json
    answers show "$old"
    says "file in the format of version 1, which does not say whom the model covers"
    answers show "$old" --json
    holds '.from_version == 1'
    trains "${private[@]}"
    answers show c.json --json
    holds '.from_version == null'
}

@test "the same people have one name, and everybody is no name" {
    trains "${private[@]}" --people may
    fair c.json pool.csv --people june --out f.json
    local name
    for name in everybody Everybody; do
        refuses 2 "'$name' cannot name people" certify f.json pool.csv "${private[@]}" --people "$name" --ledger l.json
    done
    refuses 2 "the same people are called" certify f.json pool.csv "${private[@]}" --same-people --people july \
        --ledger l.json
    [ ! -e l.json ]
    answers certify f.json pool.csv "${private[@]}" --same-people --people june --ledger l.json
}
