#!/usr/bin/env bats
# A message guesses what was meant or, if it cannot, lists the choices.
load helpers

fit=(fit pool.csv "${scored[@]}" "${private[@]}")

begin() {
    people 50 1 >pool.csv
    synthetic 50 1 >t.csv
}

@test "an option or verb that is nearly right is answered with the right one" {
    refuses 2 "unknown option '--hlep'; did you mean --help?" --hlep
    refuses 2 "unknown option '-help'; did you mean --help?" -help
    refuses 2 "unknown option '--verison'; did you mean --version?" --verison
    refuses 2 "unknown option '--completions'; did you mean --completion?" --completions bash
    refuses 2 "unknown option --hlep; did you mean --help?" fit --hlep
    refuses 2 "unknown option --epsilom; did you mean --epsilon?" certify --epsilom 1
    # The beginning of one option's name is that option, though another one has a nearer spelling.
    refuses 2 "unknown option --sep; did you mean --separator?" "${fit[@]}" --sep '|' --out m.json
    refuses 2 "unknown option --eps; did you mean --epsilon?" certify m.json pool.csv --eps 1
    refuses 2 "unknown option --group; did you mean --groups?" fit pool.csv --group F,M
    refuses 2 "unknown verb 'tarin'; did you mean train?" tarin
    refuses 2 "unknown verb 'hepl'" hepl
}

@test "a delta of 1 or more asks whether it is the epsilon" {
    refuses 2 "--delta 1 is not below its bound 1; an epsilon may be that large, a delta may not: were the two swapped?" \
        account --mechanism gaussian --sigma 1 --delta 1
    refuses 2 "--scores-delta 2 is not below its bound 1; an epsilon may be that large" \
        "${fit[@]}" --scores-epsilon 1e-5 --scores-delta 2 --out m.json
}

@test "a percentage and a decimal comma are answered with the number" {
    refuses 2 "--rho '5%' is not a finite decimal number (between 0 and 1); did you mean 0.05?" \
        "${fit[@]}" --rho 5% --out m.json
    refuses 2 "--rho 5 is above its bound 1 (between 0 and 1); did you mean 0.05?" "${fit[@]}" --rho 5 --out m.json
    refuses 2 "--rho '0,05' is not a finite decimal number (between 0 and 1); did you mean 0.05?" \
        "${fit[@]}" --rho 0,05 --out m.json
    refuses 2 "--confidence 95 is not below its bound 1 (between 0.5 and 1); did you mean 0.95?" \
        certify m.json pool.csv --epsilon 1 --delta 1e-5 --confidence 95
    refuses 2 "(between 0 and 1); did you mean 0.95?" evaluate m.json pool.csv --confidence 95%
    refuses 2 "did you mean 1.5?" account --mechanism gaussian --sigma 1,5 --delta 1e-5
}

@test "nothing is guessed that would not do" {
    local words
    # A delta of 0.05 makes no sense, 1,000 is not 1, an epsilon is not a share, and 950 % is out of range.
    for words in "--delta 5" "--steps 1,000" "--rho 950" "--rho 950%" "--rho %" "--rho -5%"; do
        # shellcheck disable=SC2086 # words
        refuses 2 "${words%% *} " fit pool.csv $words --out m.json
        [[ "$stderr" != *"did you mean"* ]]
    done
    refuses 2 "--epsilon '5%' is not a finite decimal number or inf" fit pool.csv --epsilon 5% --out m.json
    [[ "$stderr" != *"did you mean"* ]]
}

@test "a data set that is not known: the nearest, or how to see them all" {
    refuses 2 "no data set is called 'adlt'; did you mean adult?" data adlt
    refuses 2 "no data set is called 'list'; dp2dp data lists all data sets. For a table of your own" data list
    answers data
    says adult credit parkinsons
}

