#!/usr/bin/env bats
# A table in another unit, or with other spellings, is not read as if nothing were wrong.
load helpers

private=(--epsilon 1 --delta 1e-5)

# table FACTOR CLERK BAKER: 400 people whose ages are multiplied by FACTOR.
table() {
    awk -v factor="$1" -v clerk="$2" -v baker="$3" 'BEGIN {
        print "age,job,sex,y"
        for (i = 0; i < 400; i++)
            printf "%d,%s,%s,%s\n", (20 + i * 7 % 60) * factor, i % 3 ? clerk : baker, i % 2 ? "F" : "M", (i * 7 % 60 > 30) != (i % 19 == 0) ? "yes" : "no"
    }'
}

begin() {
    table 1 Clerk Baker >good.csv
    table 100 clerk baker >bad.csv
    "$DP2DP" schema --columns 'age:0:100,job:Clerk|Baker,sex:sensitive:F|M,y:label:no|yes' --out s.json >/dev/null
    "$DP2DP" train good.csv --schema s.json --method none --out c.json >/dev/null
    "$DP2DP" fit good.csv --model c.json --solver exact --same-people --out m.json >/dev/null
}

unit="CAUTION: 400 of 400 values of age are outside its bounds, 0 to 100, and were clipped. Check the unit of the column."
spelling="CAUTION: 400 of 400 values of job are not in its list of 2 levels and count as unknown. Check their spelling."
listed='.outside == [{"warning": "bounds-exceeded", "column": "age", "values": 400, "rows": 400},
    {"warning": "levels-unlisted", "column": "job", "values": 400, "rows": 400}]'

# cautions ARGUMENT...: the text and the JSON name both columns of bad.csv, and neither does so for good.csv.
cautions() {
    answers "${@//TABLE/bad.csv}"
    says "$unit" "$spelling"
    answers "${@//TABLE/bad.csv}" --json
    holds "$listed"
    answers "${@//TABLE/good.csv}"
    [[ "$output" != *"values of"* ]]
    answers "${@//TABLE/good.csv}" --json
    holds 'has("outside") | not'
}

@test "predict, evaluate and report name columns in another unit or spelling" {
    cautions predict m.json TABLE --out d.csv --force
    cautions evaluate m.json TABLE
    cautions report m.json --test TABLE --out r.html --force
}

@test "run and sweep name columns in another unit or spelling" {
    cautions run TABLE --schema s.json --method none --solver exact
    cautions sweep TABLE --schema s.json --method none --solver exact --runs 1 --rho 0 --out w.csv --force
}

@test "decisions on standard output stay as they are, and the caution is on standard error" {
    separately "$DP2DP" predict m.json bad.csv
    [[ "$status" = 0 && "$output" != *CAUTION* && "$stderr" == *"$unit"*"do not publish the "** ]]
    answers predict m.json good.csv
}

@test "train tells only the operator, and the model does not show it" {
    separately "$DP2DP" train bad.csv --schema s.json "${private[@]}" --out p.json
    [[ "$status" = 0 && "$output" != *"values of"* && "$stderr" == *"$unit"*"do not publish the "** ]]
    [[ "$(<p.json)" != *bounds-exceeded* && "$(<p.json)" != *outside* ]]
    answers train bad.csv --schema s.json "${private[@]}" --bad-rows ignore --out q.json
    answers train good.csv --schema s.json "${private[@]}" --out g.json
}

@test "fit and certify tell only the operator, and with --bad-rows ignore nobody" {
    local verb
    for verb in "fit bad.csv --model c.json" "certify m.json bad.csv"; do
        # shellcheck disable=SC2086 # words
        separately "$DP2DP" $verb "${private[@]}" --force --out o.json
        [[ "$status" = 0 && "$output" != *"values of"* && "$stderr" == *"$unit"*"do not publish the "**"$spelling"* ]]
        [[ "$(<o.json)" != *bounds-exceeded* && "$(<o.json)" != *outside* ]]
        # shellcheck disable=SC2086 # words
        answers $verb "${private[@]}" --bad-rows ignore --force --out o.json
        # shellcheck disable=SC2086 # words
        separately "$DP2DP" $verb "${private[@]}" --dry-run # before anything is charged
        [[ "$status" = 0 && "$output" != *"values of"* && "$stderr" == *"$unit"* ]]
    done
}

@test "a model keeps the markers of missing values it was trained with" {
    "$DP2DP" schema --columns 'age:0:100:drop,job:Clerk|Baker,sex:sensitive:F|M,y:label:no|yes' --missing '?' --out d.json
    sed '2s/^[0-9]*/NA/; 3s/^[0-9]*/?/' good.csv >gaps.csv
    refuses 4 "--missing" train gaps.csv --schema d.json --method none --out k.json
    answers train gaps.csv --schema d.json --method none --missing NA --out k.json
    says "the model keeps the texts of --missing, so commands that use the model need no --missing"
    answers predict k.json gaps.csv --out p.csv
    says "2 of these are empty, because a value is missing"
    answers predict k.json gaps.csv --missing 'NA,?' --out q.csv
    cmp p.csv q.csv
    answers train good.csv --schema d.json --method none --force --out k.json
    [[ "$output" != *--missing* ]]
    answers train good.csv --schema d.json --method none --missing '?' --force --out l.json
    cmp k.json l.json # the schema has it already
}

@test "a marker that the model does not know is noted, on standard error" {
    separately "$DP2DP" predict m.json good.csv --missing 'NA' --out p.csv
    [ "$status" -eq 0 ]
    [ "$stderr" = "dp2dp predict: note: --missing lists \"NA\", but the model's schema does not: this text counts as a missing value in this table only" ]
}

# some N: a table of 400 people, N of them with ages in another unit and another spelling of their jobs.
some() {
    table 1 Clerk Baker | head -n "$((401 - $1))"
    table 100 clerk baker | tail -n "$1"
}

