#!/usr/bin/env bats
# A fit from tables that commands count: dp2dp fit --source, and dp2dp count --serve.
load helpers

begin() {
    mkdir ../bin
    ln -s "$(realpath "$DP2DP")" ../bin/dp2dp
    PATH=$(realpath ../bin):$PATH
    people 3000 1 >pool.csv
    cp "$BATS_TEST_DIRNAME/fake_source.py" .
}

# shards FILE ROWS...: cuts the rows of a table into 1.csv, 2.csv, ...; the last gets what is left.
shards() {
    local file=$1 first=2 i=0 rows
    shift
    for rows in "$@" 1000000; do
        i=$((i + 1))
        { head -n 1 "$file" && tail -n "+$first" "$file" | head -n "$rows"; } >"$i.csv"
        first=$((first + rows))
    done
}

# served TABLE ARGUMENT...: the command that counts a table.
served() {
    local table=$1
    shift
    echo "dp2dp count $table ${serving[*]} $* --serve"
}

# counted N ARGUMENT...: fits to the shards 1.csv to N.csv, as fit to the table they were cut from.
counted() {
    local count=$1 i sources=()
    shift
    for ((i = 1; i <= count; i++)); do
        sources+=(--source "$(served "$i.csv")")
    done
    answers fit "${sources[@]}" "$@"
}

# five_classes: rows with five groups and five classes.
five_classes() {
    python3 - <<'END'
import random
rng = random.Random(5)
print("p0,p1,p2,p3,p4,s")
for i in range(2000):
    group = rng.choice("abcde")
    weights = [rng.random() ** (1 + (k == "abcde".index(group))) for k in range(5)]
    print(*(f"{w / sum(weights):.9f}" for w in weights), group, sep=",")
END
}

serving=("${scored[@]}")
seeded=("${private[@]}" --insecure-seed 1)
shape=("${scored[@]}")
# shellcheck disable=SC2054 # commas are meant
nameless=(--groups F,M --classes no,yes)
unnamed_note="dp2dp fit: note: the model does not store the names of its columns: give --scores and --sensitive to dp2dp fit, or later to each command that uses the model"

# relayed ARGUMENT...: a fit that succeeds, and may say something on stderr.
relayed() {
    separately "$DP2DP" fit "$@"
    [ "$status" -eq 0 ]
}

@test "the command of the interface works as printed" {
    sed '1s/.*/id,p0,p1,s,y/; s/,F,/,0,/; s/,M,/,1,/' pool.csv >whole.csv
    shards whole.csv 1000
    mv 1.csv a.csv && mv 2.csv b.csv
    relayed --source "dp2dp count a.csv --scores p0,p1 --sensitive s --groups 0,1 --serve" \
        --source "dp2dp count b.csv --scores p0,p1 --sensitive s --groups 0,1 --serve" \
        --groups 0,1 --classes 0,1 --epsilon 1 --delta 1e-5 --out m.json
    [ "$stderr" = "$unnamed_note" ]
    says "learned from 3000 people in 2 groups, 2 classes"
    answers show m.json
    refuses 4 "the model does not say which columns it was fitted on, since it was not made from a table: name the columns of this table with --scores p0,p1,... and --sensitive COLUMN" predict m.json a.csv
    answers predict m.json a.csv --scores p0,p1 --sensitive s --out /dev/null
    answers fit --source "dp2dp count a.csv --scores p0,p1 --sensitive s --groups 0,1 --serve" \
        --scores p0,p1 --sensitive s --groups 0,1 --classes 0,1 --epsilon 1 --delta 1e-5 --out n.json
    answers predict n.json b.csv --out /dev/null
}

@test "seven shards, one empty and one of a single row, give the model of the whole table" {
    shards pool.csv 500 0 1 700 3 900
    fits "${seeded[@]}" --out whole.json
    counted 7 "${scored[@]}" "${seeded[@]}" --out shards.json
    cmp whole.json shards.json
}

@test "a command killed at question 40 is started again, and the model is the same" {
    five_classes >five.csv
    shards five.csv 100 0 1 700 3 300
    # shellcheck disable=SC2054 # commas are meant
    serving=(--scores p0,p1,p2,p3,p4 --sensitive s --groups a,b,c,d,e --classes v,w,x,y,z)
    answers fit five.csv "${serving[@]}" "${seeded[@]}" --out whole.json
    local sources=() i
    for i in 1 2 3 4 5 6; do
        sources+=(--source "$(served "$i.csv")")
    done
    relayed "${sources[@]}" --source "exec python3 fake_source.py relay 40 once $(served 7.csv)" \
        "${serving[@]}" "${seeded[@]}" --out shards.json
    [ "$stderr" = "dp2dp fit: --source number 7 ended without an answer; its command is started again" ]
    cmp whole.json shards.json
    [ "$(<once)" = 40 ]
    people 3000 1 >pool.csv
    serving=("${scored[@]}")
    shards pool.csv 1000
    fits "${seeded[@]}" --out whole.json
    rm once
    relayed --source "exec python3 fake_source.py relay-twice 40 once $(served 1.csv)" --source "$(served 2.csv)" \
        "${scored[@]}" "${seeded[@]}" --force --out shards.json
    cmp whole.json shards.json
    [ "$(grep -c 40 once)" -eq 2 ]
}

