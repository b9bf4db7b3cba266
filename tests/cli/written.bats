#!/usr/bin/env bats
# A command says what it wrote, on standard output unless the result itself goes there.
load helpers

data=(--samples 300 --features 3 --classes 2 --insecure-seed 1)
columns=(--columns "x1:-5:5,s:sensitive:-1|1,y:label:0|1")

@test "rows: how many, and where" {
    answers synth "${data[@]}" --out "my data.csv"
    [ "$output" = "300 rows, written to my data.csv" ]
    answers synth --samples 1 --features 1 --insecure-seed 1 --out one.csv
    [ "$output" = "1 row, written to one.csv" ]
}

@test "a schema, and whether it is private" {
    answers schema "${columns[@]}" --out s.json
    [ "$output" = "Schema, written to s.json" ]
    answers schema s.json --json --out all.json
    [ "$output" = "Schema, written to all.json" ]
    output=$(<all.json)
    holds '.columns | length == 3'
    answers synth "${data[@]}" --out data.csv
    answers schema --columns x1,s:sensitive,y:label --draft-from data.csv --out draft.json
    [ "$output" = $'NOT PRIVATE: the schema was inferred from the data\nSchema, written to draft.json' ]
}

@test "a data set, in text and in JSON" {
    [ -n "${DP2DP_DATA:-}" ] || skip "needs DP2DP_DATA"
    answers data parkinsons --out p.csv
    [ "$output" = "5875 rows, written to p.csv" ]
    answers data parkinsons --out p.csv --force --json
    holds '.name == "parkinsons" and .out == "p.csv" and .table_rows == 5875 and has("folder")'
    [ "$(wc -l <p.csv)" -eq 5876 ]
}

@test "a name cannot write to the terminal" {
    answers synth "${data[@]}" --out $'a\eb.csv'
    [ "$output" = "300 rows, written to a?b.csv" ]
}

@test "standard output has rows and schemas alone" {
    answers synth "${data[@]}"
    [[ "$output" != *written* ]]
    [ "$(wc -l <<<"$output")" -eq 301 ]
    answers schema "${columns[@]}"
    holds '.columns | length == 3'
    refuses 2 "--json needs --out FILE: standard output holds the rows" data adult --data-dir . --out - --json
}

# through_pipe ARGUMENT...: runs with --out /dev/stdout, which is a pipe.
through_pipe() {
    separately bash -o pipefail -c '"$@" --out /dev/stdout | cat' -- "$DP2DP" "$@"
}

@test "standard output by another name is standard output" {
    people 400 1 >pool.csv
    synthetic 300 1 >t.csv
    through_pipe fit pool.csv "${unnamed[@]}" "${private[@]}"
    [ "$status" -eq 0 ]
    holds '.format == "dp2dp-model"'
    printf '%s\n' "$output" >m.json
    through_pipe train t.csv --schema s.json --method none
    holds '.format == "dp2dp-model"'
    through_pipe predict m.json pool.csv
    [ "$(wc -l <<<"$output")" -eq 401 ]
    [[ "$output" != *written* ]]
    through_pipe predict m.json pool.csv --json
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"--json needs --out FILE: standard output holds the decisions"* ]]
    through_pipe synth "${data[@]}" --json
    [ "$status" -eq 2 ]
}

@test "another pipe than standard output holds the model, and the answer is said" {
    people 400 1 >pool.csv
    mkfifo pipe
    cat pipe >m.json 3>&- &
    answers fit pool.csv "${unnamed[@]}" "${private[@]}" --out pipe
    wait
    says "Fair rule, written to pipe"
    answers show m.json
}

@test "what is in the way is seen before rows are read or downloaded" {
    echo old >s.json
    echo x1 >bad.csv
    refuses 2 "s.json; --force replaces it" schema --columns x1,y --draft-from bad.csv --out s.json
    refuses 2 "s.json; --force replaces it" data adult --data-dir none --download --out s.json
    [ ! -e none ]
    ln -s nowhere link
    refuses 1 "cannot write: the symbolic link leads to no file: link" synth "${data[@]}" --out link
    [[ "$stderr" != *"folder"* ]]
}

@test "a file of the data set that is read is an input" {
    mkdir -p data/parkinsons
    echo old >data/parkinsons/parkinsons_updrs.data
    ln -s data/parkinsons/parkinsons_updrs.data link
    local out
    for out in data/parkinsons/parkinsons_updrs.data ./data/../link; do
        refuses 2 "would overwrite an input" data parkinsons --data-dir data --force --out "$out"
    done
    [ "$(<link)" = old ]
    [ -n "${DP2DP_DATA:-}" ] || skip "the rest needs DP2DP_DATA"
    cp "$DP2DP_DATA/parkinsons/parkinsons_updrs.data" data/parkinsons/
    DP2DP_DATA=data refuses 2 "would overwrite an input" \
        train --schema parkinsons "${private[@]}" --force --out link
    answers train link --separator , --schema parkinsons --epsilon 1 --delta 1e-5 --out c.json
}