@test "a table where a model or a schema should be is said to be one, and not quoted" {
    fits --solver exact --out m.json
    local verb
    for verb in "show pool.csv" "predict pool.csv t.csv" "evaluate pool.csv t.csv" \
        "certify pool.csv t.csv --epsilon 1 --delta 1e-5"; do
        # shellcheck disable=SC2086 # words
        refuses 4 "not a model: it looks like a table: pool.csv; dp2dp fit and dp2dp train make a model from a table" $verb
    done
    refuses 4 "the order is MODEL TABLE" predict pool.csv m.json
    refuses 4 "not a ledger: it looks like a table: pool.csv" account pool.csv
    for verb in "train t.csv --method none --out c.json --schema" "run t.csv --method none --solver exact --schema" schema; do
        # shellcheck disable=SC2086 # words
        refuses 4 "not a schema: it looks like a table: t.csv; dp2dp schema --columns drafts a schema" $verb t.csv
        [[ "$stderr" != *x1* ]]
    done
    echo "my model" >note.txt
    refuses 4 "not a model: it is not a JSON object: note.txt" show note.txt
}

@test "a model, ledger, certificate or schema in the place of another is named, with the command that reads it" {
    local certificate="dp2dp verify checks a certificate, and dp2dp report MODEL --certificate explains it"
    answers fit pool.csv "${scored[@]}" "${private[@]}" --ledger l.json --out m.json
    answers certify m.json pool.csv "${private[@]}" --out c.json
    refuses 4 "this is a certificate, not a model: c.json; $certificate" show c.json
    refuses 4 "this is a certificate, not a ledger: c.json; $certificate" account c.json
    refuses 4 "this is a ledger, not a model: l.json; dp2dp account computes the cost of a ledger" show l.json
    refuses 4 "this is a schema, not a model: s.json; dp2dp schema prints a schema" predict s.json pool.csv
    refuses 4 "this is a model, not a schema: m.json; dp2dp show explains a model" schema m.json
    refuses 4 "this is a model, not a schema: m.json; dp2dp schema --columns drafts a schema" \
        train pool.csv --schema m.json "${private[@]}" --out t.json
    refuses 4 "this is a certificate, not a model: c.json; dp2dp train makes a model" \
        fit pool.csv --model c.json "${private[@]}" --out t.json
    refuses 4 "this is a ledger, not a certificate: l.json; dp2dp certify --out makes a certificate" \
        report m.json --certificate l.json --out r.html
    head -c 700 m.json >cut.json
    refuses 4 "the text ends too early: it was cut off, or is not complete yet: cut.json" show cut.json
}

@test "an option that the model makes needless, and one that is about a budget, are said to be so" {
    answers "${fit[@]}" --out m.json
    refuses 2 "unknown option --epsilon; this command spends no privacy budget: leave the option out" predict m.json pool.csv --epsilon 1
    refuses 2 "unknown option --groups; the model already has this setting from dp2dp fit: leave the option out" certify m.json pool.csv --groups F,M
    refuses 2 "or leave --model out and name the columns of scores with --scores" fit pool.csv --model m.json "${private[@]}" --out n.json
    refuses 4 "this is a model, not a ledger: $PWD/m.json; give --ledger an existing ledger, or a new file name to begin a ledger" \
        "${fit[@]}" --ledger m.json --out n.json
}

@test "an option that belongs elsewhere is refused with the place where it belongs" {
    local option
    for option in label sensitive groups classes; do
        refuses 2 "unknown option --$option; the schema already names the label, the groups and the classes: leave the option out" \
            train t.csv --schema s.json "${private[@]}" --$option y --out c.json
    done
    refuses 2 "unknown option --person; this command cannot tell which rows belong to one person. Instead, give --rows-per-person N" \
        "${fit[@]}" --person id --out m.json
    refuses 2 "unknown option --person; this command cannot tell" train t.csv --schema s.json "${private[@]}" --person id --out c.json
    refuses 2 "--label cannot be used with --model: this model's schema names the label column" \
        fit pool.csv --model m.json --label y "${private[@]}" --out f.json
    refuses 2 "--groups cannot be used with --model: this model's schema names the groups" \
        fit pool.csv --model m.json --groups F,M "${private[@]}" --out f.json
    refuses 2 "--label cannot be used with --source: give the option to the dp2dp count command inside each --source" \
        fit --source "true" "${scored[@]}" "${private[@]}" --label y --out f.json
}

