#!/usr/bin/env bats
# What new users type out of habit from other tools: the message says what to type instead.
load helpers

fit=(fit pool.csv "${scored[@]}")

begin() {
    people 400 1 >pool.csv
}

# advises CODE WORDS ARGUMENT...: refuses, and the message ends with WORDS, apart from a note about row 1.
advises() {
    refuses "$@"
    local line=${stderr%%$'\n'*}
    line=${line% (row 1 is the first row after the header)}
    if [[ "$line" != *"$2" ]]; then
        printf 'does not end so: %s\n%s\n' "$2" "$line"
        return 1
    fi
}

@test "options of other programs" {
    advises 2 "unknown option --output; did you mean --out?" "${fit[@]}" --output m.json
    advises 2 "unknown option -o; options start with two dashes and are not abbreviated" "${fit[@]}" -o m.json
    advises 2 "unknown option -out; did you mean --out?" "${fit[@]}" -out m.json
    # A verb that writes no file has no --out.
    advises 2 "unknown option --out; this command prints to stdout: redirect with > FILE" \
        evaluate m.json pool.csv --out c.json
    advises 2 "unknown option --output; this command prints to stdout: redirect with > FILE" show m.json --output c.txt
    advises 2 "; did you mean counts?" "${fit[@]}" --solver count
    advises 2 "; did you mean gaussian?" account --mechanism gauss
    advises 2 "gaussian|poisson|without-replacement|with-replacement" calibrate --mechanism laplace
}

@test "verbs of other programs, and files where the verb should be" {
    advises 2 "unknown verb 'version'; did you mean --version?" version
    advises 2 "unknown option '-v'; did you mean --version?" -v
    advises 2 "unknown option '-V'; did you mean --version?" -V
    advises 2 "unknown verb 'pool.csv'; the verb comes before the files" pool.csv fit
    advises 2 "unknown verb 'nowhere.csv'" nowhere.csv fit
}

@test "a list with blanks in it" {
    advises 2 "unexpected argument 'p_yes'; put quotes around a list that contains spaces: --scores \"A 1,B 2\"" \
        fit pool.csv --scores p_no, p_yes --sensitive sex --groups F,M "${private[@]}" --out m.json
    advises 2 "unexpected argument 'M'; put quotes around a list that contains spaces: --groups \"A 1,B 2\"" \
        fit pool.csv --scores p_no,p_yes --sensitive sex --groups F M "${private[@]}" --out m.json
    advises 2 "unexpected argument 'more.csv'; for several tables, give each as --source \"dp2dp count TABLE ... --serve\"" "${fit[@]}" --solver exact more.csv --out m.json
}

@test "a list of budgets where one is needed: sweep takes lists" {
    advises 2 "did you mean 1.2?; only dp2dp sweep takes a list" run --schema adult --epsilon 1,2 --delta 1e-5
    advises 2 "not a finite decimal number or inf; only dp2dp sweep takes a list" run --schema adult --epsilon 1,2,4 --delta 1e-5
}

@test "blanks around the names of a list are no part of the names" {
    answers fit pool.csv --scores ' p_no, p_yes ' --classes 'no, "yes" ' --sensitive sex --groups 'F , M' \
        --solver exact --out blanks.json
    output=$(<blanks.json)
    holds '.rule.classes == ["no", "yes"] and .rule.groups == ["F", "M"]'
    answers fit pool.csv --scores p_no,p_yes --classes 'no," yes"' --sensitive sex --groups F,M --solver exact --out quoted.json
    output=$(<quoted.json)
    holds '.rule.classes == ["no", " yes"]'
    refuses 2 "--groups: name 2 is empty" fit pool.csv --scores p_no,p_yes --sensitive sex --groups 'F, ' \
        --solver exact --out m.json
}

@test "the score of one class only, and a budget of nothing" {
    advises 2 "--scores has one name, but at least 2 are needed, one column per class; if you have only the probability of \"yes\", add a column for \"no\" that holds 1 minus that probability" \
        fit pool.csv --scores p_yes --sensitive sex --groups F,M "${private[@]}" --out m.json
    advises 2 "--groups has one name, but at least 2 are needed" \
        fit pool.csv --scores p_no,p_yes --sensitive sex --groups F "${private[@]}" --out m.json
    advises 2 "--epsilon 0 is not above its bound 0; with epsilon 0, nothing can be learned from the data. An epsilon of 1 is already a strong guarantee" \
        "${fit[@]}" --epsilon 0 --delta 1e-5 --out m.json
    advises 2 "; with epsilon 0, nothing can be learned from the data. An epsilon of 1 is already a strong guarantee" certify m.json pool.csv --epsilon 0 --delta 1e-5
    advises 2 "--delta 0 is not above its bound 0; a delta of 1e-5 or less is usual, far below 1 / (number of people)" \
        "${fit[@]}" --epsilon 1 --delta 0 --out m.json
    advises 2 "--epsilon -1 is not above its bound 0" "${fit[@]}" --epsilon -1 --delta 1e-5 --out m.json
}