@test "commands that are not private note columns with one value in a hundred outside, and private ones do not" {
    local few="Note: 4 of 400 values of age are outside its bounds, 0 to 100, and were clipped. Check the unit of the column."
    local verb
    some 4 >some.csv
    some 3 >fewer.csv
    for verb in "predict m.json TABLE --out d.csv --force" "evaluate m.json TABLE" "report m.json --test TABLE --out r.html --force"; do
        # shellcheck disable=SC2086 # words
        answers ${verb//TABLE/some.csv}
        says "$few" "Note: 4 of 400 values of job are not in its list of 2 levels"
        [[ "$output" != *CAUTION*"values of"* ]]
        # shellcheck disable=SC2086 # words
        answers ${verb//TABLE/some.csv} --json
        holds '.outside_counts == [{"column": "age", "clipped": 4, "rows": 400}, {"column": "job", "unlisted": 4, "rows": 400}]'
        holds 'has("outside") | not'
        # shellcheck disable=SC2086 # words
        answers ${verb//TABLE/fewer.csv} --json
        holds 'has("outside_counts") | not'
    done
    # Decisions on standard output: the note is on standard error, from one value in ten on.
    some 40 >much.csv
    separately "$DP2DP" predict m.json much.csv
    [[ "$status" = 0 && "$output" != *"values of"* && "$stderr" == *"Note: 40 of 400 values of age"*"This note comes from the data without noise: do not publish the note."* ]]
    some 39 >less.csv
    answers predict m.json less.csv
    answers train some.csv --schema s.json "${private[@]}" --out p.json
    answers fit some.csv --model c.json "${private[@]}" --out p.json --force
    answers certify m.json some.csv "${private[@]}" --out c2.json
}

@test "train, fit and certify note part of a column in another unit or spelling before they charge, only on stderr" {
    local verb part="Note: 70 of 400 values of age are outside its bounds"
    some 70 >part.csv
    for verb in "train part.csv --schema s.json" "fit part.csv --model c.json" "certify m.json part.csv"; do
        # shellcheck disable=SC2086 # words
        separately "$DP2DP" $verb "${private[@]}" --out o.json --force
        [[ "$status" = 0 && "$output" != *"values of"* ]]
        [[ "$stderr" == "$part"*"This note comes from the data without noise: do not publish the note."*"Note: 70 of 400 values of job"*"publish the note." ]]
        [[ "$(<o.json)" != *bounds-exceeded* && "$(<o.json)" != *outside* ]]
        # shellcheck disable=SC2086 # words
        separately "$DP2DP" $verb "${private[@]}" --out o.json --force --json
        [[ "$status" = 0 && "$output" != *outside* && "$stderr" == "$part"* ]]
        # shellcheck disable=SC2086 # words
        answers $verb "${private[@]}" --bad-rows ignore --out o.json --force
        # A budget that is too small refuses the charge, and the note stands before the refusal.
        # shellcheck disable=SC2086 # words
        separately "$DP2DP" $verb "${private[@]}" --out o.json --force --ledger l.json --new-ledger --budget 0.5
        [[ "$status" = 3 && "$stderr" == "$part"*budget* ]]
        # shellcheck disable=SC2086 # words
        separately "$DP2DP" $verb "${private[@]}" --dry-run
        [[ "$status" = 0 && "$output" != *"values of"* && "$stderr" == "$part"* ]]
    done
}

@test "half of the values outside are no caution, and one more is" {
    { table 1 Clerk Baker | head -n 201; table 100 Clerk Baker | tail -n 200; } >half.csv
    answers evaluate m.json half.csv
    says "Note: 200 of 400 values of age"
    [[ "$output" != *"CAUTION: 200"* ]]
    { table 1 Clerk Baker | head -n 200; table 100 Clerk Baker | tail -n 201; } >more.csv
    answers evaluate m.json more.csv
    says "CAUTION: 201 of 400 values of age"
    [[ "$output" != *"values of job"* ]]
}

# within FACTOR: 400 people whose ages are multiplied by FACTOR, with a gain that is mostly 0.
within() {
    awk -v factor="$1" 'BEGIN {
        print "age,gain,visits,sex,y"
        for (i = 0; i < 400; i++)
            printf "%.4f,%d,%d,%s,%s\n", (20 + i * 7 % 60) * factor, i % 20 ? 0 : i * 97, i % 7, i % 2 ? "F" : "M", (i * 7 % 60 > 30) != (i % 19 == 0) ? "yes" : "no"
    }'
}

wide="CAUTION: 400 of 400 values of age are between 0 and 2.4, but its bounds are much wider: 0 to 120. Check the unit of the column. If the unit is right, the bounds are too wide, so a classifier hardly sees how these values differ."

@test "a column in another unit that stays within wide bounds is named, and zeros and small counts are not" {
    within 1 >in.csv
    within 0.01 >hundreds.csv
    "$DP2DP" schema --columns 'age:0:120,gain:0:100000,visits:0:1000,sex:sensitive:F|M,y:label:no|yes' --out w.json >/dev/null
    "$DP2DP" train in.csv --schema w.json --method none --out wc.json >/dev/null
    "$DP2DP" fit in.csv --model wc.json --solver exact --same-people --out wm.json >/dev/null
    local verb
    for verb in "schema check w.json TABLE" "predict wm.json TABLE --out d.csv --force" "evaluate wm.json TABLE" \
        "report wm.json --test TABLE --out r.html --force" "run TABLE --schema w.json --method none --solver exact"; do
        # shellcheck disable=SC2086 # words
        answers ${verb/TABLE/hundreds.csv}
        says "$wide"
        [[ "$output" != *"values of gain"* && "$output" != *"values of visits"* ]]
        # shellcheck disable=SC2086 # words
        answers ${verb/TABLE/hundreds.csv} --json
        holds '.outside == [{"warning": "bounds-too-wide", "column": "age", "values": 400, "rows": 400}]'
        # shellcheck disable=SC2086 # words
        answers ${verb/TABLE/in.csv} --json
        holds 'has("outside") | not'
    done
    for verb in "train hundreds.csv --schema w.json" "fit hundreds.csv --model wc.json" "certify wm.json hundreds.csv"; do
        # shellcheck disable=SC2086 # words
        separately "$DP2DP" $verb "${private[@]}" --force --out o.json
        [[ "$status" = 0 && "$output" != *"values of"* && "$stderr" == *"$wide This caution comes from the data without noise: do not publish the caution."* ]]
        [[ "$(<o.json)" != *too-wide* ]]
        # shellcheck disable=SC2086 # words
        separately "$DP2DP" $verb "${private[@]}" --bad-rows ignore --force --out o.json
        [[ "$status" = 0 && "$output$stderr" != *"values of"* ]]
    done
}

@test "a group of numbers in another unit is noted if everybody is in one group" {
    within 1 >in.csv
    within 12 >months.csv
    head -n 20 months.csv >few.csv
    cat >g.json <<'EOF'
{"format": "dp2dp-schema", "version": {"major": 1, "minor": 0}, "origin": "public", "columns": [
  {"name": "age", "role": "sensitive", "kind": "numeric", "cuts": [30, 60]},
  {"name": "gain", "role": "feature", "kind": "numeric", "lower": 0, "upper": 100000},
  {"name": "y", "role": "label", "kind": "categorical", "levels": ["no", "yes"]}]}
EOF
    "$DP2DP" train in.csv --schema g.json --method none --out gc.json >/dev/null
    "$DP2DP" fit in.csv --model gc.json --solver exact --same-people --out gm.json >/dev/null
    local verb note='Note: all 400 values of age are in the group "> 60". Do the values have the same unit as the cut points (30, 60)?'
    for verb in "schema check g.json TABLE" "predict gm.json TABLE --out d.csv --force" "evaluate gm.json TABLE"; do
        # shellcheck disable=SC2086 # words
        answers ${verb/TABLE/months.csv}
        says "$note"
        # shellcheck disable=SC2086 # words
        answers ${verb/TABLE/months.csv} --json
        holds '.outside == [{"warning": "one-group", "column": "age", "values": 400, "rows": 400, "group": "> 60"}]'
        local other
        for other in in few; do # 19 rows say too little
            # shellcheck disable=SC2086 # words
            answers ${verb/TABLE/$other.csv} --json
            holds 'has("outside") | not'
        done
    done
    separately "$DP2DP" certify gm.json months.csv "${private[@]}"
    [[ "$status" = 0 && "$output" != *"values of"* && "$stderr" == "$note This note comes from the data without noise: do not publish the note." ]]
    separately "$DP2DP" certify gm.json months.csv "${private[@]}" --bad-rows ignore
    [[ "$status" = 0 && "$output$stderr" != *"values of"* ]]
}

@test "a label of numbers in another unit is noted if everybody is in one class" {
    within 1 >in.csv
    within 12 >months.csv
    head -n 20 months.csv >few.csv
    cat >l.json <<'EOF'
{"format": "dp2dp-schema", "version": {"major": 1, "minor": 0}, "origin": "public", "columns": [
  {"name": "age", "role": "label", "kind": "numeric", "cuts": [60]},
  {"name": "gain", "role": "feature", "kind": "numeric", "lower": 0, "upper": 100000},
  {"name": "y", "role": "sensitive", "kind": "categorical", "levels": ["no", "yes"]}]}
EOF
    "$DP2DP" train in.csv --schema l.json --method none --out lc.json >/dev/null
    "$DP2DP" fit in.csv --model lc.json --solver exact --criterion equal_opportunity --same-people --out lm.json >/dev/null
    local verb note='Note: all 400 values of age are in the class "> 60". Do the values have the same unit as the cut point (60)?'
    answers schema check l.json months.csv
    says "$note"
    answers schema check l.json months.csv --json
    holds '.outside == [{"warning": "one-class", "column": "age", "values": 400, "rows": 400, "class": "> 60"}]'
    answers evaluate lm.json months.csv --json
    holds '[.outside[].warning] == ["one-class"]'
    for verb in in few; do
        answers schema check l.json "$verb.csv" --json
        holds 'has("outside") | not'
    done
    # Commands that do not need labels, such as a fit for demographic parity, do not read them.
    for verb in "train months.csv --schema l.json" "fit months.csv --model lc.json --criterion equal_opportunity" \
        "certify lm.json months.csv"; do
        # shellcheck disable=SC2086 # words
        separately "$DP2DP" $verb "${private[@]}" --out o.json --force
        [[ "$status" = 0 && "$output" != *"values of"* && "$stderr" == *"$note This note comes from the data without noise: do not publish the note."* ]]
        [[ "$(<o.json)" != *one-class* ]]
        # shellcheck disable=SC2086 # words
        separately "$DP2DP" $verb "${private[@]}" --bad-rows ignore --out o.json --force
        [[ "$status" = 0 && "$output$stderr" != *"values of"* ]]
    done
    answers predict lm.json months.csv # reads no labels
}

# dotted LEAST DOT: 500 people with incomes from LEAST to 7000, whose thousands a dot separates if DOT is 1.
dotted() {
    LC_ALL=C awk -v least="$1" -v dot="$2" 'BEGIN {
        print "income,sex,y"
        for (i = 0; i < 500; i++) {
            income = least + i * 211 % (7000 - least)
            if (dot && income >= 1000) printf "%.3f", income / 1000; else printf "%d", income
            printf ",%s,%s\n", i % 2 ? "F" : "M", (income > 3000) != (i % 19 == 0) ? "yes" : "no"
        }
    }'
}

@test "a dot between thousands that was read as a decimal point is a caution, in most cells or nearly all" {
    local caution=" values of income have decimals (at most three), and the largest values are whole numbers below 1000. Was a dot that separates thousands, as in 1.234, read as a decimal point?"
    local least log verb file
    for log in "" :log1p; do
        answers schema --columns "income:0:20000$log,sex:sensitive:F|M,y:label:no|yes" --out s.json --force
        for least in 100 800; do # 85 % and 97 %
            dotted $least 1 >dots.csv
            dotted $least 0 >right.csv
            awk -F, -v OFS=, 'NR > 1 { $1 = $1 / 1000 } { print }' right.csv >thousands.csv
            answers train right.csv --schema s.json --method none --out c.json --force
            answers fit right.csv --model c.json --solver exact --same-people --out m.json --force
            for verb in "schema check s.json TABLE" "predict m.json TABLE --out d.csv --force" "evaluate m.json TABLE"; do
                # shellcheck disable=SC2086 # words
                answers ${verb/TABLE/dots.csv}
                says "$caution"
                # shellcheck disable=SC2086 # words
                answers ${verb/TABLE/dots.csv} --json
                holds '.outside | length == 1 and .[0].warning == "thousands-separated" and .[0].column == "income" and
                    .[0].rows == 500 and .[0].values > 400'
                for file in right thousands; do
                    # shellcheck disable=SC2086 # words
                    answers ${verb/TABLE/$file.csv} --json
                    holds '[.outside // [] | .[] | select(.warning == "thousands-separated")] == []'
                done
            done
            for verb in "train dots.csv --schema s.json" "certify m.json dots.csv"; do
                # shellcheck disable=SC2086 # words
                separately "$DP2DP" $verb "${private[@]}" --force --out o.json
                [[ "$status" = 0 && "$stderr" == *"$caution This caution comes from the data without noise: do not publish the caution."* ]]
                # shellcheck disable=SC2086 # words
                separately "$DP2DP" $verb "${private[@]}" --bad-rows ignore --force --out o.json
                [[ "$status" = 0 && "$output$stderr" != *"values of"* ]]
            done
        done
    done
}

# one WHAT [ROWS]: 1200 people of whom all have the same group or class, or the same value of a feature.
one() {
    awk -v what="$1" -v rows="${2:-1200}" 'BEGIN {
        print "age,job,sex,y"
        for (i = 0; i < rows; i++)
            printf "%s,%s,%s,%s\n", what == "zero" ? 0 : what == "number" ? 33.5 : 20 + i * 7 % 60,
                what == "job" || i % 3 ? "Clerk" : "Baker", what == "sex" || i % 2 ? "F" : "M",
                (what == "y" || (i * 7 % 60 > 30) != (i % 19 == 0)) ? "yes" : "no"
    }'
}

