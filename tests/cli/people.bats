#!/usr/bin/env bats
# Who has paid for what: a ledger adds up unless the user states that people differ, and nothing is forgotten.
load helpers

begin() {
    people 2000 1 >pool.csv
}

small=(--epsilon 0.4 --delta 1e-5)
behind=(--scores-epsilon 5 --scores-delta 1e-6 --same-people)

# The closed form: one release of epsilon 0.4 at delta 1e-5 has m = sensitivity/sigma; six of them have sqrt(6) m, and
# epsilon is found there by bisection, independently of this code.
@test "five fits and a certificate on one table cost what six releases cost" {
    local i
    for i in 1 2 3 4 5; do
        fits "${small[@]}" --ledger l.json --out "$i.json"
    done
    answers certify 1.json pool.csv "${small[@]}" --ledger l.json --json
    holds '(.ledger.spent / 1.0649362791625296 - 1 | fabs) < 1e-5'
    answers account l.json --delta 1e-5 --json
    holds '(.epsilon / 1.0649362791625296 - 1 | fabs) < 1e-5 and .assumes == "all entries count for everybody"'
}

@test "names are a statement that people differ, and only different names are not added" {
    fits "${small[@]}" --people north --ledger l.json --out m.json --json
    holds '.ledger.new and .ledger.named_people == ["north"] and .covers[0].people == "north"'
    local one
    one=$(jq .ledger.spent <<<"$output")
    fits "${small[@]}" --people south --ledger l.json --out m.json --json
    holds "(.ledger.spent - $one | fabs) < 1e-6 and (.ledger.new | not)"
    holds '.ledger.assumes == "nobody is in two of the sets north and south (as you stated), so the costs of these sets are not added"'
    fits "${small[@]}" --people south --ledger l.json --out m.json --json
    holds ".ledger.spent > 1.3 * $one"
    fits "${small[@]}" --ledger l.json --out m.json --json
    holds ".ledger.spent > 1.6 * $one"
    answers account l.json --delta 1e-5
    says "nobody is in two of the sets north and south (as you stated)" "[north]" "[south]"
    answers show m.json
    says "all entries count for the same people"
    refuses 2 "" fit pool.csv "${scored[@]}" "${small[@]}" --people train --out n.json
}

@test "what is behind the scores of the same people is charged, in a dry run too" {
    local fit=(fit pool.csv "${scored[@]}" "${private[@]}" "${behind[@]}" --ledger l.json --out m.json)
    refuses 3 "the budget is epsilon 1: l.json" "${fit[@]}" --budget 1
    refuses 3 "the budget is epsilon 1: l.json" "${fit[@]}" --budget 1 --dry-run
    [ "$(ls -A)" = pool.csv ]
    fits "${small[@]}" --ledger l.json --budget 1 --out other.json
    local before
    before=$(sha256sum l.json)
    refuses 3 "the budget is epsilon 1: l.json" "${fit[@]}"
    refuses 3 "the budget is epsilon 1: l.json" "${fit[@]}" --dry-run
    refuses 3 "the budget is epsilon 0.9: l.json" "${fit[@]}" --budget 0.9
    [ "$(sha256sum l.json)" = "$before" ]
    rm l.json l.json.lock
    answers "${fit[@]}" --json
    holds '.ledger.spent > 6 and .epsilon > 6'
}

@test "a release that the ledger holds is not charged again" {
    local id
    id=$(printf '0123456789abcdef%.0s' 1 2)
    fits "${private[@]}" "${behind[@]}" --scores-id "$id" --ledger l.json --out m.json
    fits "${private[@]}" "${behind[@]}" --scores-id "$id" --ledger l.json --out m.json --dry-run --json
    local told
    told=$(jq .spent_after <<<"$output")
    fits "${private[@]}" "${behind[@]}" --scores-id "$id" --ledger l.json --out m.json --json
    holds ".ledger.spent == $told and .ledger.spent < 7"
    fits "${private[@]}" "${behind[@]}" --ledger l.json --out m.json --json
    holds '.ledger.spent > 10'

    synthetic 400 1 >t.csv
    answers train t.csv --schema s.json "${small[@]}" --ledger t.ledger.json --out c.json
    answers fit t.csv --model c.json --same-people "${small[@]}" --ledger t.ledger.json --out both.json --json
    holds '(.ledger.spent - .epsilon | fabs) < 1e-9'
    answers fit t.csv --model c.json --same-people "${small[@]}" --ledger fresh.json --out again.json --json
    holds '(.ledger.spent - .epsilon | fabs) < 1e-9'
    answers account fresh.json --delta 1e-5 --json
    holds '[.entries[] | select(.kind == "charge") | .release_id] | unique | length == 2'
}

