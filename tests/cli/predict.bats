#!/usr/bin/env bats
# `dp2dp predict`: one decision per row, in the order of the input.
load helpers

prepare() { # rows: a table and a model for it
    people "$1" 1 >pool.csv
    fits --epsilon 1 --delta 1e-5 --insecure-seed 1 --out model.json
}

@test "one column, one decision for each row, in the input's order" {
    prepare 3000
    answers predict model.json pool.csv
    [ "$(head -n 1 <<<"$output")" = prediction ]
    # The same rule in awk: the class with the largest score minus offset. Rows whose classes are closer than
    # float32 can tell apart are not compared.
    tail -n +2 <<<"$output" >decisions
    local offsets
    offsets=$("$DP2DP" fit pool.csv "${scored[@]}" "${private[@]}" --insecure-seed 1 --out again.json --json |
        jq -r '.offsets | flatten | @tsv')
    tail -n +2 pool.csv | paste -d, - decisions | LC_ALL=C awk -F, -v offsets="$offsets" '
        BEGIN { split(offsets, o, "\t") }
        {
            g = $4 == "F" ? 0 : 2
            gap = ($3 - o[g + 2]) - ($2 - o[g + 1])
            if ((gap > 1e-6 && $6 != "yes") || (gap < -1e-6 && $6 != "no")) { print; bad = 1 }
            seen[$6]++
        }
        END { exit bad || seen["yes"] < 100 || seen["no"] < 100 }'
    answers predict model.json pool.csv --out decisions.csv
    [ "${output%%$'\n'*}" = "$(wc -l <decisions) decisions, written to decisions.csv" ]
    answers predict model.json pool.csv --out /dev/stdout # standard output has the rows alone
    cmp <(tail -n +2 <<<"$output") decisions
    cmp <(tail -n +2 decisions.csv) decisions
}

@test "order survives many batches" {
    prepare 100
    # 200,000 rows: every third one is a certain no for an F, the others a certain yes for an M.
    {
        echo p_yes,sex,p_no
        LC_ALL=C awk 'BEGIN { for (i = 0; i < 200000; i++) print (i % 3 ? "1,M,0" : "0,F,1") }'
    } >long.csv
    answers predict model.json long.csv --out decisions.csv
    LC_ALL=C awk 'NR > 1 && $1 != ((NR - 2) % 3 ? "yes" : "no") { bad = 1 } END { exit bad || NR != 200001 }' \
        decisions.csv
}

@test "every row of the whole table has a dither of its own" {
    { echo p_no,p_yes,sex; yes .5,.5,M | head -n 140000; } >ties.csv
    head -n 101 ties.csv | sed '2,50s/M/F/' >pool.csv
    "$DP2DP" fit pool.csv "${scored[@]}" --solver exact --dither 0.1 --out model.json 2>/dev/null # cautions of equal scores
    answers predict model.json ties.csv --out decisions.csv
    # Whatever the batch size, the second batch does not repeat the dither of the first.
    local rows
    for rows in 16384 32768 65536; do
        run cmp -s <(sed -n "2,65p" decisions.csv) <(sed -n "$((rows + 2)),$((rows + 65))p" decisions.csv)
        [ "$status" -eq 1 ]
    done
}

@test "columns are found by name, others are ignored" {
    prepare 500
    answers predict model.json pool.csv
    LC_ALL=C awk -F, -v OFS=, '{ print "x", $4, $3, $2 }' pool.csv >moved.csv
    repeats predict model.json moved.csv
}

@test "the number of threads changes nothing" {
    prepare 2000
    answers predict model.json pool.csv --threads 1
    repeats predict model.json pool.csv --threads 3
}

@test "the largest adjusted score is the decision" {
    prepare 1000
    answers predict model.json pool.csv --out decisions.csv
    answers predict model.json pool.csv --adjusted
    [ "$(head -n 1 <<<"$output")" = no,yes ]
    [ "$(wc -l <<<"$output")" -eq 1001 ]
    cmp <(tail -n +2 <<<"$output" | LC_ALL=C awk -F, '{ print ($2 > $1 ? "yes" : "no") }') \
        <(tail -n +2 decisions.csv)
}