@test "a listed group, class or feature that is the same for everybody is noted" {
    local what verb words note
    for what in sex y zero number job; do
        one $what >one.csv
        # Values that may mean "none" need 1000 rows, others 100.
        one $what "$([[ "$what" = zero || "$what" = job ]] && echo 999 || echo 99)" >few.csv
        case $what in
        sex) words='{"warning": "one-group", "column": "sex", "values": 1200, "rows": 1200, "group": "F"}' ;;
        y) words='{"warning": "one-class", "column": "y", "values": 1200, "rows": 1200, "class": "yes"}' ;;
        job) words='{"warning": "one-value", "column": "job", "values": 1200, "rows": 1200}' ;;
        *) words='{"warning": "one-value", "column": "age", "values": 1200, "rows": 1200}' ;;
        esac
        case $what in
        sex) note='Note: all 1200 values of sex are in the group "F". Was the table cut from a larger table that is sorted by sex?' ;;
        y) note='Note: all 1200 values of y are in the class "yes". Was the table cut from a larger table that is sorted by y?' ;;
        *) note='are the same, so the column does not tell people apart. Were its values lost, for example in an export?' ;;
        esac
        for verb in "schema check s.json TABLE" "predict m.json TABLE --out d.csv --force" "evaluate m.json TABLE" \
            "run TABLE --schema s.json --method none --solver exact"; do
            [[ "$what$verb" != ypredict* ]] || continue # reads no labels
            # shellcheck disable=SC2086 # words
            answers ${verb/TABLE/one.csv} --json
            holds ".outside == [$words]"
            # shellcheck disable=SC2086 # words
            answers ${verb/TABLE/one.csv}
            says "$note"
            # shellcheck disable=SC2086 # words
            answers ${verb/TABLE/few.csv} --json
            holds 'has("outside") | not'
        done
        # A fit for demographic parity reads no labels, and train no groups.
        for verb in "train one.csv --schema s.json" "fit one.csv --model c.json" "certify m.json one.csv"; do
            [[ "$what$verb" != yfit* && "$what$verb" != ycertify* && "$what$verb" != sextrain* ]] || continue
            # shellcheck disable=SC2086 # words
            separately "$DP2DP" $verb "${private[@]}" --force --out o.json
            [[ "$status" = 0 && "$output" != *"values of"* && "$stderr" == *"$note This note comes from the data without noise: do not publish the note."* ]]
            [[ "$(<o.json)" != *one-* ]]
            # shellcheck disable=SC2086 # words
            separately "$DP2DP" $verb "${private[@]}" --bad-rows ignore --force --out o.json
            [[ "$status" = 0 && "$output$stderr" != *"values of"* ]]
        done
    done
}