@test "several sensitive columns, comments before the header and names without commas are said to be that" {
    refuses 4 "no column is named \"sex,y\": --sensitive takes one column. For groups that several columns define, make a column of their combinations, or use a schema" \
        fit pool.csv --scores p_no,p_yes --sensitive sex,y --groups F,M "${private[@]}" --out m.json
    { echo "# a note, with a comma"; cat pool.csv; } >comment.csv
    refuses 4 "line 2 has the column names: skip 1 line (--skip-lines N)" \
        fit comment.csv "${scored[@]}" "${private[@]}" --out m.json
    answers fit comment.csv "${scored[@]}" "${private[@]}" --skip-lines 1 --out m.json
    refuses 2 "--groups has one name, but at least 2 are needed: separate the names with commas" \
        fit pool.csv --scores p_no,p_yes --sensitive sex --groups "F M" "${private[@]}" --out x.json
}

@test "a fit and a training say that they assume one row per person" {
    local assumes="assumes one row per person; otherwise use --rows-per-person"
    answers "${fit[@]}" --out m.json
    says "$assumes"
    answers "${fit[@]}" --rows-per-person 2 --out m.json --force
    [[ "$output" != *"one row per person"* ]]
    answers train t.csv --schema s.json "${private[@]}" --out c.json
    says "$assumes"
    answers train t.csv --schema s.json "${private[@]}" --rows-per-person 2 --out c.json --force
    [[ "$output" != *"one row per person"* ]]
}

@test "a rule that sees the group, for a classifier that could do without, says so" {
    local sees="group the rule sees the group. With --unaware, this classifier also allows a rule that does not see the group"
    answers train t.csv --schema s.json --method none --target group-label --out c.json
    answers fit t.csv --model c.json "${private[@]}" --out m.json
    says "$sees"
    answers fit t.csv --model c.json "${private[@]}" --unaware --out m.json --force
    [[ "$output" != *"this classifier also allows"* ]]
}

@test "an empty marker of missing values can be seen" {
    "$DP2DP" schema --columns 'age:0:100:drop,sex:sensitive:F|M,y:label:no|yes' --missing 'NA,""' --out d.json >/dev/null
    answers schema d.json
    says 'missing 2: NA, ""'
}

@test "a table on standard input in the place of a model is not quoted" {
    answers "${fit[@]}" --out m.json
    refuses 4 "this is not a model: standard input; standard input must be a model" show - <pool.csv
    refuses 4 "this is not a model: standard input" show - </dev/null
    [[ "$stderr" != *p_no* ]]
    answers show - <m.json
}

@test "a group whose accents are written in another Unicode form is said to be that" {
    local other="the text in the table differs from one of these names only in how accents are written (Unicode NFC or NFD): convert both to NFC"
    local nfc=$'Z\xc3\xbcrich' nfd=$'Zu\xcc\x88rich'
    sed "s/,F,/,$nfc,/" pool.csv >nfc.csv
    sed "s/,F,/,$nfd,/" pool.csv >nfd.csv
    answers fit nfc.csv --scores p_no,p_yes --sensitive sex --groups "$nfc,M" "${private[@]}" --out m.json
    refuses 4 "$other" predict m.json nfd.csv
    refuses 4 "$other" fit nfc.csv --scores p_no,p_yes --sensitive sex --groups "$nfd,M" "${private[@]}" --out n.json
    sed "s/,F,/,Zurich,/" pool.csv >plain.csv
    refuses 4 "the group is not in the declared list" predict m.json plain.csv
    [[ "$stderr" != *accents* ]]
}

@test "a rule that changes nothing says so" {
    answers "${fit[@]}" --rho 1 --out m.json
    local large="CAUTION: with rho 1, the rates of two groups may differ by 1. rho is a difference of rates, not a ratio as in the four-fifths rule"
    says "$large"
    answers show m.json
    says "$large"
    answers show m.json --json
    holds '.warnings | index("rho-large") != null'
    answers fit pool.csv "${scored[@]}" --solver exact --rho 0.99 --force --out m.json
    says "CAUTION: every offset is 0 or nearly 0, so the rule changes no decision or hardly any."
    answers fit pool.csv "${scored[@]}" --solver exact --rho 0.99 --json --force --out m.json
    holds .changes_nothing
    answers fit pool.csv "${scored[@]}" --solver exact --json --force --out m.json
    holds 'has("changes_nothing") | not'
}

