#!/usr/bin/env bats
# `dp2dp run` and `sweep` with --person: several rows of one person stay together.
load helpers

# swept ARGUMENT...: sweeps over the raw rows of t.csv at rho 0.05.
swept() {
    answers sweep t.csv --schema s.json --rho 0.05 --delta 1e-5 --insecure-seed 3 "$@"
}

# visits: t.csv with 400 persons of one to nine rows, in the column who, which the schema does not name.
visits() {
    synthetic 2000 1 | awk -F, -v OFS=, 'NR == 1 { print "who", $0; next }
        { if (left == 0) { who++; left = 1 + who * 7 % 9 } left--; print "\"p " who "\"", $0 }' >t.csv
}

@test "rows of a person stay together in one part" {
    visits
    local seed
    for seed in 1 2 3 4 5; do
        answers run t.csv --schema s.json --person who "${private[@]}" --insecure-seed "$seed" --runs 2 --save "runs$seed" --json
        holds '.persons.column == "who" and .persons.count > 390 and .persons.rows_of_one == 9 and .persons.protects == "rows"'
    done
    python3 - "$output" <<'END'
import csv, json, sys
who = [row["who"] for row in csv.DictReader(open("t.csv", newline=""))]
splits = []
for seed in range(1, 6):
    for run in range(2):
        rows = list(csv.DictReader(open(f"runs{seed}/run-{run}.csv", newline="")))
        part = [row["split"] for row in rows]
        assert len(rows) == 2000 and len(set(zip(who, part))) == len(set(who)), "a person is in two parts"
        # A part ends within half of the largest person of where it should end.
        assert abs(part.count("train") - 1100) <= 4.5 and abs(part.count("test") - 500) <= 4.5
        splits.append(part)
assert len({tuple(part) for part in splits}) == 10
said = json.loads(sys.argv[1])["sizes"]
assert all(said[name] == splits[8].count(name) for name in said), said
END
    # The sweep makes the same splits.
    answers sweep t.csv --schema s.json --person who "${private[@]}" --rho 0.05 --insecure-seed 5 --runs 2 --out s.csv
    says "about 1100 to train on" "CAUTION: at least one person has 9 rows, but --rows-per-person is 1" "but somebody has more rows"
    [ "$(cells s.csv records_train records_pool records_test rows_of_one_person protects)" = "$(for run in 0 1; do
        cut -d, -f2 "runs5/run-$run.csv" | sort | uniq -c | awk '{ n[$2] = $1 } END { print n["train"] "," n["pool"] "," n["test"] ",9,rows" }'
    done)" ]
    # Every row a person: parts of the sizes asked for. Other texts for the same persons: the same splits.
    synthetic 2000 1 | awk -v OFS=, 'NR == 1 { print "who", $0; next } { print NR, $0 }' >t.csv
    answers run t.csv --schema s.json --person who "${private[@]}" --insecure-seed 5 --save single --json
    holds '.sizes == {"train": 1100, "pool": 400, "test": 500} and .persons.protects == "person"'
    awk -F, -v OFS=, 'NR > 1 { $1 = "x" 9000 - $1 } 1' t.csv >u.csv
    answers run u.csv --schema s.json --person who "${private[@]}" --insecure-seed 5 --save renamed
    cmp single/run-0.csv renamed/run-0.csv
    answers run t.csv --schema s.json "${private[@]}" --insecure-seed 5 --json
    holds '.persons == null'
    holds '.rows_assumption == "one row per person; otherwise use --person COLUMN and --rows-per-person"'
    answers run t.csv --schema s.json "${private[@]}" --insecure-seed 5
    says "assumes one row per person; otherwise use --person COLUMN and --rows-per-person"
    answers run t.csv --schema s.json --person who "${private[@]}" --insecure-seed 5 --json
    holds '.rows_assumption == null'
    answers run t.csv --schema s.json --rows-per-person 2 "${private[@]}" --insecure-seed 5 --json
    holds '.rows_assumption == null'
}

@test "nobody is in both phases with --person, so the larger cost counts" {
    visits
    swept --epsilon 1 --rows-per-person 9 --out rows.csv
    swept --epsilon 1 --rows-per-person 9 --person who --out whole.csv
    cells rows.csv epsilon_holds protects | awk -F, '!($1 > 1.2 && $2 == "") { exit 1 }'
    cells whole.csv epsilon_holds protects | awk -F, '!($1 > .99 && $1 <= 1 && $2 == "person") { exit 1 }'
    answers run t.csv --schema s.json --person who --rows-per-person 9 "${private[@]}" --insecure-seed 3 --rho 0.05
    says "train and pool hold different people, so the larger cost counts"
}

@test "a column of persons that cannot be used is refused" {
    visits
    local verb
    for verb in "sweep --out no.csv" run; do
        # shellcheck disable=SC2086 # words
        set -- $verb --schema s.json "${private[@]}"
        refuses 4 "nobody" "$@" t.csv --person nobody
        sed '7s/"[^"]*"//' t.csv >gap.csv
        refuses 4 "row 6 has no value in the column who" "$@" gap.csv --person who
        mkfifo pipe
        cat t.csv >pipe &
        refuses 2 "--person reads TABLE twice" "$@" --person who pipe
        rm pipe
        sed 's/"[^"]*"/p/' t.csv >one.csv
        refuses 4 "too few persons (1), or persons with too many rows" "$@" one.csv --person who
    done
    people 100 1 >p.csv
    refuses 2 "--person cannot be used with --scores" sweep p.csv "${scored[@]}" --label y "${private[@]}" --person id --out no.csv
}

@test "Parkinsons is split by subject" {
    [ -n "${DP2DP_DATA:-}" ] || skip "needs DP2DP_DATA"
    answers run --schema parkinsons --data-dir "$DP2DP_DATA" --person "subject#" "${private[@]}" --insecure-seed 1 --save runs --json
    holds '.persons.count == 42 and .persons.rows_of_one == 168 and .persons.protects == "rows"'
    python3 - "$DP2DP_DATA/parkinsons/parkinsons_updrs.data" <<'END'
import csv, sys
who = [row["subject#"] for row in csv.DictReader(open(sys.argv[1], newline=""))]
part = [row["split"] for row in csv.DictReader(open("runs/run-0.csv", newline=""))]
assert len(who) == len(part) == 5875 and len(set(zip(who, part))) == 42
END
}