@test "schema check warns if most values of a column are clipped or unknown" {
    cautions schema check s.json TABLE
}

@test "the known data sets give no such caution with their own schemas" {
    [ -n "${DP2DP_DATA:-}" ] || skip "needs DP2DP_DATA"
    local set
    for set in adult adult-cut credit parkinsons; do
        "$DP2DP" data "${set%-cut}" --data-dir "$DP2DP_DATA" --out "$set.csv"
        answers schema check "$set" "$set.csv" --json
        holds '.rows > 5000 and (has("outside") | not)'
    done
}

# titled WRONG: 600 people with a title that tells the sex, of all but the first WRONG.
titled() {
    awk -v wrong="$1" 'BEGIN {
        print "age,title,sex,y"
        for (i = 0; i < 600; i++)
            printf "%d,%s,%s,%s\n", 20 + i * 7 % 60, i % 2 == (i >= wrong) ? "Ms" : "Mr", i % 2 ? "F" : "M", (i * 7 % 60 > 30) != (i % 19 == 0) ? "yes" : "no"
    }'
}

@test "a rule that must not see the group does not read it from another column in silence" {
    local said="CAUTION: each value of title occurs in one group only, so the column reveals the group."
    local table verb cost=(--method none --solver exact)
    titled 0 >copy.csv
    titled 1 >near.csv
    answers schema --columns 'age:0:100,title:Mr|Ms,sex:sensitive:F|M,y:label:no|yes' --out t.json
    answers schema check t.json copy.csv
    says "$said"
    answers schema check t.json copy.csv --json
    holds '.outside == [{"warning": "group-in-column", "column": "title", "values": 600, "rows": 600}]'
    for table in near copy; do
        answers train near.csv --schema t.json --target group-label --method none --force --out c.json
        answers fit near.csv --model c.json --unaware --solver exact --force --out u.json
        for verb in "train $table.csv --schema t.json --target group-label ${private[*]}" \
            "fit $table.csv --model c.json --unaware ${private[*]}" "certify u.json $table.csv ${private[*]}"; do
            # shellcheck disable=SC2086 # words
            separately "$DP2DP" $verb --force --out o.json
            [ "$status" -eq 0 ]
            case $table in
            near) [ -z "$stderr" ] ;;
            *) [[ "$stderr" == "$said"*"do not publish the "* && "$output$(<o.json)" != *"tells the group"* ]] ;;
            esac
            # shellcheck disable=SC2086 # words
            answers $verb --bad-rows ignore --force --out o.json
        done
        for verb in "run $table.csv --schema t.json --unaware ${cost[*]}" "evaluate u.json $table.csv"; do
            # shellcheck disable=SC2086 # words
            answers $verb --json
            holds "[.outside // [] | .[].column] == $([ $table = near ] && echo '[]' || echo '["title"]')"
        done
    done
    # A rule that sees the group may see it twice.
    answers run copy.csv --schema t.json "${cost[@]}" --json
    holds 'has("outside") | not'
    answers train copy.csv --schema t.json "${private[@]}" --out aware.json
}

