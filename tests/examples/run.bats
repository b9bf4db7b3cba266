#!/usr/bin/env bats
# The examples do what they say, on their own files and on files that the program wrote.
load ../cli/helpers

examples=${DP2DP_BUILD_DIR:-$BATS_TEST_DIRNAME/../../build}/examples

runs() { # example argument...: the example succeeds and prints nothing on stderr; stdout is in $output
    local name=$1
    shift
    separately "$examples/$name" "$@"
    if [ "$status" -ne 0 ] || [ -n "$stderr" ]; then
        printf '%s %s\nexit code %s\nstderr: %s\n' "$name" "$*" "$status" "$stderr"
        return 1
    fi
}

@test "every example has a test here" {
    local name
    for name in "$BATS_TEST_DIRNAME"/../../examples/*.c; do
        grep -q "runs $(basename "$name" .c)\b" "$BATS_TEST_FILENAME"
        [ "$(wc -l <"$name")" -le 80 ]
    done
}

@test "docs/c.md names every public function, and no other" {
    local root=$BATS_TEST_DIRNAME/../..
    diff <({
        "$root/tools/public_functions" "$root"
        sed -n 's/^\(DP2DP_MUST_CHECK \)\{0,1\}static inline .*[ *]\(dp2dp_[a-z_]*\)(.*/\2/p' "$root"/include/dp2dp/*.h
    } | sort) \
        <(grep -oE '`dp2dp_[a-z0-9_]+`' "$root/docs/c.md" | tr -d '`' | sort -u |
            grep -vxE 'dp2dp_(status|error|matrix|column|source|pool_columns|gradient_question|gradient_source)')
}

# code FILE: its blocks of C.
code() {
    sed -n '/^```c$/,/^```$/p' "$1"
}

@test "the lines of docs/c.md compile, and begin with those of the README" {
    local root=$BATS_TEST_DIRNAME/../..
    diff <(code "$root/docs/c.md" | sed '/^```$/q') <(code "$root/README.md")
    {
        printf '#include <dp2dp/dp2dp.h>\ndp2dp_status f(void);\ndp2dp_status f(void) {\n'
        printf 'dp2dp_matrix scores = {0}; dp2dp_column groups = {0}; dp2dp_pool *pool; dp2dp_source source;\n'
        printf 'dp2dp_pool_options pool_options = DP2DP_POOL_OPTIONS_INIT;\n'
        printf 'dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;\n'
        printf 'dp2dp_model *model; dp2dp_error error; dp2dp_status status; int32_t decisions[9];\n'
        printf 'struct ArrowArrayStream stream = {0};\n'
        code "$root/docs/c.md" | grep -v '^```'
        printf 'return status;\n}\n'
    } >lines.c
    [ "$(wc -l <lines.c)" -eq 24 ]
    "${DP2DP_CC:-cc}" -std=c17 -Wall -Wextra -Werror -fsyntax-only -I "$root/include" \
        -I "${DP2DP_BUILD_DIR:-$root/build}/include" lines.c
}

@test "fit_scores treats both groups alike" {
    runs fit_scores
    [[ "$output" =~ ^unfairness\ before\ (0\.[0-9]+),\ after\ (0\.[0-9]+)$ ]]
    awk -v before="${BASH_REMATCH[1]}" -v after="${BASH_REMATCH[2]}" 'BEGIN { exit !(before > 0.3 && after < 0.1) }'
}

@test "account spends a budget and is refused the rest" {
    runs account
    [ "$(grep -c '^charged' <<<"$output")" = 3 ]
    grep -q '^charged 1 times, epsilon 0.5000$' <<<"$output"
    tail -n 1 <<<"$output" | grep -q '^refused: .*the budget is epsilon 1$'
}

@test "audit accounts anew for a model of the library" {
    runs fit_scores model.json
    runs audit model.json
    says "a rule for 2 groups and 2 classes, learned from 4000 people" "released: decision counts (gaussian), 80 times" \
        "promised: epsilon 1.0000 at delta 1e-05" "accounted anew: 1.0000, within what is promised"
    [[ "$output" != *"NOT PRIVATE"* ]]
}

@test "audit says what is not private in a model of the program" {
    people 500 1 >pool.csv
    fits --solver exact --out model.json
    runs audit model.json
    says "NOT PRIVATE: no noise was added"
    [[ "$output" != *promised* ]]
}

@test "audit refuses a file that was changed, and one that is not there" {
    runs fit_scores model.json
    sed -i 's/"records": *4000/"records": 40000/' model.json
    separately "$examples/audit" model.json
    [ "$status" -eq 4 ]
    [[ "$stderr" == "audit: "*checksum* ]]
    separately "$examples/audit" missing.json
    [ "$status" -eq 1 ]
    [[ "$stderr" == "audit: "*missing.json* ]]
}

# two_tables: 2,000 people to train on and 2,000 for the pool, from the paper's generator, and their schema.
two_tables() {
    "$DP2DP" synth --samples 4000 --features 3 --classes 2 --p 0.9 --insecure-seed 1 --out all.csv
    sed -n '1,2001p' all.csv >train.csv
    sed -n '1p;2002,4001p' all.csv >pool.csv
    "$DP2DP" schema --columns "x1:-5:5,x2:-5:5,x3:-5:5,s:sensitive:-1|1,y:label:0|1" --out schema.json
}

@test "train_table makes a model that audits, and that costs no more than its dearer half" {
    two_tables
    runs train_table train.csv pool.csv schema.json model.json
    runs audit model.json
    says "learned from 2000 people" "gradient sums" "decision counts (gaussian), 80 times" \
        "promised: epsilon 1.0000 at delta 1e-05" "within what is promised"
    [[ "$output" != *"NOT PRIVATE"* ]]
}

@test "train_table says what is wrong, and writes nothing" {
    two_tables
    separately "$examples/train_table" train.csv
    [ "$status" -eq 2 ]
    [[ "$stderr" == *usage* ]]
    head -n 1 pool.csv >empty.csv
    separately "$examples/train_table" train.csv empty.csv schema.json model.json
    [ "$status" -eq 4 ]
    [[ "$stderr" == *"no people"* ]]
    sed '100s/,[01]$/,2/' pool.csv >unknown.csv
    separately "$examples/train_table" train.csv unknown.csv schema.json model.json
    [ "$status" -eq 4 ]
    [[ "$stderr" == *unknown.csv* ]]
    separately "$examples/train_table" train.csv missing.csv schema.json model.json
    [ "$status" -eq 1 ]
    [ ! -e model.json ]
}
