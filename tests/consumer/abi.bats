#!/usr/bin/env bats
# Programs compiled against this version keep working: functions, struct layouts and constants are those in abi.txt.
# Changes that would break a program are made in a copy of the headers, and found.

setup() {
    [ "$(getconf LONG_BIT)" = 64 ] || skip "abi.txt is for 64-bit machines"
    copy=$(mktemp -d)
    cp -R "$DP2DP_SOURCE_DIR/include" "$copy"
    abi "$copy/include" "$copy/now"
}

teardown() {
    rm -rf "$copy"
}

abi() { # headers file: writes the functions, layouts and constants of a folder of headers to a file
    "$DP2DP_SOURCE_DIR/tools/abi" "$DP2DP_CC" "$1" "$DP2DP_BUILD_DIR/include" >"$2"
}

differs() { # header command words: after this sed command on the header, the difference contains the words
    sed -i "$2" "$copy/include/dp2dp/$1"
    run cmp -s "$copy/include/dp2dp/$1" "$DP2DP_SOURCE_DIR/include/dp2dp/$1"
    [ "$status" -eq 1 ] # the command did change the header
    abi "$copy/include" "$copy/changed"
    run diff "$copy/now" "$copy/changed"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"$3"* ]]
}

@test "functions, layouts and constants are those of abi.txt" {
    if ! diff -u --label tests/consumer/abi.txt --label "the headers" \
        "$DP2DP_SOURCE_DIR/tests/consumer/abi.txt" "$copy/now"; then
        echo "Programs compiled before this change may break. Allowed: new functions, new constants, and new"
        echo "fields at the end of a struct with struct_size. Anything else needs a new soname: before 1.0, a"
        echo "new minor version in CMakeLists.txt. If the change is intended, run make abi."
        return 1
    fi
}

@test "every exported function is in abi.txt" {
    diff <(nm -D --defined-only "$DP2DP_LIBRARY" | awk '{ print $NF }' | sort) \
        <(sed -n 's/^[^ ].*[ *]\(dp2dp_[a-z0-9_]*\)(.*/\1/p' \
            "$DP2DP_SOURCE_DIR/tests/consumer/abi.txt" | sort)
}

@test "a field that moves is found" {
    differs pool.h 's/^    size_t classes;$//; s/^    size_t strata;$/    size_t classes, strata;/' \
        "size_t classes"
}

@test "a field that is added, and what it shifts, is found" {
    differs accountant.h 's/^    double sigma; /    float extra; double sigma; /' "152 bytes"
}

@test "another type of the same size is found" {
    differs ledger.h 's/size_t i, dp2dp_event/long i, dp2dp_event/' "long i, dp2dp_event"
    differs metrics.h 's/^    uint64_t bootstrap_draws;/    double bootstrap_draws;/' "double bootstrap_draws"
}

@test "a constant with another value, and one that is gone, are found" {
    differs status.def 's/BUDGET, 20/BUDGET, 21/' "21 DP2DP_STATUS_BUDGET"
    differs solver.def '/EXACT/d' "2 DP2DP_SOLVER_EXACT"
}

@test "an option added to the middle of a struct is found" {
    differs fit.h '/^    double delta; /a double gamma;' "double gamma"
}