@test "criteria with labels, rules that do not see the group, left out and normalized rows: the same model" {
    local odds=(--criterion equalized_odds) wide="p_F,p_M"
    awk -F, 'BEGIN { OFS = "," } NR == 1 { print $0, "p_F", "p_M"; next } { print $0, $2, $3 }' pool.csv >wide.csv
    shards wide.csv 1000
    serving=("${scored[@]}" --label y)
    answers fit wide.csv "${serving[@]}" "${odds[@]}" "${seeded[@]}" --out whole.json
    counted 2 "${scored[@]}" "${odds[@]}" "${seeded[@]}" --out shards.json
    cmp whole.json shards.json
    answers fit wide.csv "${scored[@]}" --unaware --group-scores "$wide" "${seeded[@]}" --force --out whole.json
    serving=("${scored[@]}" --group-scores "$wide")
    counted 2 "${scored[@]}" --unaware --group-scores "$wide" "${seeded[@]}" --force --out shards.json
    cmp whole.json shards.json
    answers fit wide.csv "${scored[@]}" --dither 0.01 --dither-key scores --dither-seed 9 "${seeded[@]}" --force --out whole.json
    serving=("${scored[@]}")
    counted 2 "${scored[@]}" --dither 0.01 --dither-seed 9 "${seeded[@]}" --force --out shards.json
    cmp whole.json shards.json
    answers fit wide.csv "${scored[@]}" --grid 5 "${seeded[@]}" --force --out whole.json
    counted 2 "${scored[@]}" --grid 5 "${seeded[@]}" --force --out shards.json
    cmp whole.json shards.json
    awk -F, 'BEGIN { OFS = "," } NR > 1 { n[$2 "," $3 "," $4 "," $5]++ } END { print "p_no,p_yes,sex,y,n"; for (row in n) print row, n[row] }' \
        <(tail -n +2 wide.csv | awk -F, '{ p = int($3 * 8) / 8; print $1 "," 1 - p "," p "," $4 "," $5 }' | sed '1i header') >cells.csv
    shards cells.csv 20
    answers fit cells.csv "${scored[@]}" --multiplicity n "${seeded[@]}" --force --out whole.json
    serving=("${scored[@]}" --multiplicity n)
    counted 2 "${scored[@]}" "${seeded[@]}" --force --out shards.json
    cmp whole.json shards.json
    sed '3s/,[FM],/,X,/; 2000s/,[FM],/,Y,/' pool.csv >bad.csv
    shards bad.csv 1000
    answers fit bad.csv "${scored[@]}" --bad-rows ignore --normalize "${seeded[@]}" --force --out whole.json
    serving=("${scored[@]}" --bad-rows ignore --normalize)
    counted 2 "${scored[@]}" "${seeded[@]}" --force --out shards.json
    cmp whole.json shards.json
}

@test "questions and tables may be larger than a pipe holds" {
    local names columns
    names=$(seq -s , 0 69)
    columns=$(seq -s , -f 'p%g' 0 69)
    python3 - >many.csv <<'END'
import random
rng = random.Random(1)
print(*(f"p{k}" for k in range(70)), "s", sep=",")
for i in range(300):
    weights = [rng.random() for _ in range(70)]
    print(*(repr(w / sum(weights)) for w in weights), rng.randrange(70), sep=",")
END
    shards many.csv 100
    serving=(--scores "$columns" --sensitive s --groups "$names" --classes "$names")
    answers fit many.csv "${serving[@]}" "${seeded[@]}" --steps 5 --out whole.json
    counted 2 "${serving[@]}" "${seeded[@]}" --steps 5 --out shards.json
    cmp whole.json shards.json
}

@test "sites may differ in whether they leave records out, but not in how they treat sums" {
    shards pool.csv 1000
    fits "${seeded[@]}" --bad-rows ignore --out whole.json
    answers fit --source "$(served 1.csv)" --source "$(served 2.csv --bad-rows ignore)" "${scored[@]}" \
        "${seeded[@]}" --out mixed.json
    cmp whole.json mixed.json
    refuses 4 "--source number 2: its \"row_sums\" differs from that of number 1" fit --source "$(served 1.csv)" \
        --source "$(served 2.csv --normalize)" "${shape[@]}" "${private[@]}" --ledger l.json --out m.json
    [ ! -e l.json ]
}

# stops CODE WORDS SOURCE [OTHER]: a fit with this source, and another, fails, and nothing is charged or written.
stops() {
    refuses "$1" "$2" fit --source "${4:-$(served pool.csv)}" --source "$3" "${shape[@]}" "${private[@]}" \
        --ledger l.json --out m.json
    if [ -e l.json ] || [ -e l.json.lock ] || [ -e m.json ] || [[ "$stderr" == *secret* || "$stderr" != *"; nothing was charged"* ]]; then
        ls -A && echo "$stderr"
        return 1
    fi
}

hello='{"dp2dp":"source","version":1,"records":10,"row_sums":"check"}'

@test "a command that cannot answer the hello costs nothing" {
    local line
    stops 1 "--source number 2: its command ended before it answered the hello; the shell could not run it" ./missing
    stops 1 "--source number 2: its command ended before it answered the hello" "exit 3"
    stops 1 "--source number 2: its command ended before it answered the hello" "exec >&-; sleep 1"
    stops 1 "--source number 2: its command ended before it answered the hello" "printf '{\"dp2dp\"'"
    stops 4 "its answer to the hello is longer than any valid answer" "head -c 5000 /dev/zero; sleep 1"
    stops 4 "its answer to the hello has more than one line" "printf '%s\\n%s\\n' '$hello' '$hello'; sleep 1"
    stops 4 "its answer to the hello is a refusal" "echo '{\"error\":\"secret\"}'"
    stops 4 "its answer to the hello is a refusal" "echo '{\"error\":\"secret\"}'; exec <&-; sleep 0.2"
    while read -r line; do
        stops 4 "--source number 2: its answer to the hello " "echo '$line'; sleep 1"
    done <<'END'
secret
[]
7

{"dp2dp":"source","version":2,"records":10,"row_sums":"check"}
{"dp2dp":"source","version":1.0,"records":10,"row_sums":"check"}
{"dp2dp":"other","version":1,"records":10,"row_sums":"check"}
{"dp2dp":"source","version":1,"records":10}
{"dp2dp":"source","version":1,"records":10,"row_sums":"secret"}
{"dp2dp":"source","version":1,"records":10,"row_sums":"check","secret":1}
{"dp2dp":"source","version":1,"records":-1,"row_sums":"check"}
{"dp2dp":"source","version":1,"records":10.0,"row_sums":"check"}
{"dp2dp":"source","version":1,"records":"10","row_sums":"check"}
{"dp2dp":"source","version":1,"records":1e3,"row_sums":"check"}
{"dp2dp":"source","version":1,"records":281474976710657,"row_sums":"check"}
{"dp2dp":"source","version":1,"records":99999999999999999999,"row_sums":"check"}
{"dp2dp":"source","version":1,"records":10,"records":10,"row_sums":"check"}
{"dp2dp":"source","version":1,"records":10,"row_sums":"check","left_out":1}
{"dp2dp":"source","version":1,"records":10,"row_sums":"check"} secret
END
    refuses 4 "the sources have 1 records in total" fit --source "echo '${hello/10/1}'; cat >/dev/null" \
        "${shape[@]}" "${private[@]}" --out m.json
}