@test "a ledger has one number of rows per person" {
    fits "${small[@]}" --ledger l.json --out m.json
    local before
    before=$(sha256sum l.json)
    refuses 2 "rows_per_person = 50: other charges of this ledger have rows_per_person = 1" \
        fit pool.csv "${scored[@]}" "${small[@]}" --rows-per-person 50 --ledger l.json --out n.json
    [ "$(sha256sum l.json)" = "$before" ]
    [ ! -e n.json ]
}

@test "a release without noise is in the ledger for ever" {
    synthetic 400 1 >t.csv
    answers fit pool.csv "${scored[@]}" --solver exact --ledger l.json --out e.json --json
    holds '.ledger.exposed and .ledger.spent == null and .ledger.exposed_entries == 1 and .ledger.new'
    holds '.exposed and .not_covered[0].because == ["no-noise"] and .covers == []'
    fits --epsilon inf --ledger l.json --out m.json
    says "NOT PRIVATE: 2 of 2 entries had no noise, so the total has no finite epsilon"
    answers train t.csv --schema s.json --method none --ledger l.json --out c.json --json
    holds '.ledger.exposed_entries == 3'
    fits "${private[@]}" --ledger l.json --out m.json --json
    holds '.ledger.exposed and .ledger.spent == null and .epsilon <= 1'
    answers account l.json --json
    holds '.exposed and .epsilon == null and .exposed_entries == 3 and (.private | not)'
    answers account l.json
    says "NOT PRIVATE: 3 of 5 entries had no noise" "epsilon none"
    fits "${private[@]}" --ledger l.json --out m.json --dry-run --json
    holds '.spent_after == null and .ledger.exposed and .epsilon <= 1'
    refuses 3 "the budget is epsilon 9: l.json" fit pool.csv "${scored[@]}" "${private[@]}" --ledger l.json --budget 9 \
        --out n.json
}

@test "where a budget stands, nothing is released without noise" {
    synthetic 400 1 >t.csv
    fits "${private[@]}" --ledger l.json --budget 5 --out m.json
    local before
    before=$(sha256sum l.json)
    local each
    for each in "" --dry-run; do
        # shellcheck disable=SC2086 # none or one
        {
            refuses 3 "the budget is epsilon 5" fit pool.csv "${scored[@]}" --solver exact --ledger l.json --out n.json $each
            refuses 3 "the budget is epsilon 5" fit pool.csv "${scored[@]}" --epsilon inf --ledger l.json --out n.json $each
            refuses 3 "the budget is epsilon 5" train t.csv --schema s.json --method none --ledger l.json --out n.json $each
            refuses 3 "the budget is epsilon 5" run t.csv --schema s.json "${private[@]}" --ledger l.json $each
        }
    done
    [ "$(sha256sum l.json)" = "$before" ]
    [ ! -e n.json ]
}

@test "a run counts people as they are: its ledger says so" {
    synthetic 400 1 >t.csv
    answers run t.csv --schema s.json "${private[@]}" --ledger l.json --people A --note "a look" --json
    holds '.ledger.exposed and .ledger.new and (.warnings | type) == "array" and ([.covers[].role] == ["train", "pool"])'
    answers account l.json --json
    holds '.entries | length == 1 and .[0].verb == "run" and .[0].people == "A" and .[0].note == "a look"
        and .[0].mechanism == "exposed"'
    answers run t.csv --schema s.json "${private[@]}" --ledger n.json --dry-run --json
    holds '.epsilon <= 1 and .spent_after == null and .exposed_after'
    [ ! -e n.json ]
}

@test "insecure noise marks every total of its ledger" {
    fits "${small[@]}" --insecure-seed 1 --ledger l.json --out m.json --json
    holds '.ledger.insecure_entries == 2 and .insecure_entries == 2'
    fits "${small[@]}" --ledger l.json --out n.json --json
    holds '.ledger.insecure_entries == 2 and .insecure_entries == 0 and .private'
    fits "${small[@]}" --ledger l.json --out n.json
    says "NOT PRIVATE: 2 of 6 entries used the insecure test generator"
}

@test "an entry says when, by which verb, for which release and why it was made" {
    SOURCE_DATE_EPOCH=1700000000 fits "${small[@]}" --ledger l.json --budget 2 --note "first look" --out m.json
    says "l.json (a new ledger)"
    answers account l.json --json
    holds '[.entries[].kind] == ["budget", "charge", "charge", "published"]'
    holds '[.entries[] | .time == "2023-11-14T22:13:20Z" and .verb == "fit" and .note == "first look"] | all'
    holds '[.entries[1:][].release_id] | unique | length == 1 and (.[0] | test("^[0-9a-f]{32}$"))'
    holds ".entries[3].checksum == $(jq .checksum m.json)"
    answers account l.json
    says "1 budget: epsilon 2 at delta 1e-05" "2023-11-14T22:13:20Z fit" ": first look" "published: a model with checksum"
    fits "${small[@]}" --ledger l.json --out m.json
    [[ "$output" != *"a new ledger"* ]]
}