@test "a group the model does not know is refused, or decided as without the model" {
    prepare 500
    printf 'p_no,p_yes,sex\n.9,.1,F\n.45,.55,X\n.55,.45,X\n' >new.csv
    refuses 4 'row 2, column "sex": the group is not in the declared list: new.csv' predict model.json new.csv
    [[ "$stderr" != *X* ]]
    separately "$DP2DP" predict model.json new.csv --unknown-group base
    [ "$output" = "$(printf 'prediction\nno\nyes\nno')" ]
    answers predict model.json new.csv --unknown-group base --out out.csv
    says "unknown 2 of these have an unknown group, and got the classifier's own decision"
    answers predict model.json new.csv --unknown-group base --out out.csv --force --json
    holds '.rows == 3 and .unknown_groups == 2'
    head -n 2 new.csv >known.csv
    answers predict model.json known.csv --unknown-group base --out out.csv --force
    [[ "$output" != *unknown* ]]
    refuses 2 "--unknown-group 'keep' is not one of refuse|base" predict model.json new.csv --unknown-group keep
}

@test "names of groups of any length are told apart" {
    people 500 1 >pool.csv
    local names decisions=
    for names in "F M" "FF F" "M MMMMMMMM" "MMMMMMMMM MMMMMMMM" "F Ü"; do
        read -r f m <<<"$names"
        sed "s/,F,/,<f>,/; s/,M,/,$m,/; s/<f>/$f/" pool.csv >named.csv
        answers fit named.csv --scores p_no,p_yes --sensitive sex --groups "$f,$m" --solver exact --force --out model.json
        answers predict model.json named.csv
        [ -z "$decisions" ] || [ "$output" = "$decisions" ]
        decisions=$output
        # Names at the very end of the data are compared byte by byte: a table of two rows tests that.
        { head -n 1 named.csv; tail -n 2 named.csv; } >last.csv
        answers predict model.json last.csv --adjusted
        sed "s/,$f,/,${f}x,/; s/,$m,/,${m}x,/" named.csv >other.csv
        refuses 4 "the group is not in the declared list" predict model.json other.csv
    done
}

@test "a group that is empty is one that the model does not know" {
    people 300 1 >pool.csv
    fits --solver exact --out model.json
    awk -F, -v OFS=, 'NR % 3 == 0 { $4 = "" } 1' pool.csv >new.csv
    refuses 4 'row 2, column "sex": the group is empty: new.csv' predict model.json new.csv --out out.csv
    [[ "$stderr" == *"with --unknown-group base, the person gets a decision without the rule"* ]]
    separately "$DP2DP" predict model.json new.csv --unknown-group base
    [[ "$status" = 0 && "$stderr" == "Note: 100 of 300 rows have an unknown group"* ]]
    [ "$(wc -l <<<"$output")" -eq 301 ]
    [ "$(sed -n 3p <<<"$output")" = "$(awk -F, 'NR == 3 { print $2 < $3 ? "yes" : "no" }' new.csv)" ]
}

@test "a bad row at the end leaves no file, old or new, touched" {
    prepare 500
    { cat pool.csv; echo 501,abc,0.5,F,no; } >bad.csv
    echo old >decisions.csv
    refuses 4 "p_no" predict model.json bad.csv --force --out decisions.csv
    [[ "$stderr" != *abc* ]]
    [ "$(cat decisions.csv)" = old ]
    [ "$(ls -A | grep -c tmp)" = 0 ]
}

@test "standard output gets decisions as they are made, and a bad row later ends with 4" {
    prepare 500
    { tail -n +2 pool.csv; } >rows
    {
        head -n 1 pool.csv
        for _ in $(seq 1000); do cat rows; done
        echo 501,abc,0.5,F,no
    } >long.csv
    separately "$DP2DP" predict model.json long.csv
    [ "$status" -eq 4 ]
    [[ "$stderr" == *"p_no"* && "$stderr" != *abc* ]]
    [ "$(head -n 1 <<<"$output")" = prediction ]
    # The rows before the bad one are complete and right.
    "$DP2DP" predict model.json pool.csv | tail -n +2 >first
    cmp first <(sed -n '2,501p' <<<"$output")
    [ "$(wc -l <<<"$output")" -gt 100000 ]
    # Decisions are streamed: the first ones come while the table is still open, since its writer ends only after
    # the gate is opened. The program ends as soon as the reader of the decisions does.
    mkfifo pipe gate
    { { echo p_no,p_yes,sex; yes .2500,.7500,M | head -n 400000; } || true; timeout 100 cat gate; } >pipe 3>&- &
    local writer=$!
    { code=0; timeout 60 "$DP2DP" predict model.json pipe || code=$?; echo "$code" >code; } | head -n 2 >seen
    [ "$(head -n 1 seen)" = prediction ]
    [ "$(cat code)" = 141 ]
    kill -0 "$writer"
    : >gate
    wait "$writer"
}

