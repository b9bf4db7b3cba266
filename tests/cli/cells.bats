#!/usr/bin/env bats
# Rows that stand for several records (--multiplicity), and scores on a grid (--grid).
load helpers

begin() {
    awk 'BEGIN { srand(1); print "p_no,p_yes,sex,y,n"; for (i = 0; i < 300; i++) {
        p = int(64 * rand()) / 64
        printf "%.6f,%.6f,%s,%s,%d\n", 1 - p, p, rand() < 0.5 ? "F" : "M", rand() < p ? "yes" : "no", 1 + 9 * rand() } }' >cells.csv
    awk -F, -v OFS=, '{ times = NR == 1 ? 1 : $5; for (i = 0; i < times; i++) print $1, $2, $3, $4 }' cells.csv >rows.csv
    records=$(($(wc -l <rows.csv) - 1))
    fit=("${scored[@]}" "${private[@]}" --insecure-seed 1)
}

@test "a table of cells gives the model of the repeated rows, byte for byte" {
    local options
    for options in "" "--solver exact" "--grid 4" "--criterion equal_opportunity --label y --dither 0" \
        "--criterion equal_opportunity --counted scores --dither 0"; do
        # shellcheck disable=SC2086 # words
        answers fit cells.csv "${fit[@]}" $options --multiplicity n --out cells.json
        says "learned from $records records"
        # shellcheck disable=SC2086 # words
        answers fit rows.csv "${fit[@]}" $options --out rows.json
        cmp cells.json rows.json
        rm cells.json rows.json
    done
}

@test "a fit to cells says that it takes the records of a row for different people" {
    answers fit cells.csv "${scored[@]}" "${private[@]}" --multiplicity n --out m.json
    says "assumes that the records a row stands for belong to different people; if they do not, use --rows-per-person"
    answers fit cells.csv "${scored[@]}" "${private[@]}" --multiplicity n --rows-per-person 9 --out m.json --force --json
    holds '.rows_assumption == "that nobody has more than 9 records, in one row or in several"'
    answers fit rows.csv "${scored[@]}" "${private[@]}" --out m.json --force --json
    holds 'has("rows_assumption") | not'
}

@test "a certificate of cells is the one of the repeated rows" {
    answers fit rows.csv "${fit[@]}" --out m.json
    answers certify m.json cells.csv "${private[@]}" --insecure-seed 2 --multiplicity n --out cells.json
    local said=$output
    answers certify m.json rows.csv "${private[@]}" --insecure-seed 2 --out rows.json
    said=$(tr -s ' \n' ' ' <<<"${said//cells./rows.}")
    said=${said/ assumes that the records a row stands for*where N is the largest number of records of one person/}
    local rows
    rows=$(tr -s ' \n' ' ' <<<"$output")
    [ "$said" = "${rows/ assumes one row per person; otherwise make the model with --rows-per-person/}" ]
    cmp cells.json rows.json
    answers fit rows.csv "${fit[@]}" --dither 0.1 --out m.json --force
    refuses 2 "to the scores of each record: give each record its own row" certify m.json cells.csv "${private[@]}" --multiplicity n
}

@test "a certificate of cells says how many of its records it takes for one person" {
    answers fit rows.csv "${fit[@]}" --out m.json
    answers certify m.json cells.csv "${private[@]}" --multiplicity n
    says "assumes that the records a row stands for belong to different people; if they do not, make the model with --rows-per-person"
    answers certify m.json rows.csv "${private[@]}" --json
    holds '.rows_assumption == "one row per person; otherwise make the model with --rows-per-person"'
    answers fit rows.csv "${fit[@]}" --rows-per-person 9 --out m.json --force
    answers certify m.json cells.csv "${private[@]}" --multiplicity n --json
    holds '.rows_assumption == "that nobody has more than 9 records, in one row or in several"'
}

@test "a verb that takes no cells says what to do with them" {
    answers fit rows.csv "${fit[@]}" --out m.json
    local one="unknown option --multiplicity; this command counts each row as one record: repeat a row"
    refuses 2 "$one" evaluate m.json cells.csv --multiplicity n
    refuses 2 "$one" report m.json --test cells.csv --multiplicity=n --out page.html
    refuses 2 "$one" train cells.csv --schema adult "${private[@]}" --multiplicity n --out x.json
    refuses 2 "unknown option --multiplicity; each row gets one decision" predict m.json cells.csv --multiplicity n
    refuses 2 "unknown option --multiplicity" show m.json --multiplicity n
    [[ "$output" != *"each row"* ]]
}