@test "an epsilon that promises almost nothing is called so, wherever it is told" {
    local large=(--epsilon 20 --delta 1e-5) caution="CAUTION: epsilon is above 10: the guarantee is almost empty"
    answers "${fit[@]}" "${large[@]}" --out m.json
    says "$caution"
    answers show m.json
    says "$caution"
    answers show m.json --json
    holds '.warnings | index("epsilon-large")'
    answers account m.json
    says "$caution"
    answers account m.json --json
    holds '.warnings == ["epsilon-large"]'
    answers "${fit[@]}" --epsilon 9 --delta 1e-5 --force --out m.json
    [[ "$output" != *"almost empty"* ]]
}

# archive NAME...: a zip archive, which spreadsheets are too. Each file contains an x; names have five letters.
archive() {
    local name at=0 none='\0\0\0\0' x='\203\026\334\214\001\0\0\0\001\0\0\0' # checksum, then the size twice
    for name in "$@"; do
        printf "PK\003\004\012\0$none$none$x\005\0\0\0%sx" "$name"
    done
    for name in "$@"; do
        printf "PK\001\002\012\0\012\0$none$none$x\005\0$none$none$none\\$(printf %03o "$at")\0\0\0%s" "$name"
        at=$((at + 36))
    done
    # shellcheck disable=SC2059 # numbers
    printf "PK\005\006$none\\$(printf %03o $#)\0\\$(printf %03o $#)\0\\$(printf %03o $((51 * $#)))\0\0\0\\$(printf %03o "$at")\0\0\0\0\0"
}

@test "tables as other programs write them" {
    answers "${fit[@]}" --solver exact --out m.json
    # The same table with other line ends, with a byte order mark, and compressed.
    sed 's/$/\r/' pool.csv >crlf.csv
    { printf '\357\273\277'; cat pool.csv; } >bom.csv
    gzip <pool.csv >compressed.csv
    local table
    answers predict m.json pool.csv
    for table in crlf.csv bom.csv compressed.csv; do
        repeats predict m.json "$table"
    done
    iconv -f utf-8 -t utf-16 pool.csv >utf16.csv
    advises 4 ": utf16.csv; save the file as UTF-8 text" predict m.json utf16.csv
    tr '\n' '\r' <pool.csv >cr.csv
    advises 4 ": cr.csv; lines must end with a line feed" predict m.json cr.csv
    printf '[{"p_no": 0.5, "p_yes": 0.5, "sex": "F"}]\n' >records.json
    advises 4 "this is JSON, not a table: records.json; write the rows as CSV" predict m.json records.json
    printf '[\n  {\n    "p_no": 0.5\n  }\n]\n' >indented.json
    advises 4 "this is JSON, not a table: indented.json; write the rows as CSV" predict m.json indented.json
    sed '1s/^id/p_no/' pool.csv >twice.csv
    advises 4 'several columns are named "p_no": twice.csv; give each column a different name' predict m.json twice.csv
    awk 'NR == 3 { $0 = $0 ",more" } 1' pool.csv >long.csv
    advises 4 "line 3: more fields than the first line: long.csv; put double quotes around each text that contains the separator" \
        predict m.json long.csv
    archive a.xml b.xml >book.xlsx
    advises 4 "(book.xlsx); if it is an archive, unpack it; if it is a spreadsheet, save it as CSV" predict m.json book.xlsx
    python3 -c 'import sys, zipfile
for path, names in ("real.xlsx", ["[Content_Types].xml", "_rels/.rels", "xl/workbook.xml"]), ("real.ods", ["mimetype", "content.xml"]):
    with zipfile.ZipFile(path, "w") as book:
        for name in names:
            book.writestr(name, "<x/>")'
    local book
    for book in real.xlsx real.ods; do
        refuses 4 "the file is a spreadsheet or another office document: $book; save the sheet as CSV" predict m.json $book
        [[ "$stderr" != *npz* && "$stderr" != *unpack* ]]
    done
    archive p.csv >packed.zip
    advises 4 ": packed.zip; if it is an archive, unpack it; if it is a spreadsheet, save it as CSV" predict m.json packed.zip
}

