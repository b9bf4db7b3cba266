#!/usr/bin/env bats
# `dp2dp synth`: the paper's synthetic data, the same on every machine, written completely or not at all.
load helpers

small=(synth --samples 200 --features 3 --classes 4 --components 2)

@test "columns are x1..xd, s, y, with as many rows as asked" {
    answers "${small[@]}" --insecure-seed 1 --out data.csv
    [ "$output" = "200 rows, written to data.csv" ]
    [ "$(head -n 1 data.csv)" = "x1,x2,x3,s,y" ]
    [ "$(wc -l <data.csv)" -eq 201 ]
    tail -n +2 data.csv | LC_ALL=C awk -F, '
        NF != 5 || ($4 != 1 && $4 != -1) || $5 !~ /^[0-3]$/ { exit 1 }
        { for (j = 1; j <= 3; j++) if ($j !~ /^-?[0-9]+\.[0-9]+$/) exit 1 }'
}

@test "the defaults are the paper's" {
    answers synth --insecure-seed 3 --out default.csv
    answers synth --samples 10000 --features 20 --classes 6 --components 10 --p 0.75 \
        --insecure-seed 3 --out said.csv
    cmp default.csv said.csv
}

@test "a seed gives the same file on every machine" {
    answers "${small[@]}" --insecure-seed 1
    [ "$(sha256sum <<<"$output")" = "3835bc16b774a7bf35cbea986a8196e618676666cb8dc9c5f124d9cd3cbd05b4  -" ]
    local first=$output
    answers "${small[@]}" --insecure-seed 2
    [ "$output" != "$first" ]
    refuses 2 "--insecure-seed S is needed" "${small[@]}"
}

@test "p moves the groups and nothing else" {
    local p
    for p in 0 0.5 1; do
        answers "${small[@]}" --p "$p" --insecure-seed 1 --out "$p.csv"
    done
    cmp <(cut -d, -f1-3,5 0.csv) <(cut -d, -f1-3,5 1.csv)
    # The first half of the classes has group 1 with probability p, the others with 1 - p.
    tail -n +2 1.csv | awk -F, '($5 < 2) != ($4 == 1) { exit 1 }'
    tail -n +2 0.csv | awk -F, '($5 < 2) != ($4 == -1) { exit 1 }'
    # Half of 200, within 5 standard deviations of the binomial distribution.
    tail -n +2 0.5.csv | awk -F, '{ n += $4 == 1 } END { exit n < 65 || n > 135 }'
}

@test "with an odd number of classes the smaller half comes first" {
    answers synth --samples 300 --features 1 --classes 3 --p 1 --insecure-seed 1
    tail -n +2 <<<"$output" | awk -F, '($3 < 1) != ($2 == 1) { exit 1 }'
}

@test "sizes out of bounds are refused" {
    refuses 2 "--samples 0 is below its bound 1" synth --samples 0 --insecure-seed 1
    refuses 2 "--classes 1 is below its bound 2" synth --classes 1 --insecure-seed 1
    refuses 2 "--p 1.5 is above its bound 1" synth --p 1.5 --insecure-seed 1
    refuses 2 "--p -0.1 is below its bound 0" synth --p=-0.1 --insecure-seed 1
    refuses 2 "--insecure-seed -1 is below its bound 0" synth --insecure-seed=-1
    refuses 2 "unexpected argument" synth --insecure-seed 1 file.csv
}

@test "a killed run leaves the old file whole" {
    echo old >data.csv
    signalled KILL "has_begun data.csv" synth --samples 1e9 --insecure-seed 1 --force --out data.csv
    [ "$(cat data.csv)" = old ]
}

@test "an interrupted run leaves the old file and nothing else" {
    echo old >data.csv
    signalled INT "has_begun data.csv" synth --samples 1e9 --insecure-seed 1 --force --out data.csv
    [ "$code" = 130 ]
    grep -q interrupted ../message
    [ "$(cat data.csv)" = old ]
    [ "$(ls -A)" = data.csv ]
}

@test "a file that cannot be written is refused, and what is there stays" {
    mkdir folder
    echo old >kept.csv
    refuses 1 "Is a directory" "${small[@]}" --insecure-seed 1 --out folder
    refuses 1 "No such file or directory: absent/data.csv" "${small[@]}" --insecure-seed 1 --out absent/data.csv
    refuses 1 "Not a directory" "${small[@]}" --insecure-seed 1 --out kept.csv/data.csv
    ln -s nowhere link.csv
    refuses 1 "link.csv" "${small[@]}" --insecure-seed 1 --out link.csv
    refuses 2 "--out is an empty string" "${small[@]}" --insecure-seed 1 --out ""
    [ "$(cat kept.csv)" = old ]
    [ "$(ls -A)" = "$(printf 'folder\nkept.csv\nlink.csv')" ]
}

@test "a link is followed, and permissions stay" {
    echo old >real.csv
    chmod 640 real.csv
    ln -s real.csv link.csv
    answers "${small[@]}" --insecure-seed 1 --force --out link.csv
    [ -L link.csv ]
    [ "$(stat -c %a real.csv)" = 640 ]
    [ "$(wc -l <real.csv)" -eq 201 ]
}

@test "a device is written to, not replaced" {
    answers "${small[@]}" --insecure-seed 1 --out /dev/stdout
    [ "$(wc -l <<<"$output")" -eq 201 ]
    answers "${small[@]}" --insecure-seed 1 --out /dev/null
    [ -c /dev/null ]
}
