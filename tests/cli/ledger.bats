#!/usr/bin/env bats
# `dp2dp account FILE`: computes the cost of a ledger from its file, and refuses bad files with exit code 4.
load helpers

entry='{"mechanism":"gaussian","label":"counts","sensitivity":2,"sigma":40,"count":100,
    "rows_per_person":1,"rng":"secure"}'
ledger() { # adjacency budget entries
    printf '{"format":"dp2dp-ledger","version":1,"adjacency":"%s",%s"entries":[%s]}\n' "$1" "$2" "$3"
}
budget='"budget":{"epsilon":3,"delta":1e-6},'

@test "a ledger costs what its entries cost" {
    ledger replace-one "" "$entry" >pool.json
    answers account pool.json --delta 1e-6 --json
    is_tight .epsilon 2.2540846502197409
    holds '.delta == 1e-6 and .adjacency == "replace-one" and .private and .budget == null
        and .ledger == "pool.json"'
    holds '.entries | length == 1 and .[0].label == "counts" and .[0].steps == 100 and .[0].rng == "secure"'
}

@test "two halves cost the whole" {
    ledger replace-one "" "${entry/100/50},${entry/100/50}" >pool.json
    answers account pool.json --delta 1e-6 --json
    is_tight .epsilon 2.2540846502197409
}

@test "the delta of a ledger is its budget's, unless another is asked for" {
    ledger replace-one "$budget" "$entry" >pool.json
    answers account pool.json --json
    is_tight .epsilon 2.2540846502197409
    holds '.delta == 1e-6 and .budget.epsilon == 3 and .budget.delta == 1e-6 and .budget.spent == .epsilon'
    answers account pool.json --delta 1e-3 --json
    holds '.delta == 1e-3 and .epsilon < .budget.spent'
    ledger replace-one "" "$entry" >pool.json
    refuses 2 "--delta D is needed" account pool.json --json
}

@test "a ledger above its budget says so" {
    ledger replace-one '"budget":{"epsilon":1,"delta":1e-6},' "$entry" >pool.json
    answers account pool.json
    says "2.255 of epsilon 1 spent" "OVERSPENT"
}

@test "an entry with predictable noise makes the whole ledger NOT PRIVATE" {
    ledger replace-one "$budget" "$entry,${entry/secure/insecure}" >pool.json
    answers account pool.json --json
    holds '.private == false and .insecure_entries == 1 and [.entries[].rng] == [null, "secure", "insecure"]'
    answers account pool.json
    says "NOT PRIVATE: 1 of 2 entries" "insecure noise"
    [[ "$output" != *"What it means"* ]]
    ledger replace-one "$budget" "$entry" >pool.json
    answers account pool.json
    [[ "$output" != *"NOT PRIVATE"* ]]
    says "What it means"
}

@test "an empty ledger has cost nothing" {
    ledger replace-one "$budget" "" >pool.json
    answers account pool.json --json
    holds '.epsilon == 0 and [.entries[].kind] == ["budget"] and .private'
    ledger replace-one "" "" >pool.json
    answers account pool.json --delta 1e-6
    says "entries 0"
}

@test "a ledger is accounted under its own adjacency" {
    ledger add-remove "$budget" "${entry/\"sensitivity\":2/\"sensitivity\":1}" >pool.json
    answers account pool.json --adjacency add-remove --json
    holds '.adjacency == "add-remove"'
    refuses 2 "--adjacency replace-one cannot be used: this ledger was made with adjacency add-remove" \
        account pool.json --adjacency replace-one
}

@test "control characters of a label do not reach the terminal, and JSON escapes them" {
    ledger replace-one "$budget" "${entry/counts/a\\u001b[31mb\\u009bc}" >pool.json
    answers account pool.json
    says "a?[31mb?c"
    answers account pool.json --json
    holds '.entries[1].label == "a\u001b[31mb\u009bc"'
}