@test "an empty file is said to be empty" {
    fits --solver exact --out m.json
    : >empty
    refuses 4 "not a model: it is empty: empty" show empty
    refuses 4 "not a schema: it is empty: empty" schema empty
    refuses 4 "not a schema: it is empty: empty" train pool.csv --schema empty --method none --out c.json
    refuses 4 "not a ledger: it is empty: empty" account empty --delta 1e-5
    refuses 4 "the file is empty: empty" predict m.json empty
    refuses 4 "the file is empty: empty" fit empty "${unnamed[@]}" --solver exact --out n.json
}

@test "a column that is missing: what it is for, and the columns there are" {
    fits --solver exact --out m.json
    cut -d, -f1-3 pool.csv >bare.csv
    refuses 4 "the fair rule needs each person's group: no column is named \"sex\" in bare.csv; its columns are id, p_no, p_yes" \
        predict m.json bare.csv
    answers train t.csv --schema s.json --method none --out c.json
    answers fit t.csv --model c.json --solver exact --out f.json
    cut -d, -f1-5 t.csv >nobody.csv
    refuses 4 "the fair rule needs each person's group: no column is named \"s\" in nobody.csv; its columns are x1, x2, x3, x4, x5" \
        predict f.json nobody.csv
    # A first line without any of the columns may hold a person's values, which must not be printed.
    printf 'crimson,green\nblue,green\n' >values.csv
    refuses 4 "3 of the 3 columns needed are missing (do table and schema belong together?)" predict m.json values.csv
    [[ "$stderr" != *crimson* ]]
    printf '.5,crimson\n.5,blue\n' >values.csv
    refuses 4 "see --no-header" predict m.json values.csv
    [[ "$stderr" != *crimson* ]]
    # A remark, or the line that a spreadsheet writes, comes before the names.
    for line in 'Export of the 3rd, for HR' 'sep=,' loans; do
        { echo "$line" && cat pool.csv; } >remark.csv
        refuses 4 "line 2 has the column names: skip 1 line (--skip-lines N)" predict m.json remark.csv
        [[ "$stderr" != *"$line"* ]]
        answers predict m.json remark.csv --skip-lines 1
    done
    { printf 'one\ntwo\n' && cat pool.csv; } >remark.csv
    refuses 4 "line 3 has the column names: skip 2 lines (--skip-lines N)" predict m.json remark.csv
    refuses 4 "line 3 has the column names: skip 2 lines (--skip-lines N)" predict m.json remark.csv --skip-lines 1
    gzip <bare.csv >bare.csv.gz
    refuses 4 "the fair rule needs each person's group: no column is named \"sex\" in bare.csv.gz; its columns are id, p_no, p_yes" predict m.json bare.csv.gz
    refuses 4 "no column is named \"sex\" in standard input; its columns are id, p_no, p_yes" predict m.json - <bare.csv
    { seq -s, -f 'a_long_name_%g' 200; } | sed 's/$/,p_no,p_yes/' >wide.csv
    refuses 4 ", ..." predict m.json wide.csv
    [ "${#stderr}" -lt 340 ]
}

@test "a table that another schema is about is said to be" {
    refuses 4 "no column is named \"x1\" in pool.csv; 5 of the 6 columns needed are missing (do table and schema belong together?); its columns are id, p_no" \
        train pool.csv --schema s.json --method none --out c.json
    refuses 4 "14 of the 14 columns needed are missing" train t.csv --schema adult --method none --out c.json
    answers train t.csv --schema s.json --method none --out c.json
    sed '1s/x2/z2/' t.csv >typo.csv
    refuses 4 'no column is named "x2" in typo.csv; its columns are x1, z2, x3, x4, x5, s, y' predict c.json typo.csv
    [[ "$stderr" != *"columns needed"* ]]
}