@test "a wrong first table costs nothing" {
    local line
    stops 1 "--source number 2: its command ended 3 times without an answer" "echo '$hello'"
    stops 4 "its answer to a question is longer than any valid answer" \
        "echo '$hello'; read -r a; read -r a; head -c 5000 /dev/zero; sleep 1"
    while read -r line; do
        stops 4 "--source number 2: its answer to a question " "echo '$hello'; read -r a; read -r a; echo '$line'; sleep 1"
    done <<'END'
secret
{"error":"secret"}
{"count":2,"table":[[1,2],[3,4]]}
{"count":1,"table":[[1,2],[3,5]]}
{"count":1,"table":[[1,2],[3,3]]}
{"count":1,"table":[[1,2],[8,-1]]}
{"count":1,"table":[[1,2],[3,4.0]]}
{"count":1,"table":[[1,2],[3,"4"]]}
{"count":1,"table":[[1,2],[3,9223372036854775807]]}
{"count":1,"table":[[1,2],[3,99999999999999999999]]}
{"count":1,"table":[[1,2,0],[3,4,0]]}
{"count":1,"table":[[1,2],[3,4],[0,0]]}
{"count":1,"table":[1,2,3,4]}
{"count":1,"table":[[1,2],[3,4]],"left_out":0}
{"count":1,"table":[[1,2],[3,4]],"table":[[1,2],[3,4]]}
{"count":1,"table":[[1,2],[3,4]]}{}
{"count":1.0,"table":[[1,2],[3,4]]}
{"count":1}
END
    hello='{"dp2dp":"source","version":1,"records":10,"row_sums":"check","left_out":true}'
    for line in '{"count":1,"table":[[1,2],[3,4]]}' '{"count":1,"table":[[1,2],[3,4]],"left_out":1}' \
        '{"count":1,"table":[[1,2],[3,1]],"left_out":-3}'; do
        stops 4 "--source number 2: its answer to a question " "echo '$hello'; read -r a; read -r a; echo '$line'; sleep 1"
    done
}

# charged WORDS MODE...: a source that goes wrong after the first table stops the fit, and the charge stays.
charged() {
    local words=$1
    shift
    rm -rf l.json* once
    separately "$DP2DP" fit --source "${other:-$(served pool.csv)}" --source "exec python3 fake_source.py $*" "${shape[@]}" \
        "${private[@]}" --ledger l.json --out m.json
    [ "$status" -ne 0 ]
    [ -z "$output" ]
    [[ "$stderr" == *"$words"*"; the fit was charged, and the charge stays"* ]]
    [[ "$stderr" != *secret* ]]
    [ ! -e m.json ]
    [ "$(jq '[.entries[] | select(.entry == "charge")] | length' l.json)" -eq 2 ]
}

@test "an answer to a question that was not asked yet is refused" {
    local first='{"count":1,"table":[[1,2],[3,4]]}' early="number 2: its answer to a question came before the question"
    # The other site answers only after the early answer was sent.
    stops 4 "$early; nothing was charged" "echo '$hello'; sleep 0.2; echo '$first'; echo >sent; head -n 2 >/dev/null" \
        "while [ ! -e sent ]; do sleep 0.01; done; $(served pool.csv)"
    other="exec python3 fake_source.py waits 4 once" charged "$early" early 5 once
}

@test "what goes wrong later stops the fit, and the charge stands" {
    charged "its answer to the hello changed when the command was started again" records 5 once
    charged "its answer to a question changed when the command was started again" table 5 once
    charged "its command ended 3 times without an answer" dies 5
    charged "counts more or fewer records in a stratum than the first table of this source" stratum 5
    charged "its answer to a question has counts that do not sum to the number of records" sum 5
    charged "its answer to a question is a refusal" error 5
}

@test "a source that goes wrong does not stop the others from being ended" {
    refuses 4 "number 3" fit --source "echo \$\$ >one; exec $(served pool.csv)" --source "echo \$\$ >two; sleep 100; true" \
        --source "while [ ! -s one ] || [ ! -s two ]; do sleep 0.01; done; echo" "${shape[@]}" "${private[@]}" --out m.json
    local pid
    for pid in $(cat one two); do
        [ ! -e "/proc/$pid" ] # not even a zombie
    done
}

