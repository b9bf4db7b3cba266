#!/usr/bin/env bats
# --dry-run prints the charge that the command then makes, and does nothing else.
load helpers

begin() {
    people 400 1 >pool.csv
    synthetic 400 1 >t.csv
}

# The charges, without what only a release has.
charges='[.entries[] | select(.kind == "charge") | del(.release_id, .time, .verb, .note, .library_version, .hash)]'

# rehearsed ARGUMENT...: the dry run changes no file, and the run after it charges l.json exactly what it said.
rehearsed() {
    local told
    ls -A >../before
    sha256sum ./* >../sums
    answers "$@" --ledger l.json --dry-run --json
    told=$(jq -c "$charges" <<<"$output")
    holds '.dry_run and .allowed and .epsilon <= '"${most:-1}"' and .epsilon > 0.9 and .spent_after == .epsilon and (.entries | length) > 0'
    ls -A | cmp ../before
    sha256sum ./* | cmp ../sums
    answers "$@" --ledger l.json
    answers account l.json --delta 1e-5 --json
    [ "$(jq -c "$charges" <<<"$output")" = "$told" ]
    rm l.json l.json.lock
}

@test "the charge foretold is the charge made, for every method and solver" {
    local method solver
    for method in dpgd dpsgd output; do
        rehearsed train t.csv --schema s.json --method "$method" "${private[@]}" --out "$method.json"
    done
    for solver in counts sgd; do
        rehearsed fit pool.csv "${unnamed[@]}" --solver "$solver" "${private[@]}" --out "$solver.json"
    done
    rehearsed fit t.csv --model dpgd.json "${private[@]}" --out fair.json
    rehearsed train t.csv --schema s.json "${private[@]}" --rows-per-person 2 --out two.json
    # The same people pay for both phases.
    most=1.5 rehearsed fit t.csv --model two.json --same-people "${private[@]}" --rows-per-person 2 --out same.json
    rehearsed certify counts.json pool.csv "${private[@]}"
}

@test "a run is the two phases of one run" {
    answers run t.csv --schema s.json "${private[@]}" --runs 3 --save runs --dry-run --json
    holds '.epsilon <= 1 and .ledger == null and [.entries[].people] == ["train part", "pool part", "pool part"]'
    [ ! -e runs ]
    answers run t.csv --schema s.json --method none --solver exact --dry-run
    says "would charge nothing: no noise is added, and nothing is promised"
}

@test "a dry run is refused where the command is, with the same words" {
    answers fit pool.csv "${unnamed[@]}" "${private[@]}" --ledger l.json --budget 1.2 --out m.json
    local before words="this charge would take epsilon to 1.46517 at delta 1e-05; the budget is epsilon 1.2: l.json"
    before=$(sha256sum l.json)
    refuses 3 "$words" fit pool.csv "${unnamed[@]}" "${private[@]}" --ledger l.json --out n.json --dry-run --json
    refuses 3 "$words" fit pool.csv "${unnamed[@]}" "${private[@]}" --ledger l.json --out n.json
    answers certify m.json pool.csv --epsilon 0.1 --delta 1e-5 --ledger l.json --dry-run
    says "the total would be epsilon" ": allowed"
    [ "$(sha256sum l.json)" = "$before" ]
    [ ! -e n.json ]
    refuses 3 "" fit pool.csv "${unnamed[@]}" "${private[@]}" --ledger new.json --budget 0.5 --out n.json --dry-run --json
    [ ! -e new.json ]
}

@test "what the command would refuse, its dry run refuses" {
    echo old >m.json
    refuses 2 "--force" fit pool.csv "${unnamed[@]}" "${private[@]}" --out m.json --dry-run
    refuses 2 "--epsilon E is needed" fit pool.csv "${unnamed[@]}" --out n.json --dry-run
    refuses 2 "--budget needs --ledger" fit pool.csv "${unnamed[@]}" "${private[@]}" --budget 1 --out n.json --dry-run
    sed '5s/F/X/; 5s/M/X/' pool.csv >bad.csv
    refuses 4 "row 4" fit bad.csv "${unnamed[@]}" "${private[@]}" --out n.json --dry-run
}

@test "the noise is given no key" {
    command -v strace >/dev/null || skip "needs strace"
    local fit=("$DP2DP" fit pool.csv "${unnamed[@]}" "${private[@]}" --out n.json)
    keys() { # COMMAND...: counts the keys of 32 bytes that it asks the system for
        ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o trace -e trace=getrandom "$@" >/dev/null || return
        grep -c 'getrandom(.*, 32, ' trace || true
    }
    [ "$(keys "${fit[@]}" --dry-run)" = 0 ]
    [ "$(keys "${fit[@]}")" -ge 1 ]
}

@test "a place that cannot be written to is refused, in a dry run too" {
    refuses 1 "none/m.json; create the folder of this file first" fit pool.csv "${unnamed[@]}" "${private[@]}" --out none/m.json --dry-run
    refuses 1 "none/l.json" fit pool.csv "${unnamed[@]}" "${private[@]}" --ledger none/l.json --dry-run
    refuses 2 "--budget needs --ledger" fit pool.csv "${unnamed[@]}" --solver exact --budget 1 --dry-run
    refuses 1 "--save: cannot write: No such file or directory: none/runs" \
        run t.csv --schema s.json "${private[@]}" --save none/runs/ --dry-run
    local words
    for words in "" --dry-run; do
        # shellcheck disable=SC2086 # none or one
        refuses 1 "--save: not a folder: t.csv" run t.csv --schema s.json "${private[@]}" --save t.csv $words
    done
    answers run t.csv --schema s.json "${private[@]}" --save runs/ --dry-run
    [ ! -e runs ]
}

@test "what the makers of weights promise is not denied" {
    printf '0,0\n1,2\n' >w.csv
    answers schema --columns "a:0:1,y:label:no|yes" --force --out s.json
    local external=(train --schema s.json --method external --weights w.csv --dry-run)
    answers "${external[@]}" "${private[@]}"
    says "would charge nothing: no noise is added"
    [[ "$output" != *"nothing is promised"* ]]
    answers "${external[@]}"
    says "no noise is added, and nothing is promised"
    refuses 2 "--weights must be a file, not a pipe" train --schema s.json --method external \
        --weights <(cat w.csv) --out c.json
}

@test "what is doubtful about a budget is said before it is charged" {
    people 300 1 >pool.csv
    answers fit pool.csv "${scored[@]}" --epsilon 1e-5 --delta 0.5 --dry-run
    says "CAUTION: delta is close to 1/N or above"
    says "were the two swapped?"
    [[ "$output" != *"swapped?."* ]]
    answers fit pool.csv "${scored[@]}" --epsilon 20 --delta 1e-6 --dry-run --json
    holds '.warnings == ["epsilon-large"]'
    answers fit pool.csv "${scored[@]}" --epsilon 1 --delta 1e-6 --dry-run --json
    holds '.warnings == []'
}