@test "a level that the schema does not have comes with those it has" {
    answers train t.csv --schema s.json --method none --out c.json
    answers fit t.csv --model c.json --solver exact --out f.json
    sed '7s/,[^,]*$/,secret/' t.csv >odd.csv
    local words="row 6, column \"y\": the text is not in the schema's list of levels: odd.csv; the schema has \"0\", \"1\", \"2\" (row 1 is the first row after the header)"
    refuses 4 "$words" train odd.csv --schema s.json --method none --out d.json
    refuses 4 "$words" run odd.csv --schema s.json --method none --solver exact
    refuses 4 "$words" evaluate f.json odd.csv
    [[ "$stderr" != *secret* ]]
    sed '7s/,-\{0,1\}1,\([^,]*\)$/,secret,\1/' t.csv >odd.csv
    refuses 4 "row 6, column \"s\": the text is not in the schema's list of levels: odd.csv; the schema has \"-1\", \"1\"" predict f.json odd.csv
    refuses 4 '; the schema has "-1", "1"' fit odd.csv --model c.json --solver exact --out d.json
    [[ "$stderr" != *secret* ]]
    "$DP2DP" schema --columns "a:0:1,y:label:$(seq -s'|' -f 'a_rather_long_name_%g' 40)" --out long.json
    printf 'a,y\n0,a_rather_long_name_1\n1,secret\n' >t.csv
    refuses 4 '"a_rather_long_name_2", "a_rather_long_name_3"' train t.csv --schema long.json --method none --out d.json
    [[ "$stderr" == *", ... (row 1"* ]]
}

@test "rows are told from lines: a row number comes with what row 1 is" {
    fits --solver exact --out m.json
    sed '4s/,[MF],/,X,/' pool.csv >odd.csv
    refuses 4 'row 3, column "sex": ' predict m.json odd.csv
    [[ "$stderr" == *" (row 1 is the first row after the header)" ]]
    # Lines are counted as an editor does: the header is line 1.
    sed '4s/,[^,]*,/,abc,/' pool.csv >odd.csv
    refuses 4 'line 4, column "p_no": ' predict m.json odd.csv
    [[ "$stderr" != *header* ]]
    tail -n +2 pool.csv | sed '3s/,[MF],/,X,/' >headless.csv
    refuses 4 'row 3, column "3": ' fit headless.csv --no-header --scores 1,2 --sensitive 3 --groups F,M --solver exact --out n.json
    [[ "$stderr" != *header* ]]
}

@test "an option, verb or word of another command is answered with that command" {
    refuses 2 "unknown option --scores; this command trains a classifier itself. For a table of scores use dp2dp sweep --scores" \
        run pool.csv --scores p_no,p_yes
    refuses 2 "unknown option --seed; did you mean --insecure-seed? A result with a seed can be repeated, but is NOT PRIVATE" \
        "${fit[@]}" --seed 42 --out m.json
    refuses 2 "unknown option --seed; did you mean --insecure-seed?" synth --seed 1
    refuses 2 "unknown verb 'ledger'; dp2dp account FILE computes the total cost of a ledger, and dp2dp verify FILE checks the ledger" ledger l.json
    refuses 2 "--find 'epsilon' is not one of sigma|rate|steps; to compute the epsilon or delta of a given noise, use dp2dp account" \
        calibrate --find epsilon --mechanism gaussian
    refuses 2 "--rate 256 is above its bound 1; the rate is the size of a batch divided by the number of records" \
        account --mechanism poisson --sigma 1 --delta 1e-5 --rate 256
}

@test "a formula is not a number, and is answered with how to write one" {
    local text
    for text in 10^-5 1/6000 '10**-5'; do
        refuses 2 "--delta '$text' is not a finite decimal number; write it as a decimal number, such as 1e-5" \
            fit pool.csv --delta "$text" --out m.json
    done
}

@test "JSON in the place of a table is answered with where it goes" {
    fits --solver exact --out m.json
    refuses 4 "this is JSON, not a table: s.json; this file is a schema: pass it as --schema to dp2dp train" fit s.json "${scored[@]}" "${private[@]}" --out n.json
    refuses 4 "this is JSON, not a table: m.json; this file is a model: pass it as --model to dp2dp fit" fit m.json "${scored[@]}" "${private[@]}" --out n.json
    echo '[{"p_no": 0.5, "p_yes": 0.5, "sex": "F"}]' >rows.json
    refuses 4 "this is JSON, not a table: rows.json; write the rows as CSV" fit rows.json "${scored[@]}" "${private[@]}" --out n.json
}