@test "processes of a command that ignore SIGTERM do not outlive the fit" {
    local deaf="sh -c 'trap \"\" TERM; echo \$\$ >deaf; for i in \$(seq 150); do sleep 0.1; done' >/dev/null"
    answers fit --source "$deaf & while [ ! -s deaf ]; do sleep 0.01; done; $(served pool.csv)" "${shape[@]}" "${private[@]}" \
        --out m.json
    ends "$(<deaf)"
    rm deaf
    refuses 4 "number 2" fit --source "$deaf & wait" --source "while [ ! -s deaf ]; do sleep 0.01; done; echo" "${shape[@]}" \
        "${private[@]}" --out n.json
    ends "$(<deaf)"
    rm deaf
    signalled TERM "test -s deaf" fit --source "$deaf & wait" "${shape[@]}" "${private[@]}" --out n.json
    ends "$(<deaf)"
}

@test "a command that fails while a process of it keeps the pipe open is lost, not waited for" {
    local began=$SECONDS
    refuses 1 "number 1: its command ended before it answered the hello; nothing was charged" \
        fit --source "sleep 60 & echo \$! >left; exit 3" "${shape[@]}" "${private[@]}" --out m.json
    [ $((SECONDS - began)) -lt 50 ]
    ends "$(<left)"
    answers fit pool.csv "${scored[@]}" "${seeded[@]}" --out whole.json
    # It dies of a signal at question 40, once, while another process still has its pipes.
    relayed --source "sleep 60 & exec python3 fake_source.py relay 40 once $(served pool.csv)" "${scored[@]}" "${seeded[@]}" \
        --out again.json
    [ "$stderr" = "dp2dp fit: --source number 1 ended without an answer; its command is started again" ]
    [ $((SECONDS - began)) -lt 50 ]
    cmp whole.json again.json
    # A process that took over may answer, but the wait is told.
    separately "$DP2DP" fit --source "exec 3<&0; { sleep 0.5; $(served pool.csv) <&3; } & exit 0" "${shape[@]}" \
        "${seeded[@]}" --out taken.json
    [ "$status" -eq 0 ]
    [[ $stderr == *"--source number 1 has ended without an answer, but a process that it started is still running"* ]]
}

@test "all commands are ended together, not in turn" {
    # The first command ends once the second was told to end, which in turn would be after the first had ended.
    refuses 4 "number 3" fit --source "trap '' TERM; echo >one; while [ ! -e told ]; do sleep 0.01; done; echo >ended" \
        --source "trap 'echo >told; exit' TERM; echo >two; while :; do sleep 0.01; done" \
        --source "while [ ! -e one ] || [ ! -e two ]; do sleep 0.01; done; echo" "${shape[@]}" "${private[@]}" --out m.json
    [ -e ended ]
}

# ends PID: the process ends soon.
ends() {
    local i
    for ((i = 0; i < 500; i++)); do
        grep -q '^State:.*[^ZX] ' "/proc/$1/status" 2>/dev/null || return 0
        sleep 0.02
    done
    return 1
}

# slow_fork: builds slow.so, which keeps fork from returning to the program until the child had time to start.
slow_fork() {
    if ldd "$DP2DP" | grep -q -e libasan -e libtsan; then
        skip "a sanitizer must be loaded first"
    fi
    cat >slow.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

pid_t fork(void) {
    struct timespec left = {.tv_sec = 1};
    pid_t (*slow)(void) = dlsym(RTLD_NEXT, "fork");
    pid_t child = slow();
    while (child > 0 && nanosleep(&left, &left) != 0) {
    }
    return child;
}
END
    "${DP2DP_CC:-cc}" -shared -fPIC -o slow.so slow.c -ldl
}

@test "a signal that comes before fork returns ends the command" {
    local signal
    slow_fork
    for signal in INT TERM HUP; do
        rm -f pid
        LD_PRELOAD=$PWD/slow.so signalled "$signal" "test -s pid" fit --source "unset LD_PRELOAD; echo \$\$ >pid; exec sleep 100" \
            "${scored[@]}" "${private[@]}" --out m.json
        [ "$code" -ne 0 ]
        ends "$(<pid)"
    done
}

@test "an interrupt and the end of the program end the commands" {
    local signal
    for signal in INT TERM HUP; do
        rm -f pid
        signalled "$signal" "test -s pid" fit --source "echo \$\$ >pid; exec sleep 100" "${shape[@]}" "${private[@]}" --out m.json
        [ "$code" -ne 0 ]
        ends "$(<pid)"
    done
    # Between two tables the interrupt is polite: what was charged is named.
    rm -f pid
    signalled INT "test -s pid" fit --source "exec python3 fake_source.py hangs 5 pid" "${shape[@]}" "${private[@]}" \
        --ledger l.json --out m.json
    [ "$code" -eq 130 ]
    [[ "$(<../message)" == *"interrupted: no model was written; what was charged to l.json stays charged"* ]]
    ends "$(<pid)"
}

@test "a command inherits only its pipes and standard error, and dies of SIGPIPE" {
    sh -c 'ls /proc/self/fd >&2' 2>usual 3>&- 7>&-
    shards pool.csv 1000
    "$DP2DP" fit --source "$(served 1.csv)" --source "ls /proc/self/fd >&2; grep SigIgn /proc/\$\$/status >ignored
        exec $(served 2.csv)" "${shape[@]}" "${private[@]}" --ledger l.json --out m.json >out 2>fds 3>&- 7>&-
    diff usual fds
    [ $((0x$(awk '{ print $2 }' ignored) & 0x1000)) -eq 0 ]
}

