# Functions that all scripts of this folder share. DP2DP is the program under test.
# bats 1.2 (Ubuntu 22.04) has neither `run --separate-stderr` nor a directory per test.
DP2DP=${DP2DP:-$BATS_TEST_DIRNAME/../../build/dp2dp}

# A budget, and the columns of the tables that people() writes.
private=(--epsilon 1 --delta 1e-5)
unnamed=(--scores p_no,p_yes --sensitive sex --groups F,M)
scored=("${unnamed[@]}" --classes no,yes)
verbs=(account calibrate certify count data evaluate export fit predict report run schema show sweep synth train verify)

# A script that defines `begin` has it called before each test, in the test's empty folder.
setup() {
    BATS_TEST_TMPDIR=$(mktemp -d)
    mkdir "$BATS_TEST_TMPDIR/work" && cd "$BATS_TEST_TMPDIR/work" || return
    ! declare -F begin >/dev/null || begin
}

# Kills the processes that a failed test leaves: they hold bats' descriptor 3, and bats waits for them.
teardown() {
    local left
    left=$(jobs -pr; jobs -ps)
    # shellcheck disable=SC2086 # numbers
    [ -z "$left" ] || kill -9 $left 2>/dev/null || true
    cd / && rm -rf "$BATS_TEST_TMPDIR"
}

# waits_for PID COMMAND...: waits until the command succeeds; fails if the process ends before that.
waits_for() {
    local pid=$1
    shift
    until "$@"; do
        kill -0 "$pid" || return 1
        sleep 0.02
    done
}

# has_begun FILE: the temporary file that will become FILE exists.
has_begun() {
    [ -e ".$1.tmp" ]
}

# hears_interrupts PID: the process is the program, and no longer the shell that starts it, and has installed its
# handler of SIGINT.
hears_interrupts() {
    [ "/proc/$1/exe" -ef "$DP2DP" ] && ((0x$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status") & 2))
}

# signalled SIGNAL CONDITION ARGUMENT...: runs the program and sends SIGNAL as soon as the command CONDITION succeeds.
# Leaves $code, and stderr in ../message.
signalled() {
    local signal=$1 condition=$2 pid
    shift 2
    code=0
    env --default-signal=INT "$DP2DP" "$@" 2>../message 3>&- 7>&- &
    pid=$!
    # shellcheck disable=SC2086 # words
    waits_for "$pid" $condition
    kill "-$signal" "$pid"
    wait "$pid" || code=$?
}

# interrupted WORDS ARGUMENT...: interrupts the program once, during work that can be cancelled, and WORDS are
# on stderr. An interrupt before that work gives another message: then the program is run again, and
# interrupted later. Leaves $code, and what was printed in out and message.
interrupted() {
    local words=$1 after
    shift
    for after in 0.25 0.5 1 2 4 8 16 32 64; do
        code=0
        timeout --foreground --preserve-status -k 60 -s INT "$after" env --default-signal=INT "$DP2DP" "$@" \
            >out 2>message || code=$?
        case $(<message) in
        "$words") return ;;
        "" | "dp2dp: interrupted") ;;
        *) break ;;
        esac
    done
    printf 'dp2dp %s\nexit code %s\nstderr: %s\nwanted: %s\n' "$*" "$code" "$(<message)" "$words"
    return 1
}

# separately COMMAND...: leaves $status, $output (stdout) and $stderr.
separately() {
    status=0
    output=$("$@" 2>"$BATS_TEST_TMPDIR/stderr") || status=$?
    stderr=$(<"$BATS_TEST_TMPDIR/stderr")
}

# refuses CODE WORDS ARGUMENT...: exits with CODE, says WORDS on stderr and nothing on stdout.
refuses() {
    local code=$1 words=$2
    shift 2
    separately "$DP2DP" "$@"
    if [ "$status" -ne "$code" ] || [ -n "$output" ] || [[ "$stderr" != *"$words"* ]]; then
        printf 'dp2dp %s\nexit code %s, wanted %s\nstdout: %s\nstderr: %s\nwanted: %s\n' \
            "$*" "$status" "$code" "$output" "$stderr" "$words"
        return 1
    fi
}

# answers ARGUMENT...: succeeds, says nothing on stderr, leaves stdout in $output.
answers() {
    separately "$DP2DP" "$@"
    if [ "$status" -ne 0 ] || [ -n "$stderr" ]; then
        printf 'dp2dp %s\nexit code %s\nstderr: %s\n' "$*" "$status" "$stderr"
        return 1
    fi
}

