#!/usr/bin/env bats
# With a seed, the program writes the same bytes as when the checksums in tests/golden were recorded. A release
# changes them, since every model holds the library's version. To renew them on purpose:
#     DP2DP=build/dp2dp DP2DP_DATA=data tests/golden/record --renew
# To see where the outputs of two programs differ:
#     DP2DP=old/dp2dp OUT=a tests/golden/record && DP2DP=new/dp2dp OUT=b tests/golden/record && diff -r a b
load helpers

golden=$BATS_TEST_DIRNAME/../golden

# unchanged FOLDER LIST: FOLDER has the files and checksums of LIST. Prints every difference.
unchanged() {
    local listed recorded differing
    awk '{ for (i = 2; i <= NF; i++) { split($i, part, "="); print part[2] "  " $1 part[1] } }' "$2" >../sums
    listed=$(cut -c 67- ../sums | LC_ALL=C sort)
    recorded=$(find "./$1" -type f | LC_ALL=C sort)
    differing=$(
        LC_ALL=C comm -23 <(echo "$listed") <(echo "$recorded") | sed 's/^/not written: /'
        LC_ALL=C comm -13 <(echo "$listed") <(echo "$recorded") | sed 's/^/not in the list: /'
        sha256sum --check --quiet --ignore-missing ../sums 2>/dev/null | sed -n 's/: FAILED$//p' | sed 's/^/changed: /'
    )
    [ -z "$differing" ] || { echo "$differing"; return 1; }
}

@test "models, ledgers, schemas, decisions and JSON of a seed have not changed by a byte" {
    DP2DP=$DP2DP OUT=recording "$golden/record" made
    cd recording
    unchanged made "$golden/sha256sums"
}

@test "nor have those of the public data sets" {
    [ -n "${DP2DP_DATA:-}" ] || skip "needs DP2DP_DATA"
    DP2DP=$DP2DP OUT=recording "$golden/record" data
    cd recording
    unchanged data "$golden/sha256sums-data"
}