@test "options about a table, other solvers and other counts are refused" {
    local words fit=(fit --source "touch asked" "${shape[@]}" "${private[@]}" --out m.json)
    for words in "--bad-rows ignore" "--separator ;" "--no-header" "--skip-lines 1" "--missing NA" "--threads 2"; do
        # shellcheck disable=SC2086 # words
        refuses 2 "${words%% *} cannot be used with --source: give it to the command in --source" "${fit[@]}" $words
    done
    for words in "--model m" "--label y" "--normalize" "--id i"; do
        # shellcheck disable=SC2086 # words
        refuses 2 "${words%% *} cannot be used with --source" "${fit[@]}" $words
    done
    refuses 2 "--source replaces TABLE, so leave out the argument 'pool.csv'" "${fit[@]}" pool.csv
    refuses 2 "--source works only with --solver counts" "${fit[@]}" --solver exact
    refuses 2 "--source works only with --counted labels" "${fit[@]}" --criterion equalized_odds --counted scores
    refuses 2 "--source works only with --dither-key scores" "${fit[@]}" --dither 0.1 --dither-key row
    refuses 2 "--unaware needs --group-scores" "${fit[@]}" --unaware
    refuses 2 "--source needs --groups A,B,..." fit --source x --classes 0,1 "${private[@]}" --out m.json
    refuses 2 "--source needs --classes A,B,..." fit --source x --groups 0,1 "${private[@]}" --out m.json
    refuses 2 "--classes has one name" fit --source x --groups 0,1 --classes 0 "${private[@]}" --out m.json
    refuses 2 "--classes has 2 names but --scores has 3" fit --source x "${nameless[@]}" "${private[@]}" --out m.json --scores a,b,c
    refuses 2 "--epsilon E is needed" fit --source "touch asked" "${shape[@]}" --out m.json
    refuses 2 "--source is an empty string" fit --source "" "${shape[@]}" "${private[@]}" --out m.json
    refuses 2 "TABLE is missing" fit "${shape[@]}" "${private[@]}" --out m.json
    [ ! -e asked ]
}

@test "the same command twice is refused, and two sources say what is assumed about their people" {
    shards pool.csv 1400
    refuses 2 "--source number 3 is the same command as number 1" fit --source "$(served 1.csv)" --source "$(served 2.csv)" \
        --source "$(served 1.csv)" "${shape[@]}" "${private[@]}" --out m.json
    [ ! -e m.json ]
    counted 2 "${shape[@]}" "${private[@]}" --out m.json
    says "assumes that nobody has rows at two sources; otherwise use --rows-per-person"
    counted 2 "${shape[@]}" "${private[@]}" --out m.json --force --json
    holds '.rows_assumption | test("nobody has rows at two sources")'
    counted 2 "${shape[@]}" "${private[@]}" --rows-per-person 2 --out m.json --force
    says "assumes that nobody has more than 2 rows in all sources together"
    counted 1 "${shape[@]}" "${private[@]}" --out m.json --force --json
    holds 'has("rows_assumption") | not'
    counted 2 "${shape[@]}" --epsilon inf --out m.json --force
    [[ "$output" != *assumes* ]]
}

@test "the same table under another name is the same command" {
    local twins=(--source "$(served pool.csv)" --source) words="number 2 is the same command as number 1, written in another way"
    local fit=("${shape[@]}" "${private[@]}" --out m.json)
    cp pool.csv copy.csv
    ln -s pool.csv link.csv
    refuses 2 "$words" fit "${twins[@]}" "$(served ./pool.csv)" "${fit[@]}"
    refuses 2 "$words" fit "${twins[@]}" "$(served link.csv)" "${fit[@]}"
    refuses 2 "$words" fit "${twins[@]}" "  $(served "$PWD/pool.csv") " "${fit[@]}"
    # A program may look at the name by which it is called, and other words than files must be equal.
    printf '#!/bin/sh\nexec dp2dp count "$(basename "$0").csv" %s --serve\n' "${shape[*]}" >1
    chmod +x 1
    ln -s 1 2
    shards pool.csv 1000
    answers fit --source ./1 --source ./2 "${fit[@]}"
    # A copy of a table has as many records: that is public, and told.
    separately "$DP2DP" fit "${twins[@]}" "$(served copy.csv)" "${fit[@]}" --force
    [ "$status" -eq 0 ]
    [ "$stderr" = "dp2dp fit: CAUTION: --source number 2 has as many records as number 1: 3000. If these are the same people, leave one of the sources out, or use --rows-per-person 2." ]
    answers fit "${twins[@]}" "$(served copy.csv)" "${fit[@]}" --rows-per-person 2 --force
    shards pool.csv 19 19
    answers fit --source "$(served 1.csv)" --source "$(served 2.csv)" --source "$(served 3.csv)" "${fit[@]}" --force
}

@test "a caution about two sources depends on their numbers of records alone" {
    shards pool.csv 1500
    local said
    separately "$DP2DP" fit --source "$(served 1.csv)" --source "$(served 2.csv)" "${shape[@]}" "${private[@]}" --out m.json
    said=$stderr
    [[ "$said" == *CAUTION* ]]
    sed '2,$s/,[FM],/,F,/' 1.csv >3.csv
    separately "$DP2DP" fit --source "$(served 1.csv)" --source "$(served 3.csv)" "${shape[@]}" "${private[@]}" --force --out m.json
    [ "$stderr" = "$said" ]
    cp 1.csv 4.csv
    separately "$DP2DP" fit --source "$(served 1.csv)" --source "$(served 4.csv)" "${shape[@]}" "${private[@]}" --force --out m.json
    [ "$stderr" = "$said" ]
}

@test "a table where a command is expected is refused before anything starts" {
    local fit=("${shape[@]}" "${private[@]}" --out m.json)
    cp pool.csv "more people.csv"
    refuses 2 "--source takes a command, not a file: 'pool.csv'; give for example --source \"dp2dp count pool.csv ... --serve\"" \
        fit --source "touch asked" --source pool.csv "${fit[@]}"
    [ ! -e asked ]
    refuses 2 "--source takes a command, not a file: './pool.csv'" fit --source ./pool.csv "${fit[@]}"
    refuses 2 "--source takes a command, not a file: 'more people.csv'" fit --source "more people.csv" "${fit[@]}"
    refuses 2 "only one TABLE is allowed: unexpected argument 'b.csv'; for several tables, give each as --source \"dp2dp count TABLE ... --serve\"" \
        fit pool.csv b.csv "${fit[@]}"
    # A file of that name does not hide a program in PATH.
    printf '#!/bin/sh\nexec %s\n' "$(served pool.csv)" >../bin/count-people
    chmod +x ../bin/count-people
    echo "notes" >count-people
    answers fit --source count-people "${fit[@]}"
}