@test "a pipe is opened once: whoever waits to write to it is not sent away" {
    prepare 500
    mkfifo pipe
    cat pool.csv >pipe &
    local writer=$!
    sleep .3 # until the writer waits
    refuses 1 "absent.json" predict absent.json pipe
    "$DP2DP" predict model.json pool.csv >wanted
    timeout 60 "$DP2DP" predict model.json pipe >seen
    cmp wanted seen
    wait "$writer"
}

@test "JSON says how many rows were written, and needs a file to write them to" {
    prepare 500
    answers predict model.json pool.csv --out decisions.csv --json
    holds '. == {"model": "model.json", "out": "decisions.csv", "rows": 500, "left_out": 0, "unknown_groups": 0, "sensitive": "sex", "classes": ["no", "yes"], "fair_rule": true, "warnings": []}'
    [ "$(wc -l <decisions.csv)" -eq 501 ]
    refuses 2 "--json needs --out FILE" predict model.json pool.csv --json
}

@test "names of classes that need quotes get them, long ones too" {
    people 400 1 >pool.csv
    local long
    long=$(printf 'x%.0s' $(seq 40))
    answers fit pool.csv --scores p_no,p_yes --classes "\"no, thanks\",$long" --sensitive sex --groups F,M \
        --solver exact --out model.json
    answers predict model.json pool.csv
    [ "$(tail -n +2 <<<"$output" | sort -u)" = "$(printf '"no, thanks"\n%s' "$long")" ]
}

@test "a table without rows gives no decisions" {
    prepare 500
    echo p_no,p_yes,sex >empty.csv
    answers predict model.json empty.csv
    [ "$output" = prediction ]
}

@test "what is missing or no model is refused" {
    prepare 100
    refuses 2 "MODEL is missing" predict
    refuses 2 "TABLE is missing" predict model.json
    refuses 1 "absent.json" predict absent.json pool.csv
    refuses 1 "absent.csv" predict model.json absent.csv
    refuses 4 "" predict pool.csv pool.csv
    refuses 2 "--out would overwrite an input: model.json" predict model.json pool.csv --out model.json
    cut -d, -f1,2,4 pool.csv >short.csv
    refuses 4 "p_yes" predict model.json short.csv
}

@test "a full disk is an error, a reader that has seen enough is not" {
    prepare 100
    { echo p_no,p_yes,sex; yes .25,.75,M | head -n 300000; } >rows.csv
    { code=0; "$DP2DP" predict model.json rows.csv 2>message || code=$?; echo "$code" >code; } | head -n 1 >seen
    [ "$(cat code)" = 141 ]
    [ ! -s message ]
    [ "$(wc -l <seen)" = 1 ]
    [ -w /dev/full ] || skip "needs /dev/full"
    local code=0
    "$DP2DP" predict model.json pool.csv >/dev/full 2>message || code=$?
    [ "$code" = 1 ]
    grep -q "cannot write to standard output" message
    refuses 1 "cannot write" predict model.json pool.csv --out /dev/full
}

@test "memory does not grow with the table" {
    [ -x /usr/bin/time ] || skip "needs time(1)"
    prepare 100
    peak() { # rows
        { echo p_no,p_yes,sex; yes .25,.75,M | head -n "$1"; } >rows.csv
        ASAN_OPTIONS=quarantine_size_mb=1 /usr/bin/time -f %M -o peak "$DP2DP" predict model.json rows.csv --force --out decisions.csv >/dev/null
        cat peak
    }
    local short long
    short=$(peak 600000)
    long=$(peak 2400000)
    [ "$long" -lt $((short + short / 4)) ]
}

@test "kept columns come before the decision, as they are" {
    prepare 500
    awk -F, 'NR == 1 { print $0 ",name" } NR > 1 { printf "%s,%s\n", $0, NR % 3 ? "n " NR : "\"a, \"\"b\"\"\"" }' \
        pool.csv >ids.csv
    answers predict model.json ids.csv --keep name --out kept.csv
    answers predict model.json pool.csv --out bare.csv
    [ "$(head -1 kept.csv)" = name,prediction ]
    [ "$(sed -n 2p kept.csv)" = "n 2,$(sed -n 2p bare.csv)" ]
    [ "$(sed -n 3p kept.csv)" = "\"a, \"\"b\"\"\",$(sed -n 3p bare.csv)" ]
    sed 's/.*,//' kept.csv | cmp - bare.csv
    refuses 2 "--keep prediction: the output has a column of this name already" \
        predict model.json ids.csv --keep prediction
    refuses 2 "must be a file, not a pipe" predict model.json - --keep name <ids.csv
    refuses 4 'no column is named "nobody"' predict model.json ids.csv --keep nobody
}

