#!/usr/bin/env bats
# The progress bar is shown on a terminal only.
load helpers

# watched TERM ARGUMENT...: what the command writes to a terminal as standard error.
watched() {
    local term=$1
    shift
    TERM=$term script -qec "$(printf '%q ' "$DP2DP" "$@") >/dev/null" /dev/null </dev/null
}

slow() { # a training that takes some time
    synthetic 20000 1 >t.csv
    train=(train t.csv --schema s.json --epsilon 1 --delta 1e-5 --steps 1500 --force --out c.json)
}

@test "a terminal sees a bar, a percentage and the time that is left, gone at the end" {
    command -v script >/dev/null || skip "needs script"
    slow
    watched xterm "${train[@]}" >seen
    tr '\r' '\n' <seen | grep -qE '^\[#*\.*\] +[0-9]+ %, ([0-9]+ min )?[0-9]+ s left'
    [ "$(tr '\r' '\n' <seen | grep -oE '^\[[#.]*\]' | sort -u | awk '{ print length }' | sort -u)" = 32 ]
    [ "$(tail -c 4 seen)" = $'\r\033[K' ]
    # The percentage never falls.
    tr '\r' '\n' <seen | sed -n 's/.*\] *\([0-9]*\) %.*/\1/p' | sort -nc
    people 3000 1 >pool.csv
    watched xterm fit pool.csv "${unnamed[@]}" "${private[@]}" --steps 20000 --force --out m.json >seen
    grep -q "%" seen
    watched xterm run t.csv --schema s.json --epsilon 1 --delta 1e-5 --runs 8 >seen
    grep -q "%" seen
    watched xterm run t.csv --schema s.json --epsilon 1 --delta 1e-5 >seen
    grep -q "%" seen
    watched xterm sweep t.csv --schema s.json --epsilon 1,2 --delta 1e-5 --runs 8 --out s.csv >seen
    tr '\r' '\n' <seen | grep -qE '^\[#*\.*\] +[0-9]+ %, ([0-9]+ min )?[0-9]+ s left'
}

@test "a dumb terminal and a pipe see nothing" {
    command -v script >/dev/null || skip "needs script"
    slow
    [ -z "$(watched dumb "${train[@]}")" ]
    answers "${train[@]}" # nothing on standard error
}
