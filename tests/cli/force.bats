#!/usr/bin/env bats
# An existing file is replaced only with --force.
load helpers

data=(--samples 300 --features 3 --classes 2 --insecure-seed 1)

begin() {
    people 400 1 >pool.csv
}

# keeps FILE ARGUMENT...: refuses to replace FILE and names --force; with --force it replaces FILE.
keeps() {
    local file=$1
    shift
    echo old >"$file"
    refuses 2 "the file exists already: $file; --force replaces it" "$@"
    [ "$(<"$file")" = old ]
    answers "$@" --force
    [ "$(head -n 1 "$file")" != old ]
}

@test "no verb replaces a file without --force" {
    keeps data.csv synth "${data[@]}" --out data.csv
    keeps s.json schema --columns "x1:-5:5,s:sensitive:-1|1,y:label:0|1" --out s.json
    keeps c.json train data.csv --schema s.json "${private[@]}" --insecure-seed 1 --out c.json # tells people apart
    keeps m.json fit data.csv --model c.json "${private[@]}" --out m.json
    keeps d.csv predict m.json data.csv --out d.csv
    keeps page.html report m.json --test data.csv --out page.html
    keeps rule.h export m.json --c-header --out rule.h
    mkdir runs
    keeps runs/run-1.csv run data.csv --schema s.json "${private[@]}" --runs 2 --save runs
}

@test "data too" {
    [ -n "${DP2DP_DATA:-}" ] || skip "needs DP2DP_DATA"
    keeps adult.csv data adult --out adult.csv
}

@test "the refusal comes before anything is spent or written" {
    echo old >m.json
    refuses 2 "--force" fit pool.csv "${unnamed[@]}" "${private[@]}" --ledger l.json --out m.json
    synthetic 300 1 >t.csv
    mkdir runs
    echo old >runs/run-1.csv
    refuses 2 "--force" run t.csv --schema s.json "${private[@]}" --runs 2 --save runs
    [ "$(ls -A runs)" = run-1.csv ]
    [ ! -e l.json ]
}

@test "--force does not reach inputs, folders and files one may not write" {
    synthetic 300 1 >t.csv
    mkdir folder
    refuses 2 "would overwrite an input" train t.csv --schema s.json "${private[@]}" --force --out s.json
    refuses 1 "Is a directory" synth "${data[@]}" --force --out folder
}

@test "a ledger is added to, a device written to: neither asks" {
    local i
    for i in 1 2; do
        answers fit pool.csv "${unnamed[@]}" "${private[@]}" --ledger l.json --out "m$i.json"
    done
    [ "$(jq '[.entries[] | select(.entry == "charge")] | length' l.json)" -eq 4 ]
    answers synth "${data[@]}" --out /dev/null
}

@test "a training that is refused for its table leaves no ledger behind" {
    synthetic 20 1 >t.csv
    ls -A >../before
    sed '3s/^[^,]*/oops/' t.csv >../bad.csv
    refuses 4 'column "x1"' train ../bad.csv --schema s.json "${private[@]}" --ledger l.json --out c.json
    head -1 t.csv >../bad.csv
    refuses 4 "there are no rows to train on" train ../bad.csv --schema s.json "${private[@]}" --ledger l.json --out c.json
    ls -A | cmp ../before
    answers train t.csv --schema s.json "${private[@]}" --ledger l.json --out c.json
    [ "$(jq '[.entries[] | select(.entry == "charge")] | length' l.json)" -eq 1 ]
}

@test "a seed marks only what draws numbers" {
    synthetic 300 1 >t.csv
    answers fit pool.csv "${unnamed[@]}" --solver exact --insecure-seed 1 --out e.json --json
    holds '.leaks == ["no-noise"]'
    answers train t.csv --schema s.json --method none --insecure-seed 1 --out c.json --json
    holds '.leaks == ["classifier-not-private"]'
    answers run t.csv --schema s.json --method none --solver exact --insecure-seed 1 --json
    holds '.leaks == ["no-noise", "classifier-not-private"]'
    answers run t.csv --schema s.json --method none "${private[@]}" --insecure-seed 1 --json
    holds '.leaks == ["insecure-noise", "classifier-not-private"]'
    answers run t.csv --schema s.json --solver exact "${private[@]}" --insecure-seed 1 --json
    holds '.leaks == ["no-noise", "insecure-noise"]'
}
