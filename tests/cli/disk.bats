#!/usr/bin/env bats
# A model that cannot be written costs nothing: the disk is full, or another command writes the same file.
load helpers

begin() {
    people 2000 1 >pool.csv
}

# in_full_folder COMMAND...: runs the command in a new file system of 64 KiB with 8 KiB free, mounted at ./full. Needs the
# right to mount, which root and most user name spaces give.
in_full_folder() {
    mkdir -p full
    # shellcheck disable=SC2016 # expanded by the inner shell
    local inside='mount -t tmpfs -o size=64k none full && head -c 57344 /dev/zero >full/rest && "$@"; code=$?
        ls full >../left; umount full; exit $code'
    unshare --mount bash -c "$inside" bash "$@" 2>../message || unshare --map-root-user --mount bash -c "$inside" bash "$@"
}

@test "a full disk is noticed before anything is charged" {
    run in_full_folder "$DP2DP" fit pool.csv "${unnamed[@]}" "${private[@]}" --ledger ledger.json --out full/m.json
    [ "$status" -ne 0 ]
    [[ "$output" == *"No space left on device"* ]]
    [ ! -e ledger.json ]
    [ "$(<../left)" = rest ]
    synthetic 300 1 >t.csv
    run in_full_folder "$DP2DP" train t.csv --schema s.json "${private[@]}" --ledger ledger.json --out full/c.json
    [ "$status" -ne 0 ]
    [ ! -e ledger.json ]
    fits "${private[@]}" --out model.json
    run in_full_folder "$DP2DP" certify model.json pool.csv "${private[@]}" --ledger ledger.json --out full/c.json
    [ "$status" -ne 0 ]
    [[ "$output" == *"No space left on device"* ]]
    [ ! -e ledger.json ]
}

@test "of eight commands that write one file, one is charged" {
    local i
    for i in 1 2 3 4 5 6 7 8; do
        "$DP2DP" fit pool.csv "${unnamed[@]}" "${private[@]}" --ledger ledger.json --out m.json \
            >"out$i" 2>"message$i" 3>&- 7>&- && echo "$i" >>done &
    done
    wait
    [ "$(wc -l <done)" -eq 1 ]
    [ "$(grep -c '"entry":"charge"' ledger.json)" -eq 2 ] # group counts and decision counts, once
    for i in 1 2 3 4 5 6 7 8; do
        [ "$(<done)" = "$i" ] || grep -qE 'another command is writing this file now|the file exists already' "message$i"
    done
    answers show m.json
}

@test "what a killed command left is no obstacle" {
    echo rest >.m.json.tmp
    answers fit pool.csv "${unnamed[@]}" "${private[@]}" --out m.json
    [ ! -e .m.json.tmp ]
    answers show m.json
}