# onboarded WRONG: 600 people with a column that tells the label, of all but the first WRONG.
onboarded() {
    awk -v wrong="$1" 'BEGIN {
        print "age,onboarded,sex,y"
        for (i = 0; i < 600; i++) {
            hired = int(i / 10) % 3 == 0
            printf "%d,%s,%s,%s\n", 20 + i * 7 % 60, (hired == (i >= wrong)) ? "yes" : "no", i % 2 ? "F" : "M", hired ? "yes" : "no"
        }
    }'
}

@test "a feature that tells the label is noticed before the classifier is trained" {
    local said="CAUTION: each value of onboarded occurs with one class only, so the column"
    onboarded 0 >copy.csv
    onboarded 1 >near.csv
    answers schema --columns 'age:0:100,onboarded:no|yes,sex:sensitive:F|M,y:label:no|yes' --out o.json
    answers schema check o.json copy.csv
    says "$said"
    answers schema check o.json copy.csv --json
    holds '.outside == [{"warning": "label-in-column", "column": "onboarded", "values": 600, "rows": 600}]'
    answers schema check o.json near.csv --json
    holds 'has("outside") | not'
    answers train near.csv --schema o.json "${private[@]}" --force --out c.json
    separately "$DP2DP" train copy.csv --schema o.json "${private[@]}" --force --out c.json
    [[ "$status" -eq 0 && "$stderr" == "$said"*"do not publish the "* && "$output$(<c.json)" != *"one class only"* ]]
    answers train copy.csv --schema o.json "${private[@]}" --force --out c.json --bad-rows ignore
    answers run copy.csv --schema o.json --method none --solver exact --json
    holds '[.outside[].warning] == ["label-in-column"]'
}

@test "a few values beyond a cut in another unit do not hide that nearly all are on one side" {
    local said='Note: 998 of 999 values of test are in the class "> 0.5". Do the values have the same unit as the cut point (0.5)?'
    awk 'BEGIN { print "age,sex,test"; for (i = 1; i < 1000; i++) printf "%d,%s,%d\n", i * 7 % 60, i % 2 ? "F" : "M", (i > 1) * (1 + i * 13 % 100) }' >points.csv
    answers schema --columns 'age:0:100,sex:sensitive:F|M,test:label:>0.5' --out p.json
    answers schema check p.json points.csv
    says "$said"
    answers schema check p.json points.csv --json
    holds '.outside == [{"warning": "one-class", "column": "test", "values": 998, "rows": 999, "class": "> 0.5"}]'
    awk -F, -v OFS=, 'NR > 1 && NR < 8 { $3 = 0 } 1' points.csv >rare.csv # six of 999 are a rare class
    answers schema check p.json rare.csv --json
    holds 'has("outside") | not'
}

# crowd SEED: 1200 people with random values; "F" and "M" have different incomes.
crowd() {
    LC_ALL=C awk -v seed="$1" 'BEGIN {
        srand(seed)
        print "age,income,job,sex,y"
        for (i = 0; i < 1200; i++) {
            male = rand() < .5
            income = 20000 + 60000 * rand() + 8000 * male
            printf "%d,%.2f,%s,%s,%s\n", 18 + 60 * rand(), income, rand() < .6 ? "Clerk" : "Baker", male ? "M" : "F", (income + 20000 * rand() > 60000) ? "yes" : "no"
        }
    }'
}

