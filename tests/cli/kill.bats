#!/usr/bin/env bats
# kill -9 at any moment of a command that writes leaves the old file or the new one, whole; 200 kills in all.
load helpers

fit=(fit pool.csv --scores p_no,p_yes --classes no,yes --sensitive sex --groups F,M --epsilon 1 --delta 1e-5
    --insecure-seed 1)

# whole FILE: what it was before, or what it is after the command has ended.
whole() {
    if cmp -s "$1" "kept/old-$1"; then
        olds=$((olds + 1))
    elif cmp -s "$1" "kept/new-$1"; then
        news=$((news + 1))
    else
        echo "$1 is neither the old file nor the new one, after $kills kills"
        return 1
    fi
}

# What must hold of several files together, after every kill.
together() { :; }

# killed COUNT FILES COMMAND...: kills the command COUNT times, each at a moment of its own between its
# start and its end; FILES, some words, are whole each time and put back as they were. Leaves in $litter
# what else is in the folder.
killed() {
    local count=$1 files=$2 file length start tries=0 code
    shift 2
    set -- "$@" --force
    kills=0 olds=0 news=0
    mkdir kept
    for file in $files; do
        cp "$file" "kept/old-$file"
    done
    ls -A >kept/before
    start=${EPOCHREALTIME//[!0-9]/}
    "$DP2DP" "$@" >/dev/null 2>&1
    length=$((${EPOCHREALTIME//[!0-9]/} - start))
    for file in $files; do
        cp "$file" "kept/new-$file"
        ! cmp -s "kept/old-$file" "kept/new-$file" || return 1
    done
    while [ "$kills" -lt "$count" ]; do
        tries=$((tries + 1))
        for file in $files; do
            cp "kept/old-$file" "$file"
        done
        code=0
        timeout -s KILL "$(printf '0.%06d' $(((RANDOM << 15 | RANDOM) % length + 1)))" \
            "$DP2DP" "$@" >/dev/null 2>&1 || code=$?
        # The machine may be slower or faster by now: three of four runs are to be killed.
        case $code in
        0) length=$((length - length / 8)) ;;
        137) kills=$((kills + 1)) length=$((length + length / 24)) ;;
        *) return 1 ;;
        esac
        for file in $files; do
            whole "$file" || return 1
        done
        together || return 1
    done
    litter=$(find . -mindepth 1 -maxdepth 1 -printf '%P\n' | grep -vxFf kept/before || true)
    echo "# $1: $kills of $tries runs killed, $olds files old, $news new, $(grep -c . <<<"$litter" || true)" \
        "left behind" >&3
    # A test in which no kill came before the end would show nothing.
    [ "$olds" -gt $((count / 10)) ]
}

# leaves PATTERN [MOST]: only such files were left behind, at most one (MOST): the next run takes it away.
leaves() {
    if grep -vE "^($1)\$" <<<"$litter" | grep .; then
        echo "left behind"
        return 1
    fi
    [ "$(grep -c . <<<"$litter" || true)" -le "${2:-1}" ]
}

two_tables() { # of people, and of what is known about their columns
    "$DP2DP" synth --samples 1000 --features 3 --classes 2 --insecure-seed 1 --out people.csv
    "$DP2DP" schema --columns "x1:-5:5,x2:-5:5,x3:-5:5,s:sensitive:-1|1,y:label:0|1" --out schema.json
}

@test "synth" {
    echo old >data.csv
    killed 40 data.csv synth --samples 2000 --insecure-seed 1 --out data.csv
    leaves '\.data\.csv\.[0-9]+\.tmp'
}

@test "fit" {
    people 2000 1 >pool.csv
    echo old >model.json
    killed 30 model.json "${fit[@]}" --out model.json
    leaves '\.model\.json\.[0-9]+\.tmp'
}

@test "predict" {
    people 2000 1 >pool.csv
    "$DP2DP" "${fit[@]}" --out model.json >/dev/null
    echo old >decisions.csv
    killed 30 decisions.csv predict model.json pool.csv --out decisions.csv
    leaves '\.decisions\.csv\.[0-9]+\.tmp'
}

@test "schema" {
    echo old >schema.json
    killed 15 schema.json schema adult --json --out schema.json
    leaves '\.schema\.json\.[0-9]+\.tmp'
}

@test "train" {
    two_tables
    echo old >model.json
    killed 30 model.json train people.csv --schema schema.json --epsilon 1 --delta 1e-5 --insecure-seed 1 \
        --out model.json
    leaves '\.model\.json\.[0-9]+\.tmp'
}

@test "what a run saves" {
    two_tables
    echo old >run-0.csv
    killed 15 run-0.csv run people.csv --schema schema.json --epsilon 1 --delta 1e-5 --insecure-seed 1 --save .
    leaves '\.run-0\.csv\.[0-9]+\.tmp'
}

@test "data" {
    [ -n "${DP2DP_DATA:-}" ] || skip "DP2DP_DATA is not set"
    echo old >adult.csv
    killed 20 adult.csv data adult --out adult.csv
    leaves '\.adult\.csv\.[0-9]+\.tmp'
}

@test "the charge of a ledger, which is there before the model is" {
    people 2000 1 >pool.csv
    "$DP2DP" "${fit[@]}" --out model.json --ledger ledger.json >/dev/null
    together() { # no model that was not paid for
        cmp -s model.json kept/old-model.json || cmp -s ledger.json kept/new-ledger.json
    }
    echo old >model.json
    killed 40 "ledger.json model.json" "${fit[@]}" --out model.json --ledger ledger.json
    leaves '\.model\.json\.[0-9]+\.tmp|ledger\.json\.tmp' 2
}
