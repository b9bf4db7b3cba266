# What the scripts of this folder share. DP2DP is the program under test.
# bats 1.2 (Ubuntu 22.04) has neither separately nor a directory per test.
DP2DP=${DP2DP:-$BATS_TEST_DIRNAME/../../build/dp2dp}

# A budget, and the columns of the tables that people() writes.
private=(--epsilon 1 --delta 1e-5)
scored=(--scores p_no,p_yes --classes no,yes --sensitive sex --groups F,M)

setup() {
    BATS_TEST_TMPDIR=$(mktemp -d)
    mkdir "$BATS_TEST_TMPDIR/work" && cd "$BATS_TEST_TMPDIR/work" || return
}

# Whoever a test that failed has left behind would keep bats waiting for ever: it holds bats' file 3.
teardown() {
    local left
    left=$(jobs -pr; jobs -ps)
    # shellcheck disable=SC2086 # numbers
    [ -z "$left" ] || kill -9 $left 2>/dev/null || true
    cd / && rm -rf "$BATS_TEST_TMPDIR"
}

# waits_for PID COMMAND...: until the command succeeds, for as long as the process is there.
waits_for() {
    local pid=$1
    shift
    until "$@"; do
        kill -0 "$pid" || return 1
        sleep 0.02
    done
}

# has_begun FILE: what will become FILE is being written.
has_begun() {
    compgen -G ".$1.*.tmp" >/dev/null
}

# hears_interrupts PID: the program has got as far as to catch them.
hears_interrupts() {
    ((0x$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status") & 2))
}

# interrupted WORDS ARGUMENT...: one interrupt, which is answered with WORDS by work that can be cancelled.
# One that comes before the work has begun is answered otherwise, and the next one comes later. A second
# one would end the program at once. Leaves $code, and what was printed in out and message.
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

# answers ARGUMENT...: succeeds, talks to nobody on stderr, leaves stdout in $output.
answers() {
    separately "$DP2DP" "$@"
    if [ "$status" -ne 0 ] || [ -n "$stderr" ]; then
        printf 'dp2dp %s\nexit code %s\nstderr: %s\n' "$*" "$status" "$stderr"
        return 1
    fi
}

# says WORDS...: each is in $output, across line ends.
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

# holds FILTER: true of the JSON object in $output; bad JSON fails too.
holds() {
    if ! jq -e "$1" <<<"$output" >/dev/null; then
        printf 'does not hold: %s\n%s\n' "$1" "$output"
        return 1
    fi
}

# An upper bound that is tight: not below the reference but for its last digit, and not far above.
is_tight() { # filter reference [slack]
    holds "($1) as \$x | \$x >= $2 * (1 - 1e-14) and \$x <= $2 * (1 + ${3:-1e-9})"
}

# people ROWS SEED: a table of scores in which F gets "yes" less often than M does. The generator is
# spelled out, so that every awk writes the same rows.
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

# fits ARGUMENT...: a rule for such a table, pool.csv unless another is given first.
fits() {
    local table=pool.csv
    [[ "${1:-}" != *.csv ]] || { table=$1; shift; }
    answers fit "$table" "${scored[@]}" --force "$@"
}

# differ FILE FILE: a claim, where "! cmp" would be none: bash does not stop at what is negated.
differ() {
    if cmp -s "$1" "$2"; then
        echo "no difference: $1 $2"
        return 1
    fi
}

# synthetic ROWS SEED: raw rows of the paper's generator; s.json says what is known about them.
synthetic() {
    local i columns=""
    for i in 1 2 3 4 5; do
        columns+="x$i:-4:4,"
    done
    "$DP2DP" schema --columns "${columns}s:sensitive:-1|1,y:label:0|1|2" --out s.json --force >/dev/null
    "$DP2DP" synth --samples "$1" --features 5 --classes 3 --p 0.9 --insecure-seed "$2"
}

# library_options STRUCT: the numeric fields of that struct in the library's headers, but the seed.
library_options() {
    sed -n "/^typedef struct $1 {/,/^}/p" "$DP2DP_SOURCE_DIR"/include/dp2dp/*.h |
        sed -nE 's/^    (double|uint64_t) ([a-z_]+);.*/\2/p' | grep -vx insecure_seed
}