@test "a table that is joined to itself: train, run and schema check say so" {
    local said="CAUTION: many rows are equal to another row, more than chance can explain."
    local columns='age:0:100,income:0:200000,job:Clerk|Baker,sex:sensitive:F|M,y:label:no|yes' verb
    crowd 1 >once.csv
    { cat once.csv; tail -n +2 once.csv; } >twice.csv
    answers schema --columns "$columns" --out j.json
    for verb in "schema check j.json TABLE" "run TABLE --schema j.json --method none --solver exact"; do
        # shellcheck disable=SC2086 # words
        answers ${verb/TABLE/twice.csv}
        says "$said"
        # shellcheck disable=SC2086 # words
        answers ${verb/TABLE/twice.csv} --json
        holds '.outside == [{"warning": "rows-repeated"}]'
        # shellcheck disable=SC2086 # words
        answers ${verb/TABLE/once.csv} --json
        holds 'has("outside") | not'
    done
    separately "$DP2DP" train twice.csv --schema j.json "${private[@]}" --out p.json
    [[ "$status" -eq 0 && "$stderr" == "$said"*"This caution comes from the data without noise: do not publish the caution." ]]
    [[ "$output$(<p.json)" != *"equal to another"* && "$(<p.json)" != *rows-repeated* ]]
    answers train once.csv --schema j.json "${private[@]}" --force --out p.json
    answers train twice.csv --schema j.json "${private[@]}" --force --out p.json --bad-rows ignore
    answers train twice.csv --schema j.json "${private[@]}" --force --out p.json --rows-per-person 2
    awk -F, -v OFS=, '{ print (NR == 1 ? "id" : (NR - 2) % 1200), $0 }' twice.csv >persons.csv
    answers run persons.csv --schema j.json --method none --solver exact --person id --json
    holds 'has("outside") | not'
}

# marked N: crowd 1, with the age -999 in N rows.
marked() {
    crowd 1 | awk -F, -v OFS=, -v n="$1" 'NR > 1 && NR <= n + 1 { $1 = -999 } 1'
}

@test "the same number outside the bounds in one row of a hundred is a caution, on stderr too" {
    local said="CAUTION: 24 of 1200 values of age are outside its bounds, 0 to 100, and were clipped; 24 of them are one and the same number. Does this number stand for a missing value, as -999 often does? Then list it in --missing."
    local columns='age:0:100,income:0:200000,job:Clerk|Baker,sex:sensitive:F|M,y:label:no|yes' verb
    marked 0 >none.csv
    marked 19 >few.csv
    marked 24 >marked.csv
    crowd 1 | awk -F, -v OFS=, 'NR > 1 && NR <= 25 { $1 = 100 + NR } 1' >tail.csv
    answers schema --columns "$columns" --out j.json
    answers train none.csv --schema j.json --method none --out jc.json
    answers fit none.csv --model jc.json --solver exact --same-people --out jm.json
    for verb in "schema check j.json TABLE" "evaluate jm.json TABLE" "predict jm.json TABLE --out d.csv --force" \
        "run TABLE --schema j.json --method none --solver exact"; do
        # shellcheck disable=SC2086 # words
        answers ${verb/TABLE/marked.csv}
        says "$said"
        # shellcheck disable=SC2086 # words
        answers ${verb/TABLE/marked.csv} --json
        holds '.outside == [{"warning": "bounds-exceeded", "column": "age", "values": 24, "rows": 1200, "same": 24}]'
        holds '.outside_counts == [{"column": "age", "clipped": 24, "rows": 1200}]'
        local other
        for other in few tail; do
            # shellcheck disable=SC2086 # words
            answers ${verb/TABLE/$other.csv} --json
            holds 'has("outside") | not'
        done
    done
    for verb in "train TABLE --schema j.json" "fit TABLE --model jc.json" "certify jm.json TABLE"; do
        # shellcheck disable=SC2086 # words
        separately "$DP2DP" ${verb/TABLE/marked.csv} "${private[@]}" --force --out o.json
        [[ "$status" -eq 0 && "$stderr" == "$said This caution comes from the data without noise: do not publish the caution." ]]
        [[ "$output" != *"values of"* && "$(<o.json)" != *outside* ]]
        for other in few tail; do
            # shellcheck disable=SC2086 # words
            answers ${verb/TABLE/$other.csv} "${private[@]}" --force --out o.json
        done
        # shellcheck disable=SC2086 # words
        answers ${verb/TABLE/marked.csv} "${private[@]}" --force --out o.json --bad-rows ignore
    done
    marked 60 | sed '2s/^-999,/-5,/' >mixed.csv # another value comes first
    answers schema check j.json mixed.csv
    says "CAUTION: 60 of 1200 values of age" "at least 58 of them are one and the same number"
}

# numbered STEP: crowd 1 with a column of ids that are STEP apart, in no order.
numbered() {
    crowd 1 | awk -F, -v OFS=, -v step="$1" '{ print (NR == 1 ? "nr" : 100000 + (NR * 7919 % 1200) * step), $0 }'
}

@test "a feature that numbers the people: train, run and schema check say so" {
    local said="CAUTION: the 1200 values of nr are different whole numbers that lie close together."
    local columns='nr:0:1000000,age:0:100,income:0:200000,job:Clerk|Baker,sex:sensitive:F|M,y:label:no|yes' verb
    numbered 1 >ids.csv
    numbered 100 >spread.csv
    awk -F, -v OFS=, 'NR == 3 { $1 = first } NR == 2 { first = $1 } 1' ids.csv >copy.csv
    answers schema --columns "$columns" --out n.json
    for verb in "schema check n.json TABLE" "run TABLE --schema n.json --method none --solver exact"; do
        # shellcheck disable=SC2086 # words
        answers ${verb/TABLE/ids.csv}
        says "$said"
        # shellcheck disable=SC2086 # words
        answers ${verb/TABLE/ids.csv} --json
        holds '.outside == [{"warning": "numbers-are-ids", "column": "nr", "values": 1200, "rows": 1200}]'
        local other
        for other in spread copy; do
            # shellcheck disable=SC2086 # words
            answers ${verb/TABLE/$other.csv} --json
            holds '[.outside // [] | .[] | select(.warning == "numbers-are-ids")] == []'
        done
    done
    separately "$DP2DP" train ids.csv --schema n.json "${private[@]}" --out p.json
    [[ "$status" -eq 0 && "$stderr" == "$said"*"This caution comes from the data without noise: do not publish the caution." ]]
    [[ "$output$(<p.json)" != *"whole numbers"* && "$(<p.json)" != *are-ids* ]]
    answers train spread.csv --schema n.json "${private[@]}" --force --out p.json
    answers train ids.csv --schema n.json "${private[@]}" --force --out p.json --bad-rows ignore
}