@test "nobody is asked by a dry run, nor if options or the budget do not allow the fit" {
    local fit=(fit --source "touch asked" "${shape[@]}" "${private[@]}" --ledger l.json)
    answers "${fit[@]}" --dry-run
    says "Dry run" "would charge epsilon 1 at delta 1e-05"
    refuses 3 "budget" "${fit[@]}" --budget 0.5 --out m.json
    refuses 1 "none/m.json" "${fit[@]}" --out none/m.json
    [ ! -e asked ]
    [ ! -e l.json ]
}

# asked LINE...: what dp2dp count answers to these lines, after a hello that announces two questions.
asked() {
    printf '%s\n' "$greeting" "$@" >../lines
    separately "$DP2DP" count pool.csv "${counting[@]}" --serve <../lines
}

greeting='{"dp2dp":"source","version":1,"groups":["F","M"],"classes":["no","yes"],"criterion":"demographic_parity","strata":2,"rule":"offset","dither":null,"questions":2}'
counting=("${scored[@]}")

@test "count answers the questions of the hello, in order and no more" {
    asked '{"count":1,"offsets":[[0,0],[0.0,0]]}' '{"count":2,"offsets":[[2,0],[-2,0]]}' '{"end":"done"}'
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [ "$(head -n 1 <<<"$output")" = '{"dp2dp":"source","version":1,"records":3000,"row_sums":"check"}' ]
    awk -F, 'NR > 1 { n[$4 "," ($3 > $2)]++ } END { printf "[[%d,%d],[%d,%d]]\n", n["F,0"], n["F,1"], n["M,0"], n["M,1"] }' \
        pool.csv >first
    [ "$(sed -n 2p <<<"$output")" = "{\"count\":1,\"table\":$(<first)}" ]
    [ "$(jq -c '[.[][0] + .[][1]] | length' first)" -gt 0 ]
    [ "$(sed -n 3p <<<"$output" | jq -c '[.table[0][0], .table[1][1]]')" = "[0,0]" ]
    asked '{"count":1,"offsets":[[0,0],[0,0]]}'
    [ "$status" -eq 0 ]
    local line
    while read -r line; do
        asked '{"count":1,"offsets":[[0,0],[0,0]]}' "$line" '{"count":2,"offsets":[[0,0],[0,0]]}'
        [ "$status" -eq 4 ]
        [ "$(wc -l <<<"$output")" -eq 3 ]
        [ "$(tail -n 1 <<<"$output" | jq 'has("error")')" = true ]
    done <<'END'
{"count":1,"offsets":[[0,0],[0,0]]}
{"count":3,"offsets":[[0,0],[0,0]]}
{"count":2,"offsets":[[0,0]]}
{"count":2,"offsets":[[0,0.1],[0,0]]}
{"count":2,"offsets":[[0,1e300],[0,0]]}
{"count":2,"offsets":[[0,"1"],[0,0]]}
{"count":2,"offsets":[[0,0],[0,0]],"more":1}
{"count":"2","offsets":[[0,0],[0,0]]}
{"end":"early"}
hello
END
    asked '{"count":2,"offsets":[[0,0],[0,0]]}'
    [ "$status" -eq 4 ]
    [[ "$stderr" == *"the first question must have the number 1"* ]]
}

@test "count says so if nobody asks it" {
    local begun
    for begun in '' '{"dp2dp":"source",'; do
        separately "$DP2DP" count pool.csv "${scored[@]}" --serve < <(printf '%s' "$begun")
        [ "$status" -eq 0 ]
        [ -z "$output" ]
        [[ "$stderr" == "dp2dp count: note: standard input ended before any question, so nothing was read or answered;"* ]]
    done
    asked # a fit that ends after its hello
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
}

# A shell in place of ssh: a host is a folder.
fake_ssh() {
    cat >../bin/ssh <<'END'
#!/bin/sh
[ "$1" != -o ] || shift 2
cd "$1" && shift && exec sh -c "$*"
END
    chmod +x ../bin/ssh
    mkdir site-a site-b
}

@test "the page's fits over ssh run as printed" {
    [ -n "${DP2DP_SOURCE_DIR:-}" ] || skip "needs the page"
    fake_ssh
    shards pool.csv 1000
    for site in 1,a 2,b; do
        mv "${site%,*}.csv" "site-${site#*,}/people.csv"
        block sources "#!/bin/sh" >"site-${site#*,}/count-people"
        chmod +x "site-${site#*,}/count-people"
    done
    block sources "ssh site-b dp2dp count b.csv" >commands
    for site in a b; do
        sed '1s/.*/id,p0,p1,s,y/; s/,F,/,0,/; s/,M,/,1,/' "site-$site/people.csv" >"$site.csv"
    done
    mv b.csv site-b
    runs_as_printed 1 commands
    says "learned from 3000 people in 2 groups, 2 classes"
    rm m.json
    block sources "BatchMode=yes site-a ./count-people" >commands
    runs_as_printed 1 commands
    says "learned from 3000 people in 2 groups, 2 classes"
    answers account site-b/people.ledger.json --delta 1e-5 --json
    holds '.epsilon > 0.99 and .epsilon <= 1'
}