@test "a file that cannot be read has exit code 1" {
    refuses 1 "absent.json" account absent.json --delta 1e-5
    refuses 1 "" account "$BATS_TEST_TMPDIR" --delta 1e-5
    refuses 1 "" account /dev/zero --delta 1e-5
}

@test "what is not a whole, known ledger is bad data" {
    local text
    for text in '' ' ' '{' '[]' 'null' '{}' '"ledger"' 'nonsense' $'\xff\xfe' \
        '{"format":"dp2dp-ledger"}' \
        '{"format":"dp2dp-ledger","version":99,"adjacency":"replace-one","entries":[]}' \
        '{"format":"dp2dp-ledger","version":1,"adjacency":"swap","entries":[]}' \
        '{"format":"dp2dp-ledger","version":1,"adjacency":"replace-one","entries":{}}' \
        '{"format":"dp2dp-ledger","version":1,"adjacency":"replace-one","entries":[],"entries":[]}' \
        '{"format":"dp2dp-ledger","version":1,"adjacency":"replace-one","entries":[1]}' \
        '{"format":"dp2dp-ledger","version":1,"adjacency":"replace-one","entries":[]} x'; do
        printf '%s' "$text" >bad.json
        refuses 4 "" account bad.json --delta 1e-5 --json
    done
}

@test "a model's own ledger cannot be charged" {
    people 200 1 >pool.csv
    fits "${private[@]}" --out model.json
    jq .ledger model.json >own.json
    refuses 4 "this ledger belongs to one model; give the ledger that records all charges for these people: " fit pool.csv "${scored[@]}" \
        "${private[@]}" --ledger own.json --out more.json
}

@test "a truncated ledger is bad data, wherever it is cut" {
    ledger replace-one "$budget" "$entry" | tr -d '\n' >whole.json
    local size cut
    size=$(wc -c <whole.json)
    for ((cut = 1; cut < size; cut += 13)); do
        head -c "$cut" whole.json >cut.json
        refuses 4 "" account cut.json --json
    done
}

@test "an entry outside its bounds is bad data" {
    local from to
    while IFS='|' read -r from to; do
        ledger replace-one "$budget" "${entry/$from/$to}" >bad.json
        refuses 4 "" account bad.json --json
    done <<'END'
"sigma":40|"sigma":0
"sigma":40|"sigma":-1
"sigma":40|"sigma":1e999
"sigma":40|"sigma":"40"
"sigma":40|"sigma":NaN
"sensitivity":2|"sensitivity":0
"sensitivity":2|"sensitivity":-2
"count":100|"count":0
"count":100|"count":-1
"count":100|"count":1.5
"count":100|"count":99999999999999999999999
"gaussian"|"laplace"
"gaussian"|"poisson"
"gaussian"|7
"secure"|"maybe"
"count":100|"count":100,"count":1
"count":100|"count":100,"surprise":1
"count":100|"rate":0.5,"count":100
END
}

@test "deep nesting and long numbers are refused, not a crash" {
    { printf '{"format":"dp2dp-ledger","entries":'; printf '[%.0s' {1..100000}; } >deep.json
    refuses 4 "" account deep.json --delta 1e-5
    ledger replace-one "$budget" "${entry/40/$(printf '9%.0s' {1..5000})}" >long.json
    refuses 4 "" account long.json
}

@test "re-accounting leaves the file as it was" {
    ledger replace-one "$budget" "$entry" >pool.json
    chmod a-w pool.json
    local before
    before=$(sha256sum pool.json)
    answers account pool.json
    [ "$before" = "$(sha256sum pool.json)" ]
    [ "$(ls)" = pool.json ]
}