@test "the end of the output's name says its format" {
    prepare 500
    answers predict model.json pool.csv --out a.csv
    answers predict model.json pool.csv --out a.csv.gz
    gzip -dc a.csv.gz | cmp - a.csv
    answers predict model.json pool.csv --out plain
    cmp plain a.csv
    local name
    for name in a.xlsx a.txt a.gz a.csv.zst a.parquet.gz; do
        refuses 2 "its name must end in .csv, .csv.gz or .parquet" predict model.json pool.csv --out $name
        [ ! -e $name ]
    done
}

@test "what makes decisions unfair is told on standard error if the decisions are on standard output" {
    synthetic 400 1 >t.csv
    "$DP2DP" train t.csv --schema s.json --method none --out c.json >/dev/null
    separately "$DP2DP" predict c.json t.csv
    [[ "$status" = 0 && "$output" != *rule* ]]
    [ "$stderr" = "dp2dp predict: note: the model has no fair rule yet: learn one with dp2dp fit TABLE --model MODEL" ]
    answers predict c.json t.csv --adjusted # scores for a fit
    prepare 500
    sed 's/,[FM],/,X,/' pool.csv >strange.csv
    separately "$DP2DP" predict model.json strange.csv --unknown-group base
    [[ "$status" = 0 && "$output" != *unknown* ]]
    [ "$stderr" = "CAUTION: 500 of 500 rows have an unknown group, and got the classifier's own decision. No row has the model's group 'F': does the table spell it in another way? This caution comes from the data without noise: do not publish the caution." ]
    sed '2,9s/,[FM],/,X,/' pool.csv >strange.csv
    separately "$DP2DP" predict model.json strange.csv --unknown-group base
    [ "$stderr" = "Note: 8 of 500 rows have an unknown group, and got the classifier's own decision. This note comes from the data without noise: do not publish the note." ]
}

@test "a group that the table spells in another way is told, whatever its share" {
    awk 'BEGIN { print "p_no,p_yes,sex"; for (i = 0; i < 400; i++) print (i % 10) / 10 "," 1 - (i % 10) / 10 "," (i % 40 ? i % 2 ? "F" : "M" : "X") }' >pool.csv
    answers fit pool.csv --scores p_no,p_yes --sensitive sex --groups F,M,X --classes no,yes --solver exact --out model.json
    sed 's/X$/x /' pool.csv >small.csv
    local alike="In 10 of these rows, the group differs from a group of the model only in blanks, in upper and lower case or in accents."
    local missed="No row has the model's group 'X': does the table spell it in another way?"
    separately "$DP2DP" predict model.json small.csv --unknown-group base
    [[ "$status" = 0 && "$output" != *unknown* && "$stderr" = "CAUTION: 10 of 400 rows have an unknown group"*"$alike $missed This caution comes"* ]]
    answers predict model.json small.csv --unknown-group base --out d.csv
    says "CAUTION: some groups are unknown. $alike $missed"
    answers predict model.json small.csv --unknown-group base --out d.csv --force --json
    holds '.unknown_groups == 10 and .unknown_alike == 10 and .group_without_rows == "X"'
    # Other people, with all groups of the model there: no caution. Among few rows a group is often missing.
    { cat pool.csv && sed -n 2p small.csv | sed 's/x $/other/'; } >more.csv
    separately "$DP2DP" predict model.json more.csv --unknown-group base
    [[ "$status" = 0 && "$stderr" = "Note: 1 of 401 rows have an unknown group"* ]]
    head -n 50 more.csv | sed 's/X$/other/' >few.csv
    separately "$DP2DP" predict model.json few.csv --unknown-group base
    [[ "$status" = 0 && "$stderr" = "Note: 2 of 49 rows have an unknown group"* ]]
}

@test "a dither that depends on the row is told where people are decided one at a time" {
    local shared="CAUTION: the random number (dither) of this rule depends on the row's position, and this table has only one row."
    people 200 1 >pool.csv
    fits --solver exact --dither 0.1 --dither-key row --out row.json
    head -2 pool.csv >one.csv
    separately "$DP2DP" predict row.json one.csv
    [[ "$status" = 0 && "$stderr" == "$shared"* ]]
    answers predict row.json one.csv --out d.csv --force
    says "$shared"
    answers predict row.json one.csv --out d.csv --force --json
    holds '.dither_is_shared'
    head -3 pool.csv >two.csv
    answers predict row.json two.csv
    answers predict row.json two.csv --out d.csv --force --json
    holds 'has("dither_is_shared") | not'
    fits --solver exact --dither 0.1 --dither-key scores --out scores.json
    answers predict scores.json one.csv
    fits --solver exact --out none.json
    answers predict none.json one.csv
}