# decides ARGUMENT...: predicts with a model that has no fair rule, says so on stderr, leaves stdout in $output.
decides() {
    separately "$DP2DP" predict "$@"
    if [ "$status" -ne 0 ] || [[ "$stderr" != "dp2dp predict: note: the model has no fair rule yet"* ]]; then
        printf 'dp2dp predict %s\nexit code %s\nstderr: %s\n' "$*" "$status" "$stderr"
        return 1
    fi
}

# repeats ARGUMENT...: answers with the $output that is there already.
repeats() {
    local before=$output
    answers "$@"
    [ "$output" = "$before" ]
}

# options_of VERB: the options that its help lists, one per line.
options_of() {
    "$DP2DP" "$1" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p'
}

# runs_as_printed COUNT FILE: a script in which COUNT lines start with dp2dp succeeds and says nothing on stderr.
runs_as_printed() {
    mkdir -p "$BATS_TEST_TMPDIR/bin"
    ln -sf "$(realpath "$DP2DP")" "$BATS_TEST_TMPDIR/bin/dp2dp"
    [ "$(grep -c '^ *dp2dp' "$2")" -eq "$1" ]
    PATH="$BATS_TEST_TMPDIR/bin:$PATH" separately bash -euo pipefail "$2"
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
}

# block PAGE WORDS: the code block of docs/PAGE.md that contains the words.
block() {
    awk -v words="$2" '
        function end_block() { if (index(text, words)) printf "%s", text; text = "" }
        /^```/ { if (fenced) end_block(); fenced = !fenced; next }
        fenced { text = text $0 "\n"; next }
        /^    / { text = text substr($0, 5) "\n"; next }
        { end_block() }
        END { end_block() }' "$DP2DP_SOURCE_DIR/docs/$1.md"
}

# says WORDS...: $output contains each of them, across line ends.
says() {
    local flat words
    flat=$(tr -s ' \n' ' ' <<<"$output")
    for words in "$@"; do
        if [[ "$flat" != *"$words"* ]]; then
            printf 'not said: %s\n%s\n' "$words" "$output"
            return 1
        fi
    done
}

# holds FILTER: the jq filter is true of the JSON object in $output; bad JSON fails too.
holds() {
    if ! jq -e "$1" <<<"$output" >/dev/null; then
        printf 'does not hold: %s\n%s\n' "$1" "$output"
        return 1
    fi
}

# An upper bound that is tight: at least the reference, up to rounding, and not far above it.
is_tight() { # filter reference [slack]
    holds "($1) as \$x | \$x >= $2 * (1 - 1e-14) and \$x <= $2 * (1 + ${3:-1e-9})"
}

# people ROWS SEED: a table of scores in which F gets "yes" less often than M. It has its own random generator,
# so that every awk writes the same rows.
people() {
    LC_ALL=C awk -v rows="$1" -v seed="$2" '
        function uniform() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
        BEGIN {
            seed = seed * 1009 + 12345
            print "id,p_no,p_yes,sex,y"
            for (i = 1; i <= rows; i++) {
                sex = uniform() < .4 ? "F" : "M"
                p = uniform()
                p = sex == "F" ? p * p : 1 - p * p
                printf "%d,%.9f,%.9f,%s,%s\n", i, 1 - p, p, sex, uniform() < p ? "yes" : "no"
            }
        }'
}

# fits [TABLE] ARGUMENT...: fits a rule to a table of people(), pool.csv by default.
fits() {
    local table=pool.csv
    [[ "${1:-}" != *.csv ]] || { table=$1; shift; }
    answers fit "$table" "${scored[@]}" --force "$@"
}

# differ FILE FILE: bash does not stop at a failed "! cmp", but does at this.
differ() {
    if cmp -s "$1" "$2"; then
        echo "no difference: $1 $2"
        return 1
    fi
}

# cells FILE NAME...: the columns with these names, read as CSV.
cells() {
    python3 - "$@" <<'END'
import csv, sys
for row in csv.DictReader(open(sys.argv[1], newline="")):
    print(",".join(row[name] for name in sys.argv[2:]))
END
}

# synthetic ROWS SEED: raw rows of the paper's generator, and their schema in s.json.
synthetic() {
    local i columns=""
    for i in 1 2 3 4 5; do
        columns+="x$i:-4:4,"
    done
    "$DP2DP" schema --columns "${columns}s:sensitive:-1|1,y:label:0|1|2" --out s.json --force >/dev/null
    "$DP2DP" synth --samples "$1" --features 5 --classes 3 --p 0.9 --insecure-seed "$2"
}

# library_options STRUCT: the struct's numeric fields in the library's headers, except the seed.
library_options() {
    sed -n "/^typedef struct $1 {/,/^}/p" "$DP2DP_SOURCE_DIR"/include/dp2dp/*.h |
        sed -nE 's/^    (double|uint64_t) ([a-z_]+);.*/\2/p' | grep -vx insecure_seed
}