@test "the page's questions by hand are answered" {
    [ -n "${DP2DP_SOURCE_DIR:-}" ] || skip "needs the page"
    sed '1s/.*/id,p0,p1,s,y/; s/,F,/,0,/; s/,M,/,1,/' pool.csv >a.csv
    block sources "| ./my-source" |
        sed 's|[.]/my-source|dp2dp count a.csv --scores p0,p1 --sensitive s --groups 0,1 --serve|' >commands
    separately bash -euo pipefail commands
    [ "$status" -eq 0 ]
    [ "$(wc -l <<<"$output")" -eq 2 ]
    tail -n 1 <<<"$output" | jq -e '[.table[][]] | add == 3000'
}

# lacks WORDS FROM TO: a hello in which FROM is replaced by TO is refused, in words for both sides.
lacks() {
    local before=$greeting
    greeting=${greeting/"$2"/"$3"}
    asked
    greeting=$before
    [ "$status" -ne 0 ]
    [[ "$stderr" == *"$1"* ]]
    [[ "$(jq -r .error <<<"$output")" == *"$1"* ]]
}

@test "count refuses a hello that asks for what it lacks" {
    lacks "the groups of the fit differ from --groups" '"F","M"' '"M","F"'
    lacks "the groups of the fit differ from --groups" '"F","M"],' '"F","M","N"],' || lacks "do not fit together" '"F","M"],' '"F","M","N"],'
    lacks "the classes of the fit differ from --classes" '"no","yes"' '"no","maybe"'
    lacks "does not begin with" '"version":1' '"version":2'
    lacks "do not fit together" '"strata":2' '"strata":4'
    lacks "do not fit together" '"offset"' '"linear"'
    lacks "needs group scores" '"offset"' '"weighted"'
    lacks "a criterion or a rule that this source does not support" '"demographic_parity"' '"accuracy_parity"'
    lacks "a dither that this source does not support" null '{"width":0.1,"key":"row","seed":0,"hash":2}'
    lacks 'its "hash" must be the number that this version of dp2dp uses' null '{"width":0.1,"key":"scores","seed":0}'
    lacks 'its "hash" must be the number that this version of dp2dp uses' null '{"width":0.1,"key":"scores","seed":0,"hash":1}'
    lacks "a member that this source does not know" '"dither"' '"gird":16,"dither"'
    lacks "not an integer in the allowed range" '"dither"' '"grid":21,"dither"'
    lacks "has a key twice" '"strata":2' '"strata":2,"strata":2'
    lacks "is not a line of JSON" '{' ''
    lacks "too long for a question" '"dp2dp"' "$(printf '%5000s')\"dp2dp\""
    greeting=${greeting/'"strata":2,"rule":"offset"'/'"strata":4,"rule":"linear"'}
    lacks "give --label to this command" demographic_parity equalized_odds
}

@test "what is wrong with a row is not sent to the fit" {
    sed -i '5s/,[FM],/,secret,/' pool.csv
    asked
    [ "$status" -eq 4 ]
    [[ "$stderr" == *"--groups must name every group"* ]]
    [ "$output" = '{"error":"the table cannot be read"}' ]
}

@test "count refuses a terminal, and everything but --serve" {
    refuses 2 "exact counts are not private, so this command never prints them" count pool.csv "${scored[@]}"
    local table
    for table in - /dev/stdin /dev/fd/0 /proc/self/fd/0; do
        refuses 2 "TABLE cannot be standard input" count "$table" "${scored[@]}" --serve </dev/null
        refuses 2 "TABLE cannot be standard input" count "$table" "${scored[@]}" --serve < <(cat pool.csv)
        refuses 2 "TABLE cannot be standard input" count "$table" "${scored[@]}" --serve <pool.csv
    done
    refuses 2 "--sensitive COLUMN is needed" count pool.csv --scores p_no,p_yes --groups F,M --serve </dev/null
    refuses 2 "--epsilon needs --ledger FILE" count pool.csv "${scored[@]}" --serve --epsilon 1 </dev/null
    refuses 2 "--epsilon E is needed" count pool.csv "${scored[@]}" --serve --ledger l.json </dev/null
    command -v script >/dev/null || skip "needs script(1)"
    script -qec "'$DP2DP' count pool.csv ${scored[*]} --serve" /dev/null </dev/null >said && return 1
    grep -q "refuses a terminal" said
    script -qec "'$DP2DP' count pool.csv ${scored[*]} --serve | cat" /dev/null </dev/null >said
    grep -q "refuses a terminal" said
}

@test "a site charges its own ledger with what the fit promises, before its first answer" {
    shards pool.csv 1000
    answers fit --source "$(served 1.csv --ledger site.json --epsilon 1 --delta 1e-5)" --source "$(served 2.csv)" \
        "${shape[@]}" "${private[@]}" --ledger l.json --out m.json
    answers account site.json --delta 1e-5 --json
    is_tight .epsilon "$("$DP2DP" account l.json --delta 1e-5 --json | jq .epsilon)" 1e-6
    [ "$(jq -c '[.entries[] | select(.entry == "charge") | .count]' site.json)" = "[1,80]" ]
    # The same budget again: the site refuses, and the fit charges nothing.
    cp l.json before.json
    cp site.json site-before.json
    refuses 4 "number 1: its answer to a question is a refusal" fit \
        --source "$(served 1.csv --ledger site.json --epsilon 1 --delta 1e-5 --budget 1.2)" --source "$(served 2.csv)" \
        "${shape[@]}" "${private[@]}" --ledger l.json --force --out m.json
    [[ "$stderr" == *"site.json"* ]]
    cmp l.json before.json
    cmp site.json site-before.json
}

