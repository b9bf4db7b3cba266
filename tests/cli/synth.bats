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

# shares FILE: the share of each group over all rows, then in the classes below 2, then in the others.
shares() {
    python3 - "$1" <<'END'
import collections, csv, sys
rows = [(row["s"], int(row["y"]) < 2) for row in csv.DictReader(open(sys.argv[1], newline=""))]
names = sorted({name for name, _ in rows}, key=int)
for chosen in ([n for n, _ in rows], [n for n, first in rows if first], [n for n, first in rows if not first]):
    count = collections.Counter(chosen)
    print(*(count[name] / len(chosen) for name in names))
END
}

# near FILE TABLE: the shares of FILE are those of TABLE within 0.015: 4.7 standard deviations of the widest
# binomial distribution here (10,000 rows, share 0.5). The seed is fixed.
near() {
    paste -d' ' <(shares "$1") - <<<"$2" | awk '
        { for (i = 1; i <= NF / 2; i++) { d = $i - $(i + NF / 2); if (d > .015 || d < -.015) { print; bad = 1 } } }
        END { exit bad || NR != 3 }'
}

@test "groups have the shares asked for, and p sets how they depend on the class" {
    local large=(synth --samples 20000 --features 1 --classes 4 --components 1 --insecure-seed 5)
    answers "${large[@]}" --groups 4 --shares 0.5,0.2,0.2,0.1 --p 0.5 --out half.csv
    near half.csv "0.5 0.2 0.2 0.1
0.5 0.2 0.2 0.1
0.5 0.2 0.2 0.1"
    # Groups 1 and 3 have the share 0.3: at p = 0.75 it is 0.45 in the first classes and 0.15 in the others.
    answers "${large[@]}" --groups 4 --shares 0.5,0.2,0.2,0.1 --p 0.75 --out more.csv
    near more.csv "0.5 0.2 0.2 0.1
0.392857 0.3 0.157143 0.15
0.607143 0.1 0.242857 0.05"
    # At p = 0 all of them are in the other classes.
    answers "${large[@]}" --groups 4 --shares 0.5,0.2,0.2,0.1 --p 0 --out none.csv
    near none.csv "0.5 0.2 0.2 0.1
0.714286 0 0.285714 0
0.285714 0.4 0.114286 0.2"
    tail -n +2 none.csv | awk -F, '$3 < 2 && $2 % 2 { exit 1 }'
    # Equal shares without --shares, also for an odd number of classes: the first of three.
    answers synth --samples 20000 --features 1 --classes 3 --groups 5 --p 1 --insecure-seed 5 --out five.csv
    tail -n +2 five.csv | awk -F, '
        { n[$2]++; m[$2] += $3 < 1 }
        END { for (g = 0; g < 5; g++) if (n[g] < 3700 || n[g] > 4300) exit 1
              # a = 0.4: 0.8 of class 0, which is a third of all rows, is of groups 1 and 3
              x = (m[1] + m[3]) / (m[0] + m[1] + m[2] + m[3] + m[4]); exit x < .78 || x > .82 }'
    # Of two unequal groups, the first share is that of group -1.
    answers "${large[@]}" --shares 0.9,0.1 --p 1 --out two.csv
    near two.csv "0.9 0.1
0.8 0.2
1 0"
    [ "$(cut -d, -f2 two.csv | sort -u | xargs)" = "-1 1 s" ]
}

@test "groups and shares change no other column, and two equal groups are the paper's" {
    answers "${small[@]}" --insecure-seed 1 --out paper.csv
    answers "${small[@]}" --insecure-seed 1 --groups 2 --out two.csv
    answers "${small[@]}" --insecure-seed 1 --shares 0.5,0.5 --out equal.csv
    answers "${small[@]}" --insecure-seed 1 --groups 3 --shares 0.2,0.5,0.3 --out three.csv --json
    holds '.groups == 3'
    cmp paper.csv two.csv
    cmp paper.csv equal.csv
    cmp <(cut -d, -f1-3,5 paper.csv) <(cut -d, -f1-3,5 three.csv)
    [ "$(cut -d, -f4 three.csv | sort -u | xargs)" = "0 1 2 s" ]
}

@test "shares that are not shares are refused" {
    refuses 2 "--groups 1 is below its bound 2" synth --groups 1 --insecure-seed 1
    refuses 2 "--shares has 3 numbers, but --groups is 2" synth --shares 0.5,0.3,0.2 --insecure-seed 1
    refuses 2 "--shares has 2 numbers, but --groups is 3" synth --groups 3 --shares 0.5,0.5 --insecure-seed 1
    refuses 2 "--shares must sum to 1, but sum to 0.9" synth --shares 0.5,0.4 --insecure-seed 1
    local bad
    for bad in 0,1 1.5,-0.5 a,b 0.5, "0.5, 0.5" nan,1; do
        refuses 2 "is not a list of numbers above 0" synth --shares "$bad" --insecure-seed 1
    done
    [ -z "$(ls -A)" ]
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
