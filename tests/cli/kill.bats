#!/usr/bin/env bats
# A command killed with kill -9 at any moment leaves its output file old or new, never incomplete.
load helpers

export SOURCE_DATE_EPOCH=1700000000 # the time in the entries of ledgers

fit=(fit pool.csv "${scored[@]}" "${private[@]}" --insecure-seed 1)

# kept FILE: the name of its copies, after kept/old- and kept/new-.
kept() { echo "${1//\//-}"; }

# put_back FILE: restores the old file, or removes FILE if there was none.
put_back() {
    if [ -e "kept/old-$(kept "$1")" ]; then
        cp "kept/old-$(kept "$1")" "$1"
    else
        rm -f "$1"
    fi
}

# unpublished LEDGER: the ledger before its last entry, which says that the model is published.
unpublished() {
    awk '{ line[NR] = $0 }
        END {
            last = NR - 2
            published = line[last] ~ /"entry":"published"/
            if (published) sub(/,$/, "", line[last - 1])
            for (i = 1; i <= NR; i++) if (i != last || !published) print line[i]
        }' "$1"
}

# whole FILE: has its old contents, those that the complete command writes or, if it is a ledger, those of the charge.
whole() {
    local copy
    copy=$(kept "$1")
    if cmp -s "$1" "kept/old-$copy" || { [ ! -e "$1" ] && [ ! -e "kept/old-$copy" ]; }; then
        olds=$((olds + 1))
    elif [[ "$1" == *.lock && -e "$1" ]] && { [ ! -s "$1" ] || "$DP2DP" account "${1%.lock}" --delta 1e-5 >/dev/null; }; then
        news=$((news + 1)) # a lock of a ledger that was killed before its mark says less than it could, and nothing wrong
    elif cmp -s "$1" "kept/new-$copy" || cmp -s "$1" "kept/charged-$copy"; then
        news=$((news + 1))
    else
        echo "$1 is neither the old file nor the new one, after $kills kills"
        return 1
    fi
}

# A test may redefine this: what must hold for several files together after every kill.
together() { :; }