@test "numbers as other programs write them" {
    answers "${fit[@]}" --solver exact --out m.json
    local advice="write numbers with a decimal point, without % and without blanks"
    awk -F, -v OFS=, 'NR == 4 { $2 = "45%" } 1' pool.csv >percent.csv
    advises 4 "line 4, column \"p_no\": not a number: percent.csv; $advice" predict m.json percent.csv
    tr ',.' ';,' <pool.csv >comma.csv
    advises 4 "line 2, column \"p_no\": not a number: comma.csv; $advice" predict m.json comma.csv --separator ';'
    awk -F, -v OFS=, 'NR == 4 { $2 = "" } 1' pool.csv >hole.csv
    advises 4 ": hole.csv; fill in the value or remove the row; a schema can drop rows with a missing value" \
        predict m.json hole.csv
    advises 4 "a missing value; with --bad-rows ignore, this row counts as a person without values" \
        certify m.json hole.csv "${private[@]}"
    awk -F, -v OFS=, 'NR == 4 { $2 = "NA" } 1' pool.csv >hole.csv
    refuses 4 "column \"p_no\": not a number but a text that looks like a missing value (NA, ?): hole.csv; fill in" predict m.json hole.csv
    sed '4s/,[MF],/,,/' pool.csv >hole.csv
    refuses 4 "column \"sex\": the group is empty: hole.csv; fill in the value or remove the row" predict m.json hole.csv
    [[ "$stderr" == *"with --unknown-group base, the person gets a decision without the rule"* && "$stderr" != *schema* ]]
    awk -F, -v OFS=, 'NR == 4 { $2 = -0.4; $3 = 1.4 } 1' pool.csv >odds.csv
    advises 4 ": odds.csv; divide percentages by 100; convert log-odds to probabilities" predict m.json odds.csv
    LC_ALL=C awk -F, -v OFS=, 'NR > 1 { $2 = sprintf("%.9e", $2); $3 = sprintf("%.9e", $3) } 1' pool.csv >scientific.csv
    answers predict m.json pool.csv
    repeats predict m.json scientific.csv
    synthetic 50 1 >t.csv
    sed '3s/^[^,]*,/?,/' t.csv >unknown.csv
    advises 4 "; to treat empty fields, ? and NA as missing values, use --missing '\"\",?,NA'" \
        train unknown.csv --schema s.json --method none --out c.json
    advises 4 "; a text in --missing counts as missing in every column, even if it is a real value there" \
        train unknown.csv --schema s.json --missing '?' --method none --out c.json
}

@test "a group or a class that the model does not know" {
    answers fit pool.csv "${unnamed[@]}" --solver exact --out m.json
    sed '4s/,[MF],/,X,/' pool.csv >odd.csv
    advises 4 "the model's groups are \"F\", \"M\"; if one of these is meant, correct the spelling. If not, use --unknown-group base to decide without the rule" predict m.json odd.csv
    # A no-break space is a blank too.
    sed '4s/,\([MF]\),/,\xc2\xa0\1,/' pool.csv >space.csv
    refuses 4 "the text in the table differs from one of these names only in blanks or in upper and lower case; if one of these is meant" predict m.json space.csv
    separately "$DP2DP" predict m.json odd.csv --unknown-group base
    [[ "$status" = 0 && "$stderr" = "Note: 1 of 400 rows have an unknown group"* ]]
    # The other verbs have no such option.
    advises 4 "the model's groups are \"F\", \"M\"" evaluate m.json odd.csv
    advises 4 "the model's classes are \"0\", \"1\"; to name the classes, use --classes when you run dp2dp fit" evaluate m.json pool.csv --label y
    answers "${fit[@]}" --solver exact --force --out m.json
    answers evaluate m.json pool.csv --label y
}

@test "what evaluate cannot know is asked for, and classes the wrong way round are noticed" {
    local hint="To count errors too, give --label, the column with the true class"
    answers "${fit[@]}" --solver exact --out m.json
    answers evaluate m.json pool.csv
    says "$hint"
    answers evaluate m.json pool.csv --label y
    [[ "$output" != *"--label"* && "$output" != *CAUTION* ]]
    sed '1s/p_no/first/; 1s/p_yes/second/' pool.csv >renamed.csv # otherwise the names would tell
    answers fit renamed.csv --scores first,second --classes yes,no --sensitive sex --groups F,M --solver exact \
        --out swapped.json
    answers evaluate swapped.json renamed.csv --label y
    says "CAUTION: the scores do worse than guessing, or two classes seem to be exchanged. Are the score columns in the order of the classes?"
}