@test "an old ledger with several numbers of rows is accounted for the largest" {
    ledger replace-one "" "$entry,${entry/\"rows_per_person\":1/\"rows_per_person\":5}" >pool.json
    answers account pool.json --delta 1e-6
    says "at most 5"
    answers account pool.json --delta 1e-6 --json
    local both
    both=$(jq .epsilon <<<"$output")
    ledger replace-one "" "${entry/\"count\":100/\"count\":200}" | sed 's/"rows_per_person":1/"rows_per_person":5/' >pool.json
    answers account pool.json --delta 1e-6 --json
    is_tight .epsilon "$both"
}

@test "a command that is refused leaves no new ledger" {
    synthetic 300 1 >t.csv
    { cat t.csv && echo "1,2,three,4,5,1,0"; } >bad.csv
    local private=(--epsilon 1 --delta 1e-5 --ledger l.json)
    answers train t.csv --schema s.json --epsilon 1 --delta 1e-5 --out c.json
    ls >before
    refuses 4 "" train bad.csv --schema s.json "${private[@]}" --out m.json
    separately "$DP2DP" train - --schema s.json "${private[@]}" --out m.json <bad.csv
    [ "$status" -eq 4 ]
    refuses 4 "" fit bad.csv --model c.json "${private[@]}" --out m.json
    refuses 2 "no fair rule" certify c.json t.csv "${private[@]}"
    answers fit t.csv --model c.json --epsilon 1 --delta 1e-5 --out m.json
    refuses 4 "" certify m.json bad.csv "${private[@]}"
    refuses 2 "" certify m.json t.csv "${private[@]}" --confidence 1.5
    rm m.json
    ls | diff before -
}

@test "a ledger that cannot be kept is refused before anything is learned" {
    synthetic 300 1 >t.csv
    mkdir l.json.lock
    refuses 1 "l.json.lock" train t.csv --schema s.json --epsilon 1 --delta 1e-5 --ledger l.json --out c.json
    refuses 1 "missing/l.json" train t.csv --schema s.json "${private[@]}" --ledger missing/l.json --out c.json
    [ ! -e c.json ] && [ ! -e l.json ]
}

@test "an older copy of a ledger is refused, with what to do, until its lock file is gone" {
    people 300 1 >pool.csv
    local fit=(fit pool.csv "${scored[@]}" "${private[@]}") words="perhaps because an older copy was restored; restore the newer file"
    answers "${fit[@]}" --ledger l.json --out 1.json
    cp l.json backup.json
    answers "${fit[@]}" --ledger l.json --out 2.json
    cp l.json newer.json
    cp backup.json l.json
    ln -s l.json link.json
    refuses 4 "$words" "${fit[@]}" --ledger l.json --out 3.json
    refuses 4 "$words" "${fit[@]}" --ledger l.json --dry-run
    refuses 4 "$words" account l.json --delta 1e-5
    refuses 4 "$words" account link.json --delta 1e-5
    cmp l.json backup.json
    [ ! -e 3.json ]
    answers account backup.json --delta 1e-5
    answers "${fit[@]}" --ledger backup.json --out 3.json # a copy at another place is a ledger of its own
    cp newer.json l.json
    answers "${fit[@]}" --ledger l.json --out 4.json
    cp newer.json l.json
    rm l.json.lock
    answers "${fit[@]}" --ledger l.json --out 5.json
}

@test "ten commands at once begin one ledger, and every one of them is in it" {
    synthetic 200 1 >t.csv
    answers train t.csv --schema s.json --epsilon 1 --delta 1e-5 --out c.json
    answers fit t.csv --model c.json --epsilon 1 --delta 1e-5 --out m.json
    local i
    for i in 1 2 3 4 5 6 7 8 9 10; do
        timeout 300 "$DP2DP" certify m.json t.csv --epsilon "$i" --delta 1e-5 --ledger l.json >"$i.txt" 3>&- &
    done
    wait
    answers account l.json --delta 1e-5 --json
    holds '.entries | length == 10 and (map(.sigma) | unique | length) == 10'
    for i in 1 2 3 4 5 6 7 8 9 10; do
        [ -s "$i.txt" ]
    done
}
