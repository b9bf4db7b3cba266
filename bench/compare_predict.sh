#!/usr/bin/env bash
# Compares `dp2dp predict` on a CSV file with reading the file alone, in turn; the fastest of five rounds counts.
# Usage: compare_predict.sh BENCH_TABLE DP2DP
set -euo pipefail
table=$(realpath "$1") program=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

LC_ALL=C awk 'BEGIN {
    srand(1)
    print "p_no,p_yes,sex"
    for (i = 0; i < 1000000; i++) {
        p = int(1000000 * rand())
        printf "0.%06d,0.%06d,%s\n", p % 1000000, (1000000 - p) % 1000000, (rand() < .4 ? "F" : "M")
    }
}' | grep -v '0.000000,0.000000' >one.csv
for _ in $(seq 20); do tail -n +2 one.csv; done | cat <(head -n 1 one.csv) - >rows.csv
"$program" fit one.csv --scores p_no,p_yes --sensitive sex --groups F,M --solver exact --out model.json >/dev/null

for _ in 1 2 3 4 5; do
    "$table" rows.csv 1 p_no p_yes text:sex
    TIMEFORMAT='predict %R'
    time "$program" predict model.json rows.csv >/dev/null
done 2>&1 | LC_ALL=C awk -v bytes="$(stat -c %s rows.csv)" '
    /^rows/ { if (!reader || $4 < reader) reader = $4 }
    /^predict/ { if (!all || $2 < all) all = $2 }
    END {
        printf "%s  predict from a CSV of %d MB: %.2f s, the reader alone %.2f s: %.2f of its speed (target .6)\n",
            (reader >= .6 * all ? "PASS" : "FAIL"), bytes / 1e6, all, reader, reader / all
    }'