@test "decisions in the place of probabilities are noticed where people may be looked at" {
    local caution="CAUTION: every score is 0 or 1. These look like decisions"
    answers "${fit[@]}" --solver exact --out m.json
    LC_ALL=C awk -F, -v OFS=, 'NR > 1 { $2 = $2 > .5 ? 1 : 0; $3 = 1 - $2 } 1' pool.csv >decided.csv
    answers evaluate m.json decided.csv
    says "$caution"
    sed '$s/,[01],[01],/,0.5,0.5,/' decided.csv >nearly.csv
    answers evaluate m.json nearly.csv
    [[ "$output" != *"decisions already made"* ]]
}

@test "a folder in the place of a file, and a file in a folder that is not there" {
    mkdir folder
    advises 1 ": folder; name a file in this folder" "${fit[@]}" --solver exact --out folder
    advises 1 ": nowhere/m.json; create the folder of this file first" "${fit[@]}" --solver exact --out nowhere/m.json
    answers "${fit[@]}" --solver exact --out folder/m.json
    advises 1 "cannot open: No such file or directory: poll.csv" predict folder/m.json poll.csv
}

@test "a dry run needs no file to write, and a run does" {
    answers "${fit[@]}" "${private[@]}" --dry-run
    says "would charge epsilon 1 at delta 1e-05"
    answers "${fit[@]}" "${private[@]}" --ledger l.json --budget 2 --dry-run --json
    holds '.allowed and .ledger.file == "l.json"'
    synthetic 400 1 >t.csv
    answers train t.csv --schema s.json "${private[@]}" --ledger l.json --dry-run
    says "would charge epsilon 1 at delta 1e-05"
    [ ! -e l.json ]
    refuses 2 "--out MODEL is needed" "${fit[@]}" "${private[@]}"
    refuses 2 "--out MODEL is needed" train t.csv --schema s.json "${private[@]}"
}

@test "a fit says what it takes the people to be only where that is counted on" {
    synthetic 800 1 >t.csv
    answers train t.csv --schema s.json "${private[@]}" --out c.json
    answers fit t.csv --model c.json "${private[@]}" --out f.json
    says "assumes that nobody in this table" "together: the larger of the two"
    answers fit t.csv --model f.json "${private[@]}" --out again.json
    says "together: both costs count"
    [[ "$output" != *"assumes      that nobody"* ]]
}

@test "schemas, data sets and mechanisms that were not named as such" {
    advises 2 "did you mean --schema adult?" run adult "${private[@]}"
    advises 2 "did you mean --schema credit?" train credit "${private[@]}" --out c.json
    advises 2 "a file, or one of adult, adult-cut, credit, parkinsons" train pool.csv "${private[@]}" --out c.json
    advises 2 "--draft-from TABLE for a skeleton with the column names of TABLE" schema
    refuses 2 "--mechanism is needed: one of gaussian|" calibrate "${private[@]}"
    refuses 2 "give a ledger or model FILE, or --mechanism with one of gaussian|" account
}

@test "decisions that were left out are counted where the rest is" {
    synthetic 50 1 >t.csv
    "$DP2DP" schema --columns "x1:-4:4:drop,s:sensitive:-1|1,y:label:0|1|2" --missing '?' --out d.json
    answers train t.csv --schema d.json --method none --out c.json
    answers predict c.json t.csv --out whole.csv
    says "50 decisions, written to whole.csv"
    [[ "$output" != *empty* ]]
    sed '3s/^[^,]*,/?,/; 5s/^[^,]*,/?,/' t.csv >holes.csv
    answers predict c.json holes.csv --out decisions.csv
    says "50 decisions, written to decisions.csv empty 2 of these are empty, because a value is missing"
}

@test "one table is cut in two as the page says" {
    [ -n "${DP2DP_SOURCE_DIR:-}" ] || skip "needs the page"
    people 6000 1 >scores.csv
    # shellcheck disable=SC2016 # quotes of the page
    sed -n 's/^ *`\(head -n .*held-out.csv\)`\.$/\1/p' "$DP2DP_SOURCE_DIR/docs/tutorial-scores.md" >commands
    [ "$(wc -l <commands)" -eq 1 ]
    bash -euo pipefail commands
    [ "$(wc -l <pool.csv)" -eq 5001 ]
    [ "$(wc -l <held-out.csv)" -eq 1001 ]
    cmp scores.csv <(cat pool.csv <(tail -n +2 held-out.csv))
    answers "${fit[@]}" "${private[@]}" --out model.json
    answers certify model.json held-out.csv "${private[@]}"
}