# range_of FIELD: the bounds of the numbers in a field of once.csv, as --columns takes them.
range_of() {
    tail -n +2 once.csv | cut -d, -f"$1" | sort -g | sed -n '1p;$p' | paste -sd:
}

@test "bounds that were read off the rows: train, run and schema check say so" {
    local said="the bounds of the schema are exactly the smallest and the largest values of these rows"
    local rest='job:Clerk|Baker,sex:sensitive:F|M,y:label:no|yes' verb name expected
    crowd 1 >once.csv
    answers schema --columns "age:$(range_of 1),income:$(range_of 2),$rest" --out all.json
    answers schema --columns "age:0:100,income:$(range_of 2),$rest" --out some.json
    answers schema --columns "age:$(range_of 1),income:0:200000,$rest" --out round.json # 18 to 77 is a choice
    answers schema --columns "age:0:100,income:20000:99999,$rest" --out honest.json
    jq '.origin = "from-data"' all.json >told.json
    for verb in "schema check SCHEMA once.csv" "run once.csv --schema SCHEMA --method none --solver exact"; do
        for name in all some round honest told; do
            case $name in
            all) expected='.outside == [{"warning": "bounds-attained"}]' ;;
            some) expected='.outside == [{"warning": "bounds-attained", "column": "income"}]' ;;
            *) expected='has("outside") | not' ;;
            esac
            # shellcheck disable=SC2086 # words
            answers ${verb/SCHEMA/$name.json} --json
            holds "$expected"
        done
        # shellcheck disable=SC2086 # words
        answers ${verb/SCHEMA/all.json}
        says "CAUTION: $said"
        # shellcheck disable=SC2086 # words
        answers ${verb/SCHEMA/some.json}
        says "CAUTION: in 1 of 2 numeric columns, of which income is the first, $said"
    done
    separately "$DP2DP" train once.csv --schema all.json "${private[@]}" --out p.json
    [[ "$status" -eq 0 && "$stderr" == "CAUTION: $said"*"This caution comes from the data without noise: do not publish the caution." ]]
    [[ "$output$(<p.json)" != *"read off"* && "$(<p.json)" != *attained* ]]
    answers train once.csv --schema honest.json "${private[@]}" --force --out p.json
    answers train once.csv --schema all.json "${private[@]}" --force --out p.json --bad-rows ignore
    # A pool or a test part of the same table may reach the bounds too; that was said before the training.
    separately "$DP2DP" fit once.csv --model p.json "${private[@]}" --same-people --force --out m.json
    [[ "$status" -eq 0 && "$stderr" != *"$said"* ]]
}

# late: 900 people with columns that are known only after the label, and a number for missing values.
late() {
    awk 'BEGIN {
        print "age,wait,status,salary,pressure,sex,y,z"
        for (i = 0; i < 900; i++) {
            y = (i * 7 + int(i / 11)) % 3
            printf "%d,%d,%s,%d,%d,%s,%s,%s\n", 20 + i * 7 % 60, y < 2 ? 0 : 1 + i % 60, y == 1 ? "hired" : i % 2 ? "open" : "closed",
                y == 1 ? 30000 + i : 0, i % 15 ? 95 + i % 80 : 999, i % 2 ? "F" : "M", y == 1 ? "offer" : y ? "talk" : "no", y < 2 ? "no" : "yes"
        }
    }'
}

# says_late COLUMNS TEXT WORD: commands that read features and labels give the caution, and none if bad rows are
# ignored.
says_late() {
    local verb
    answers schema --columns "$1" --out late.json --force
    for verb in "schema check late.json late.csv" "run late.csv --schema late.json --method none --solver exact"; do
        # shellcheck disable=SC2086 # words
        answers $verb
        says "$2"
        # shellcheck disable=SC2086 # words
        answers $verb --json
        holds "[.outside[].warning] == [\"$3\"]"
    done
    separately "$DP2DP" train late.csv --schema late.json "${private[@]}" --out late-m.json --force
    [[ "$status" = 0 && "$stderr" == *"$2"*"do not publish the caution."* && "$(<late-m.json)" != *"$3"* ]]
    separately "$DP2DP" train late.csv --schema late.json "${private[@]}" --out late-m.json --force --bad-rows ignore
    [[ "$status" = 0 && "$stderr" != *"$2"* ]]
}

@test "a number for missing values within the bounds, and columns that are known only after the label, are cautions" {
    local y='sex:sensitive:F|M,y:label:no|talk|offer' z='sex:sensitive:F|M,z:label:no|yes'
    late >late.csv
    says_late "age:0:100,pressure:0:1000,$y" "CAUTION: 60 of 900 values of pressure are 999, and all others are far from this number. Does 999 stand for a missing value? Then list it in --missing." number-for-missing
    says_late "age:0:100,wait:0:100,$z" "CAUTION: each value of wait occurs with one class only, so the column reveals the label." label-in-column
    says_late "age:0:100,status:open|closed|hired,$y" 'CAUTION: status has one and the same value for everybody of the class "offer", and for nobody else, so the column reveals this class. Is the column filled in only after the decision? Then leave it out of the features.' label-in-column
    says_late "age:0:100,salary:0:100000,$y" 'CAUTION: salary is not 0 for everybody of the class "offer", and for nobody else' label-in-column
    "$DP2DP" schema --columns "age:0:100,$y" --out late.json --force
    answers train late.csv --schema late.json "${private[@]}" --out late-m.json --force
    [[ "$output" != *CAUTION:*values* && "$output" != *"reveals"* ]]
}