@test "a dry run counts records, not rows" {
    # delta is below 0.75 / 300 rows and above 1 / $records records
    answers fit cells.csv "${scored[@]}" --epsilon 1 --delta 1.6e-3 --dry-run --json
    holds '.warnings | index("delta-large") == null'
    answers fit cells.csv "${scored[@]}" --epsilon 1 --delta 1.6e-3 --dry-run --json --multiplicity n
    holds '.warnings | index("delta-large") != null'
}

@test "what is not a number of records is refused with the row, and survey weights are mentioned" {
    local bad
    for bad in 0 -2 2.5 nan x 1e300 ""; do
        awk -F, -v OFS=, -v bad="$bad" 'NR == 4 { $5 = bad } { print }' cells.csv >bad.csv
        refuses 4 'row 3, column "n": ' fit bad.csv "${fit[@]}" --multiplicity n --out bad.json
        [[ "$stderr" == *"not for survey weights"*"--rows-per-person"* ]]
        refuses 4 'column "n": every value must be' fit bad.csv "${fit[@]}" --multiplicity n --bad-rows ignore --out bad.json
        [[ "$stderr" != *"row 3"* ]]
        [ ! -e bad.json ]
    done
}

@test "a bad cell that is ignored still counts all its records" {
    awk -F, -v OFS=, 'NR % 9 == 4 { $1 = 7 } { print }' cells.csv >bad.csv
    answers fit bad.csv "${fit[@]}" --multiplicity n --bad-rows ignore --out bad.json
    [ "$(jq .records bad.json)" -eq "$records" ]
    local unreadable
    for unreadable in "" nan x 1e400; do
        awk -F, -v OFS=, -v bad="$unreadable" 'NR % 9 == 4 { $1 = bad } { print }' cells.csv >bad.csv
        answers fit bad.csv "${fit[@]}" --multiplicity n --bad-rows ignore --force --out bad.json
        [ "$(jq .records bad.json)" -eq "$records" ]
    done
}

@test "a dither, sgd and a model with a classifier refuse --multiplicity" {
    refuses 2 "dither" fit cells.csv "${fit[@]}" --multiplicity n --dither 0.1 --out bad.json
    refuses 2 "dither" fit cells.csv "${fit[@]}" --multiplicity n --criterion equalized_odds --label y --out bad.json
    refuses 2 "samples single records" fit cells.csv "${fit[@]}" --multiplicity n --solver sgd --out bad.json
    refuses 2 "--multiplicity" fit cells.csv --model any.json "${private[@]}" --multiplicity n --out bad.json
    refuses 2 "20" fit cells.csv "${fit[@]}" --grid 21 --out bad.json
}

@test "decisions, shares and words of a model with a grid are those of rounded scores" {
    awk 'BEGIN { srand(2); print "p_no,p_yes,sex,y"; for (i = 0; i < 500; i++) { p = rand()
        printf "%.9f,%.9f,%s,%s\n", 1 - p, p, rand() < 0.5 ? "F" : "M", rand() < p ? "yes" : "no" } }' >fine.csv
    awk -F, -v OFS=, 'NR > 1 { $1 = int($1 * 8 + 0.5) / 8; $2 = int($2 * 8 + 0.5) / 8 } { print }' fine.csv >coarse.csv
    answers fit fine.csv "${fit[@]}" --grid 3 --out model.json
    says "each score is rounded to a multiple of 1/8"
    answers show model.json
    says "each score is rounded to a multiple of 1/8"
    answers show model.json --json
    holds '.rule.grid_bits == 3'
    answers predict model.json fine.csv --out fine.out.csv
    answers predict model.json coarse.csv --out coarse.out.csv
    diff <(cut -d, -f5 fine.out.csv) <(cut -d, -f5 coarse.out.csv)
    answers evaluate model.json fine.csv --label y --json
    repeats evaluate model.json coarse.csv --label y --json
}

@test "a model with a grid is refused by readers that do not know the grid" {
    answers fit cells.csv "${fit[@]}" --multiplicity n --grid 16 --out model.json
    [ "$(jq -c '[.rule.kind, .rule.grid_bits, .version.minor]' model.json)" = '["offset-grid",16,2]' ]
}