@test "groups with the names of the classes, and scores from yes to no, are noted" {
    local labels=(--scores p_no,p_yes --sensitive y --groups yes,no --classes no,yes)
    separately "$DP2DP" fit pool.csv "${labels[@]}" --solver exact --out m.json
    [ "$status" -eq 0 ]
    [ "$stderr" = "dp2dp fit: note: --groups and --classes have the same names. Does --sensitive name the label column instead of the group column?" ]
    separately "$DP2DP" fit pool.csv --scores p_yes,p_no --sensitive sex --groups F,M --solver exact --force --out m.json
    [[ "$status" = 0 && "$stderr" == "dp2dp fit: note: without --classes, the first column of --scores is class 0 and the second is class 1"* ]]
    answers fit pool.csv --scores p_yes,p_no --classes yes,no --sensitive sex --groups F,M --solver exact --force --out m.json
    answers fit pool.csv "${unnamed[@]}" --solver exact --force --out m.json
}

@test "one is one: person, row, table, feature, level" {
    fits --epsilon 100 --delta 1e-5 --steps 1 --out m.json
    says "on each count, in 1 table "
    head -2 pool.csv >one.csv
    answers evaluate m.json one.csv
    says "Before and after, on 1 person (NOT"
    "$DP2DP" schema --columns "a:0:1,s:sensitive:F|M,y:label:0|1" --force --out s.json
    printf 'a,s,y\n.5,F,1\n' >t.csv
    answers train t.csv --schema s.json --method none --out c.json
    says "learned from 1 person "
    answers show c.json
    says "1 feature, through its own classifier"
    for _ in 1 2 3 4; do echo .2,M,0; done >>t.csv
    answers fit t.csv --model c.json --solver exact --out f.json
    says "none, 1 feature "
    answers run t.csv --schema s.json --method none --solver exact --split 0.4,0.4,0.2
    says "on 1 test row (NOT" "none, 1 feature "
    answers schema s.json
    says "features 1: 1 number and 0 levels of 0 columns"
}

@test "a classifier without a rule is measured, and said to lack one" {
    synthetic 400 1 >t.csv
    answers train t.csv --schema s.json --method none --out c.json
    answers evaluate c.json t.csv
    says "The model has no fair rule yet, so before and after are the same" "dp2dp fit --model learns a rule"
    answers evaluate c.json t.csv --json
    holds '.fair_rule == false'
    answers predict c.json t.csv --out decisions.csv
    says "the model has no fair rule yet"
    answers fit t.csv --model c.json --solver exact --out f.json
    answers predict f.json t.csv --force --out decisions.csv
    [[ "$output" != *"no fair rule"* ]]
    answers evaluate f.json t.csv
    [[ "$output" != *"no fair rule"* ]]
    answers evaluate f.json t.csv --json
    holds '.fair_rule'
}

@test "a fit says what it cost itself, what came before it, and both together" {
    synthetic 800 1 >t.csv
    local again=(--epsilon 0.5 --delta 1e-5)
    answers train t.csv --schema s.json --epsilon 2 --delta 1e-5 --out c.json
    answers fit t.csv --model c.json "${again[@]}" --out f.json
    says "epsilon 0.5 for this fit (the people in this table) 2 for the classifier (the people it was trained on)" \
        "2 together: the larger of the two, since nobody is in both sets delta 1e-05"
    answers fit t.csv --model c.json --same-people "${again[@]}" --force --out same.json
    says "0.5 for this fit" "2 for the classifier" "2.0" "together: both costs count, since some people may be in both sets"
    answers fit t.csv --model f.json "${again[@]}" --force --out again.json
    says "0.5 for this fit" "2 for the classifier and its earlier rule" "together: both costs count"
    answers fit t.csv --model f.json "${again[@]}" --force --out again.json --json
    holds '.epsilon > 2.05 and .epsilon_fit > 0.49 and .epsilon_fit <= 0.5 and .epsilon_before > 1.99 and .epsilon_before <= 2'
    people 400 1 >pool.csv
    fits "${again[@]}" --out m.json
    says "epsilon 0.5 delta 1e-05"
    [[ "$output" != *together* ]]
    fits "${again[@]}" --out m.json --json
    holds '.epsilon_fit == .epsilon and .epsilon_before == null'
    fits "${again[@]}" --scores-epsilon 2 --scores-delta 1e-7 --out m.json
    says "0.5 for this fit" "for the classifier (the people it was trained on), as declared" "together"
    fits --solver exact --out m.json --json
    holds '.epsilon_fit == null and .epsilon_before == null'
}