@test "a ledger that is gone is not begun again unnoticed" {
    fits "${small[@]}" --ledger l.json --out m.json
    rm l.json
    refuses 4 "--new-ledger" fit pool.csv "${scored[@]}" "${small[@]}" --ledger l.json --out n.json
    refuses 4 "--new-ledger" fit pool.csv "${scored[@]}" "${small[@]}" --ledger l.json --out n.json --dry-run
    fits "${small[@]}" --ledger l.json --new-ledger --out m.json --json
    holds '.ledger.new'
    refuses 2 "this ledger exists already" \
        fit pool.csv "${scored[@]}" "${small[@]}" --ledger l.json --new-ledger --out n.json
}

@test "eight fits at once begin one ledger, all charge, and none is told that it is lost" {
    local i round
    people 20 1 >few.csv
    for round in 1 2 3 4 5 6 7 8 9 10; do
        for i in 1 2 3 4 5 6 7 8; do
            timeout 300 "$DP2DP" fit few.csv "${scored[@]}" "${small[@]}" --steps 1 --ledger "$round.ledger" --force \
                --out "$i.json" >/dev/null 2>>errors 3>&- || echo failed >>errors &
        done
        wait
        if [ -s errors ]; then
            cat errors
            return 1
        fi
        answers account "$round.ledger" --delta 1e-5 --json
        holds '[.entries[] | select(.kind == "charge") | .release_id] | unique | length == 8'
        holds '[.entries[] | select(.kind == "published") | .checksum] | unique | length == 8'
    done
}

@test "nobody else may read the rows that a run saves" {
    synthetic 400 1 >t.csv
    umask 022
    answers run t.csv --schema s.json "${private[@]}" --save runs
    [ "$(stat -c %a runs/run-0.csv)" = 600 ]
    chmod 644 runs/run-0.csv
    answers run t.csv --schema s.json "${private[@]}" --save runs --force
    [ "$(stat -c %a runs/run-0.csv)" = 600 ]
}

@test "a name does not help against charges without one, and the refusal says so" {
    fits "${private[@]}" --ledger l.json --budget 1 --out m.json
    local words="l.json; earlier charges without a name count for everybody, including the people named here"
    refuses 3 "$words" certify m.json pool.csv "${small[@]}" --ledger l.json --people heldout
    refuses 3 "$words" certify m.json pool.csv "${small[@]}" --ledger l.json --people heldout --dry-run
    refuses 3 "$words" fit pool.csv "${scored[@]}" "${small[@]}" --ledger l.json --people heldout --out n.json
    [[ "$stderr" == *"if those charges are about other people, use another ledger for the people named here"* ]]
    separately "$DP2DP" certify m.json pool.csv "${small[@]}" --ledger l.json --people heldout --json
    jq -e '.reason == "unnamed-charges" and .exit == 3' <<<"$stderr"
    refuses 3 "the budget is epsilon 1: l.json; --dry-run shows" fit pool.csv "${scored[@]}" "${small[@]}" \
        --ledger l.json --out n.json
    [[ "$stderr" != *"earlier charges"* ]]
}

@test "a new name of people that is nearly one of the ledger is noted before the charge" {
    local near note
    people 200 1 >pool.csv
    fits "${private[@]}" --ledger l.json --people north24 --out m.json
    for near in nrth24 norrth24 nortl24; do
        note="dp2dp fit: note: --people $near is not yet in the ledger, but the similar name \"north24\" is. Did you mean that name? If the same people have two names, their costs are not added up"
        separately "$DP2DP" fit pool.csv "${scored[@]}" "${private[@]}" --ledger l.json --people "$near" --dry-run
        [[ "$status" = 0 && "$stderr" = "$note" ]]
    done
    for near in north24 north25 south24 north north-24-b; do
        answers fit pool.csv "${scored[@]}" "${private[@]}" --ledger l.json --people "$near" --dry-run
    done
    refuses 2 "there are people called 'north24' already" \
        fit pool.csv "${scored[@]}" "${private[@]}" --ledger l.json --people North24 --dry-run
    [[ "$stderr" != *"did you mean"* ]]
    separately "$DP2DP" fit pool.csv "${scored[@]}" "${private[@]}" --ledger l.json --people norh24 --out n.json
    [[ "$status" = 0 && "$stderr" == *"Did you mean that name"* ]]
    answers fit pool.csv "${scored[@]}" "${private[@]}" --ledger l.json --people norh24 --dry-run # known now
}

@test "fit and train say that no ledger is kept" {
    people 200 1 >pool.csv
    fits "${private[@]}" --out m.json
    says "ledger not kept; use --ledger FILE to record this release"
    fits --solver exact --out m.json # nothing is promised, so nothing is spent
    [[ "$output" != *ledger* ]]
    synthetic 200 1 >t.csv
    answers train t.csv --schema s.json "${private[@]}" --out c.json
    says "ledger not kept; use --ledger FILE to record this release"
    answers train t.csv --schema s.json --method none --force --out c.json
    [[ "$output" != *ledger* ]]
}