@test "a site refuses a fit that promises less than it asks for, or promises nothing" {
    local ledger=(--ledger site.json --epsilon 1 --delta 1e-5)
    refuses 4 "number 1" fit --source "$(served pool.csv "${ledger[@]}")" "${shape[@]}" --epsilon 2 --delta 1e-5 --out m.json
    [[ "$stderr" == *"the fit spends more than --epsilon and --delta of this command allow"* ]]
    refuses 4 "number 1" fit --source "$(served pool.csv "${ledger[@]}")" "${shape[@]}" --epsilon 1 --delta 1e-4 --out m.json
    refuses 4 "number 1" fit --source "$(served pool.csv "${ledger[@]}")" "${shape[@]}" --epsilon inf --out m.json
    refuses 4 "number 1" fit --source "$(served pool.csv "${ledger[@]}")" "${shape[@]}" "${private[@]}" --rows-per-person 2 --out m.json
    [[ "$stderr" == *"--rows-per-person of the fit differs from --rows-per-person of this command"* ]]
    counting=("${scored[@]}" "${ledger[@]}")
    asked
    [[ "$stderr" == *"this fit does not state its privacy cost"* ]]
    [ ! -e site.json ]
}

# unpromised WORDS ARGUMENT...: a site with a ledger refuses this fit, with these words, and charges nothing.
unpromised() {
    local words=$1
    shift
    refuses 4 "number 1" fit --source "$(served pool.csv --ledger site.json --epsilon 1 --delta 1e-5)" "${shape[@]}" \
        "${private[@]}" "$@" --ledger l.json --out m.json
    [[ "$stderr" == *"$words"* ]]
    [ ! -e site.json ]
    [ ! -e l.json ]
}

# says_hello EPSILON DELTA ARGUMENT...: the hello of this fit promises epsilon and delta.
says_hello() {
    local epsilon=$1 delta=$2
    shift 2
    separately "$DP2DP" fit --source "head -n 1 >hello" "${shape[@]}" "${private[@]}" "$@" --out m.json
    jq -e ".privacy == {epsilon: $epsilon, delta: $delta, rows_per_person: 1, rng: \"secure\"}" hello
}

@test "a fit whose model keeps no promise to these people promises them none" {
    local none="the fit has no finite epsilon for these people" declared=(--scores-epsilon 5 --scores-delta 1e-6)
    says_hello 1 1e-5
    says_hello 1 1e-5 "${declared[@]}"
    says_hello null null --scores-from-pool
    says_hello null null --same-people "${declared[@]}"
    unpromised "$none" --scores-from-pool
    unpromised "$none" --same-people "${declared[@]}"
    unpromised "the noise of the fit comes from a seed" --insecure-seed 1
    # A site that asks for no promise sees in its ledger that these people are exposed.
    answers fit --source "$(served pool.csv --ledger site.json --epsilon inf)" "${shape[@]}" "${private[@]}" \
        --scores-from-pool --out m.json
    [ "$(jq -r '[.entries[] | select(.entry == "charge") | .mechanism] | unique[]' site.json)" = exposed ]
}

@test "a hello alone charges nothing" {
    greeting="${greeting%\}},\"privacy\":{\"epsilon\":1,\"delta\":1e-5,\"rows_per_person\":1,\"rng\":\"secure\"}}"
    counting=("${scored[@]}" --ledger site.json --epsilon 1 --delta 1e-5)
    asked '{"end":"done"}'
    [ "$status" -eq 0 ]
    [ ! -e site.json ]
}

@test "a site refuses columns in another order than the classes or groups that they name" {
    local site="dp2dp count pool.csv --scores p_yes,p_no --classes no,yes --sensitive sex --groups F,M --serve"
    refuses 4 "the column 'p_yes' would be used as the scores of the class 'no'" \
        fit --source "$site" "${shape[@]}" "${private[@]}" --ledger l.json --out m.json
    awk -F, 'BEGIN { OFS = "," } NR == 1 { print $0, "p_F", "p_M"; next } { print $0, $2, $3 }' pool.csv >wide.csv
    serving=("${scored[@]}" --group-scores p_M,p_F)
    refuses 4 "the column 'p_M' would be used as the scores of the group 'F'" fit --source "$(served wide.csv)" "${scored[@]}" \
        --unaware --group-scores p_F,p_M "${private[@]}" --ledger l.json --out m.json
    [ ! -e m.json ] && [ ! -e l.json ]
}

@test "a fit without columns says what its model needs, and the model then serves every command" {
    local columns=(--scores p_no,p_yes --sensitive sex)
    relayed --source "$(served pool.csv)" "${nameless[@]}" "${private[@]}" --out m.json
    says "${unnamed_note#*note: }"
    relayed --source "$(served pool.csv)" "${nameless[@]}" "${private[@]}" --json --force --out m.json
    holds '.columns_note | startswith("the model does not store the names of its columns")'
    answers predict m.json pool.csv "${columns[@]}" --out d.csv
    answers evaluate m.json pool.csv "${columns[@]}" --label y
    answers certify m.json pool.csv "${columns[@]}" --epsilon 1 --delta 1e-5
    answers report m.json --test pool.csv "${columns[@]}" --label y --out r.html
    refuses 4 "with --sensitive COLUMN" predict m.json pool.csv --scores p_no,p_yes
    answers fit --source "$(served pool.csv)" "${scored[@]}" "${private[@]}" --json --force --out m.json
    holds 'has("columns_note") | not'
}

@test "a fit without columns says so before anything is asked or charged" {
    # The command sees what was said before it was asked.
    separately "$DP2DP" fit --source "cp ../stderr before; false" "${nameless[@]}" "${private[@]}" --ledger l.json --out m.json
    [ "$status" -ne 0 ]
    [ ! -e l.json ]
    [ "$(<before)" = "$unnamed_note" ]
    relayed --source "touch asked" "${nameless[@]}" "${private[@]}" --dry-run
    [ "$stderr" = "$unnamed_note" ]
    [ ! -e asked ]
}