@test "train says before the charge if most rows lack a value that the schema needs" {
    local caution='of 400 rows lack a value that the schema needs, and add nothing to the training.'
    "$DP2DP" schema --columns 'age:0:100:drop,job:Clerk|Baker,sex:sensitive:F|M,y:label:no|yes' --missing '?' --out d.json
    sed '2,361s/^[0-9]*/?/' good.csv >most.csv
    sed '2,200s/^[0-9]*/?/' good.csv >less.csv
    separately "$DP2DP" train most.csv --schema d.json "${private[@]}" --out p.json --ledger l.json --new-ledger --budget 0.5
    [[ "$status" = 3 && "$stderr" == "CAUTION: 360 $caution"*budget* ]]
    separately "$DP2DP" train most.csv --schema d.json "${private[@]}" --out p.json
    [[ "$status" = 0 && "$stderr" == "CAUTION: 360 $caution"* && "$(<p.json)" != *most-left-out* ]]
    answers train less.csv --schema d.json "${private[@]}" --out p.json --force
    [[ "$output" != *"$caution"* ]]
    answers train most.csv --schema d.json "${private[@]}" --bad-rows ignore --out p.json --force
    [[ "$output" != *"$caution"* ]]
    answers run most.csv --schema d.json --method none --solver exact --json
    holds '[.outside[].warning] == ["most-left-out"]'
}

# spelt TEXT N: the first N of 400 people have the job TEXT.
spelt() {
    awk -F, -v OFS=, -v text="$1" -v n="$2" 'NR > 1 && NR <= n + 1 { $2 = text } 1' good.csv
}

@test "one and the same unlisted text is a caution from one row in a hundred and 20 rows on, also if it looks missing" {
    local text verb same="CAUTION: 20 of 400 values of job are not in its list of 2 levels and count as unknown; 20 of them are one and the same text. Check its spelling, or add it to the list."
    local missing="CAUTION: 30 of 400 values of job are not in its list of 2 levels and count as unknown; 30 of them look like missing values (NA, ?). If they are missing values, list them in --missing, as written in the table."
    spelt clerk 20 >same.csv
    for text in NA nan NULL None '?' - n/a Missing; do
        spelt "$text" 30 >missing.csv
        separately "$DP2DP" train missing.csv --schema s.json "${private[@]}" --out p.json --force
        [[ "$status" = 0 && "$output" != *CAUTION* && "$stderr" == "$missing This caution comes from the data without noise: do not publish the caution." ]]
    done
    for verb in "train TABLE --schema s.json" "fit TABLE --model c.json" "certify m.json TABLE"; do
        # shellcheck disable=SC2086 # words
        separately "$DP2DP" ${verb//TABLE/same.csv} "${private[@]}" --out o.json --force
        [[ "$status" = 0 && "$output" != *"values of"* && "$stderr" == *"$same"* && "$(<o.json)" != *unlisted* ]]
        # shellcheck disable=SC2086 # words
        answers ${verb//TABLE/missing.csv} "${private[@]}" --out o.json --force --bad-rows ignore
    done
    for verb in "schema check s.json TABLE" "evaluate m.json TABLE"; do
        answers ${verb//TABLE/same.csv}
        says "$same"
        answers ${verb//TABLE/missing.csv}
        says "$missing"
    done
    answers schema check s.json same.csv --json
    holds '.outside == [{"warning": "levels-unlisted", "column": "job", "values": 20, "rows": 400, "same": 20}]'
    answers schema check s.json missing.csv --json
    holds '.outside[0].look_missing == 30'
    # Fewer rows, and different texts, are no caution.
    spelt clerk 19 >few.csv
    answers train few.csv --schema s.json "${private[@]}" --out o.json --force
    awk -F, -v OFS=, 'NR > 1 && NR <= 31 { $2 = "job" NR } 1' good.csv >different.csv
    answers train different.csv --schema s.json "${private[@]}" --out o.json --force
}

# few ROWS FACTOR: people with incomes and debts, multiplied by FACTOR.
few() {
    awk -v rows="$1" -v factor="$2" 'BEGIN {
        print "age,income,debt,sex,y"
        for (i = 0; i < rows; i++)
            printf "%d,%.3f,%.3f,%s,%s\n", 20 + i * 7 % 60, (9000 + i * 7919 % 60000) * factor, (500 + i * 3571 % 30000) * factor,
                i % 2 ? "F" : "M", (i * 7 % 60 > 30) != (i % 19 == 0) ? "yes" : "no"
    }'
}

@test "a few rows in thousands are a caution if two columns say so, and honest ones are not" {
    local rows said="values of income are between 0 and 120, but its bounds are much wider: 0 to 120000. Check the unit of the column."
    few 400 1 >good.csv
    "$DP2DP" schema --columns 'age:0:100,income:0:120000,debt:0:60000,sex:sensitive:F|M,y:label:no|yes' --out s.json --force >/dev/null
    "$DP2DP" train good.csv --schema s.json --method none --out c.json --force >/dev/null
    "$DP2DP" fit good.csv --model c.json --solver exact --same-people --out m.json --force >/dev/null
    for rows in 5 19; do
        few "$rows" 0.001 >thousands.csv
        answers predict m.json thousands.csv --out d.csv --force
        says "CAUTION: $rows of $rows $said" "CAUTION: $rows of $rows values of debt are between 0 and 60"
        answers predict m.json thousands.csv --out d.csv --force --json
        holds '[.outside[] | [.warning, .column]] == [["bounds-too-wide", "income"], ["bounds-too-wide", "debt"]]'
        few "$rows" 1 >honest.csv
        answers predict m.json honest.csv --out d.csv --force
        [[ "$output" != *CAUTION* ]]
    done
    few 4 0.001 >thousands.csv
    answers predict m.json thousands.csv --out d.csv --force
    [[ "$output" != *CAUTION* ]]
}