# killed COUNT FILES COMMAND...: kills the command COUNT times, each time at a random moment. Each of FILES, one or
# more words, must be whole every time, and is then put back. Leaves the names of all other new files in $litter,
# and what the command printed in kept/said.
killed() {
    local count=$1 files=$2 file length start after tries=0 code
    shift 2
    [ "$1" = certify ] || set -- "$@" --force
    kills=0 olds=0 news=0
    mkdir kept
    for file in $files; do
        [ ! -e "$file" ] || cp "$file" "kept/old-$(kept "$file")"
    done
    { ls -A && printf '%s\n' $files; } >kept/before
    start=${EPOCHREALTIME//[!0-9]/}
    "$DP2DP" "$@" >/dev/null 2>&1
    length=$((${EPOCHREALTIME//[!0-9]/} - start))
    for file in $files; do
        cp "$file" "kept/new-$(kept "$file")"
        [[ "$file" != *ledger.json ]] || unpublished "$file" >"kept/charged-$(kept "$file")"
        ! cmp -s "kept/old-$(kept "$file")" "$file" || return 1
    done
    while [ "$kills" -lt "$count" ]; do
        tries=$((tries + 1))
        for file in $files; do
            put_back "$file"
        done
        code=0
        after=$(((RANDOM << 15 | RANDOM) % length + 1))
        # In the foreground, timeout waits until the command is dead and its locks are free.
        timeout --foreground --preserve-status -s KILL "$(printf '%d.%06d' $((after / 1000000)) $((after % 1000000)))" \
            "$DP2DP" "$@" >kept/said 2>/dev/null || code=$?
        # The speed of the machine varies: adjust the time so that about three of four runs are killed.
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
    # Files left behind do no harm: the next run succeeds and removes them.
    for file in $files; do
        put_back "$file"
    done
    "$DP2DP" "$@" >/dev/null 2>&1 || return 1
    for file in $files; do
        cmp "$file" "kept/new-$(kept "$file")" || return 1
    done
    find . -mindepth 1 -maxdepth 1 -printf '%P\n' | grep -vxFf kept/before && return 1
    # Kills must also come before the file is replaced.
    [ "$olds" -gt $((count / 10)) ]
}

# leaves PATTERN [MOST]: at most MOST files (1) were left behind, and all match PATTERN.
leaves() {
    if grep -vE "^($1)\$" <<<"$litter" | grep .; then
        echo "left behind"
        return 1
    fi
    [ "$(grep -c . <<<"$litter" || true)" -le "${2:-1}" ]
}

# dies COUNT FILE ARGUMENT...: as killed, with an old FILE; leaves at most one temporary file of FILE.
dies() {
    echo old >"$2"
    killed "$@"
    leaves "\\.${2//./\\.}\\.tmp"
}

two_tables() { # people.csv and its schema
    "$DP2DP" synth --samples 1000 --features 3 --classes 2 --insecure-seed 1 --out people.csv
    "$DP2DP" schema --columns "x1:-5:5,x2:-5:5,x3:-5:5,s:sensitive:-1|1,y:label:0|1" --out schema.json
}

@test "synth" {
    dies 25 data.csv synth --samples 2000 --insecure-seed 1 --out data.csv
}

@test "fit" {
    people 2000 1 >pool.csv
    dies 20 model.json "${fit[@]}" --out model.json
}

@test "predict" {
    people 2000 1 >pool.csv
    "$DP2DP" "${fit[@]}" --out model.json >/dev/null
    dies 20 decisions.csv predict model.json pool.csv --out decisions.csv
}

@test "schema" {
    dies 10 schema.json schema adult --json --out schema.json
}

@test "train" {
    two_tables
    dies 20 model.json train people.csv --schema schema.json "${private[@]}" --insecure-seed 1 --out model.json
}

@test "what a run saves" {
    two_tables
    dies 15 run-0.csv run people.csv --schema schema.json "${private[@]}" --insecure-seed 1 --save .
}

@test "data" {
    [ -n "${DP2DP_DATA:-}" ] || skip "DP2DP_DATA is not set"
    dies 10 adult.csv data adult --out adult.csv
}

@test "a download" {
    [ -n "${DP2DP_DATA:-}" ] || skip "DP2DP_DATA is not set"
    local folder=data/parkinsons
    mkdir bin data
    cat >bin/curl <<'END'
#!/bin/sh
while [ "$1" != --output ]; do shift; done
head -c 1000 "$DP2DP_DATA/parkinsons/${4##*/}" >"$2" && sleep 0.05
exec cp "$DP2DP_DATA/parkinsons/${4##*/}" "$2"
END
    chmod +x bin/curl
    PATH=$PWD/bin:$PATH killed 10 "$folder/parkinsons_updrs.data $folder/parkinsons_updrs.names" \
        data parkinsons --data-dir data --download
    litter=$(find data -type f ! -name '*.data' ! -name '*.names' -printf '%f\n')
    leaves 'parkinsons_updrs\.(data|names)\.[0-9]+\.tmp' 10
}

# The ledger is charged before anything is printed or written.
is_charged() { cmp -s ledger.json kept/new-ledger.json || cmp -s ledger.json kept/charged-ledger.json; }

@test "the charge of a ledger, which is there before the model is" {
    people 2000 1 >pool.csv
    "$DP2DP" "${fit[@]}" --out model.json --ledger ledger.json >/dev/null
    together() { cmp -s model.json kept/old-model.json || is_charged; }
    echo old >model.json
    killed 40 "ledger.json ledger.json.lock model.json" "${fit[@]}" --out model.json --ledger ledger.json
    leaves '\.model\.json\.tmp|ledger\.json\.tmp' 2
}

@test "the charge that begins a ledger, which is there before the model is" {
    two_tables
    together() { [ ! -e model.json ] || is_charged; }
    killed 30 "ledger.json ledger.json.lock model.json" train people.csv --schema schema.json "${private[@]}" \
        --insecure-seed 1 --ledger ledger.json --out model.json
    leaves '\.model\.json\.tmp|ledger\.json\.tmp' 2
}

@test "the charge of a certificate, which is there before the answer is" {
    people 2000 1 >pool.csv
    "$DP2DP" "${fit[@]}" --out model.json >/dev/null
    together() { [ ! -s kept/said ] || is_charged; }
    killed 20 "ledger.json ledger.json.lock" certify model.json pool.csv "${private[@]}" --insecure-seed 2 --ledger ledger.json
    leaves 'ledger\.json\.tmp'
}

@test "a certificate" {
    people 2000 1 >pool.csv
    "$DP2DP" "${fit[@]}" --out model.json >/dev/null
    dies 10 proof.json certify model.json pool.csv "${private[@]}" --insecure-seed 2 --force --out proof.json
}

@test "a report" {
    people 2000 1 >pool.csv
    "$DP2DP" "${fit[@]}" --out model.json >/dev/null
    dies 10 page.html report model.json --out page.html
}

@test "an export" {
    people 2000 1 >pool.csv
    "$DP2DP" "${fit[@]}" --out model.json >/dev/null
    dies 10 rule.sql export model.json --sql duckdb --out rule.sql
}

@test "the exposure by a run, which is there before the answer is" {
    two_tables
    together() { [ ! -s kept/said ] || is_charged; }
    killed 10 "ledger.json ledger.json.lock" run people.csv --schema schema.json "${private[@]}" --ledger ledger.json
    leaves 'ledger\.json\.tmp'
}

@test "the table of a sweep, whose finished points stay" {
    two_tables
    echo old >s.csv
    killed 10 s.csv sweep people.csv --schema schema.json "${private[@]}" --runs 10 --insecure-seed 1 --out s.csv
    leaves '\.s\.csv\.tmp|s\.csv\.part' 2
}

@test "the exposure by a sweep, which is there before a point is" {
    two_tables
    together() {
        [ ! -e s.csv.part ] || [ "$(wc -l <s.csv.part)" -le 1 ] || is_charged || return 1
        rm -f s.csv.part # the ledger is put back too
    }
    killed 10 "ledger.json ledger.json.lock s.csv" sweep people.csv --schema schema.json "${private[@]}" --runs 10 \
        --insecure-seed 1 --ledger ledger.json --out s.csv
}

@test "no other option writes" {
    local verb
    sed -n 's/^CLI_VERB(\([a-z]*\),.*/\1/p' "$BATS_TEST_DIRNAME/../../cli/cmd/verbs.def" >verbs
    while read -r verb; do
        "$DP2DP" "$verb" --help | grep -oE '^  --(download|[a-z-]+ (FILE|DIR|MODEL|TABLE|SCHEMA))\b' |
            sed "s/^ */$verb /" | cut -d ' ' -f 1,2
    done <verbs >paths
    printf '%s\n' 'data --data-dir' 'fit --group-model' 'fit --model' 'report --certificate' 'report --test' 'run --data-dir' 'run --schema' \
        'schema --draft-from' 'sweep --data-dir' 'sweep --schema' 'train --data-dir' 'train --schema' 'train --weights' >read
    printf '%s\n' 'certify --ledger' 'certify --out' 'count --ledger' 'data --download' 'data --out' 'export --out' 'fit --ledger' 'fit --out' 'predict --out' \
        'report --out' 'run --ledger' 'run --save' 'schema --out' 'sweep --ledger' 'sweep --out' 'synth --out' 'train --ledger' \
        'train --out' >written
    sort paths | diff - <(sort read written)
}
