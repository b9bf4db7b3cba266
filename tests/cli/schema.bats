#!/usr/bin/env bats
# `dp2dp schema` checks, prints and drafts schemas.
load helpers

columns="age:17:90,sex:sensitive:F|M,job:clerk|smith:drop,score:label:>27.5,id:ignore"

table() { # a small table with 30 ages, two jobs, a gap and an identifier
    awk 'BEGIN {
        print "id,age,job,sex,y"
        for (i = 1; i <= 60; i++)
            printf "%d,%d,%s,%s,%s\n", i, 20 + i % 30, i % 7 ? (i % 2 ? "clerk" : " smith") : "", \
                i % 3 ? "F" : "M", i % 5 ? "no" : "yes"
    }'
}

@test "a built-in schema is printed as a table, and as JSON that is a schema again" {
    answers schema adult
    says "features 102: 6 numbers and 96 levels of 7 columns" "classes 2: <=50K, >50K" \
        "groups 2: Female, Male" "17 to 90: (x - 40) / 15" "16 levels: Bachelors, Some-college"
    [[ "$output" != *"NOT PRIVATE"* ]]
    answers schema adult --json
    holds '.format == "dp2dp-schema" and .origin == "public" and (.columns | length) == 15'
    echo "$output" >adult.json
    answers schema ./adult.json --json
    cmp adult.json <(echo "$output")
    answers schema adult --json --out copy.json
    [ "$output" = "Schema, written to copy.json" ]
    cmp adult.json copy.json
}

@test "every built-in schema is there" {
    local name
    for name in adult:102 adult-cut:125 credit:85 parkinsons:19; do
        answers schema "${name%:*}"
        says "name ${name%:*} features ${name#*:}:"
    done
    refuses 1 "neither a built-in schema nor a file: adlt" schema adlt
}

@test "a bad schema is refused with its member and the file" {
    answers schema adult --json --out s.json
    local text
    text=$(<s.json)
    echo "${text/\"major\": 1/\"major\": 2}" >bad.json
    refuses 4 "version: 2.0 is newer than 1, the newest major version that this library reads; update dp2dp: bad.json" schema bad.json
    echo "${text/\"workclass\"/\"age\"}" >bad.json
    refuses 4 "columns: \"age\" occurs twice: bad.json" schema bad.json
    echo "${text/\"norm\"/\"nrom\"}" >bad.json
    refuses 4 "nrom: unknown member of a schema" schema bad.json
    head -c 300 s.json >bad.json
    refuses 4 "schema: the text ends too early: it was cut off, or is not complete yet: bad.json" schema bad.json
    echo "${text/\"norm\":/\"norm\"}" >bad.json
    refuses 4 "schema, line" schema bad.json
    refuses 1 "No such file" schema absent.json
}

@test "a draft from what is known is public and reads back" {
    answers schema --columns "$columns" --missing "?,NA" --name mine --out s.json
    output=$(<s.json)
    holds '.origin == "public" and .name == "mine" and .missing == ["?", "NA"]'
    holds '.columns[0] | .lower == 17 and .upper == 90 and .role == "feature"'
    holds '.columns[1] | .role == "sensitive" and .levels == ["F", "M"]'
    holds '.columns[2].missing == "drop" and .columns[3].cuts == [27.5] and .columns[4].role == "ignore"'
    answers schema s.json
    says "features 4: 1 number and 3 levels of 1 column" "classes 2: <= 27.5, > 27.5"
    answers schema --columns 'Jitter\:RAP:0:0.1,x:0:100:log1p' --json
    holds '.columns[0].name == "Jitter:RAP" and .columns[0].centre == 0.05 and .columns[1].log1p'
}

@test "a draft from data says so, and marks the schema" {
    table >people.csv
    answers schema --columns age,job,sex:sensitive,y:label,id:ignore --draft-from people.csv --out s.json
    output=$(<s.json)
    holds '.origin == "from-data" and .trim'
    holds '.columns[0] | .kind == "numeric" and .lower == 20 and .upper == 49 and .centre == 34.5'
    holds '.columns[1] | .levels == ["clerk", "smith"] and .missing == "level"'
    holds '.columns[2].levels == ["F", "M"] and .columns[3].levels == ["no", "yes"]'
    answers schema s.json
    says "NOT PRIVATE: the schema was inferred from the data"
    answers schema --columns age:0:100,job --draft-from people.csv
    holds '.columns[0].lower == 0 and .origin == "from-data"'
}

@test "a draft asks about columns that are hardly what it takes them for" {
    awk 'BEGIN { print "pay,id,applied,age,size,sex,y"
        for (i = 0; i < 300; i++)
            printf "%s,%d,2024-%02d-%02d,%d,%.3f,%s,%s\n", i == 7 ? "NA" : 1000 + i % 290, 70000 + i * 37 % 300,
                1 + i % 12, 1 + i % 28, 20 + i % 50, i / 7, i % 2 ? "F" : "M", i % 3 ? "no" : "yes" }' >people.csv
    local columns=pay,id,applied,age,size,sex:sensitive,y:label
    answers schema --columns "$columns" --draft-from people.csv --out s.json
    says 'CAUTION: pay has 291 different texts, and 290 of them are numbers. Does "NA" mean a missing value? Then list it in --missing.' \
        "CAUTION: id has a different value in every row. If it is an id, give it the role ignore." \
        "CAUTION: applied looks like a column of dates"
    [[ "$output" != *"CAUTION: age"* && "$output" != *"CAUTION: size"* ]]
    separately "$DP2DP" schema --columns "$columns" --draft-from people.csv
    holds '.columns | length == 7'
    [[ "$stderr" == "CAUTION: pay has"*"CAUTION: id has"*"CAUTION: applied looks"* ]]
    answers schema --columns "${columns/,id,applied/,id:ignore,applied:ignore}" --draft-from people.csv --missing NA
    holds '.columns[0].kind == "numeric" and (.missing | index("NA"))'
}

@test "a draft that is not complete is refused" {
    table >people.csv
    refuses 2 "give \"job\" either two bounds, or levels, or cut points; --draft-from TABLE finds bounds and levels" schema --columns age:0:9,job
    refuses 2 "needs two bounds, or levels, or cut points" schema --columns age:17
    refuses 2 "'x' of \"age\" is unknown or not allowed here: expected a role" schema --columns age:x
    refuses 2 "column \"a\" is numeric, so it cannot have levels; give it bounds or cut points" schema --columns "a:numeric:x|y"
    refuses 2 "\"a\" has two roles: 'sensitive' is one too many" schema --columns "a:label:sensitive:F|M"
    refuses 2 "\"a\" has two words for missing values: 'level'" schema --columns "a:0:1:drop:level"
    refuses 2 "the name of a column is empty" schema --columns ":0:1"
    refuses 4 "\"a\" occurs twice" schema --columns a:0:1,a:0:2
    refuses 2 "--draft-from is not needed" schema --columns age:0:9 --draft-from people.csv
    refuses 4 "no column is named \"agee\"; the nearest name is \"age\"" \
        schema --columns agee --draft-from people.csv
    refuses 4 "column \"job\" has values that are not numbers" \
        schema --columns job:numeric --draft-from people.csv
    refuses 2 "give either a SCHEMA to show, or options for a draft: --columns LIST" schema
    refuses 2 "give either a SCHEMA to show, or options for a draft: --columns LIST" schema adult --columns a:0:1
    refuses 2 "--missing needs --columns or --draft-from" schema adult --missing NA
    refuses 2 "give either a SCHEMA to show, or options for a draft: --columns LIST" schema adult --draft-from people.csv
    refuses 2 "--out needs --json or --columns" schema adult --out s.json
    [ ! -e s.json ]
}

@test "a skeleton has the names of the header, nothing from the rows, and cannot be used by accident" {
    table >people.csv
    answers schema --draft-from people.csv --name mine --missing "?" --out s.json
    says "Skeleton of a schema, written to s.json" "replace every \"?\" in the file" \
        "ignore (an id or a date, for example); delete the line \"kind\" of a column that you ignore" "run dp2dp schema s.json: it says what is still missing"
    output=$(<s.json)
    holds '.name == "mine" and .origin == "?" and .missing == ["?"]'
    holds '.columns | map(.name) == ["id", "age", "job", "sex", "y"]'
    holds '.columns | all(. == {name: .name, role: "?", kind: "?"})'
    local verb
    for verb in "schema s.json" "schema check s.json people.csv" \
        "train people.csv --schema s.json --epsilon 1 --delta 1e-5 --out c.json"; do
        refuses 4 "origin: must be public or from-data (replace every \"?\"): s.json" $verb
    done
    sed -i 's/"origin": "?"/"origin": "public"/' s.json
    refuses 4 "column \"id\": role: must be feature, label, sensitive or ignore (replace every \"?\"): s.json" schema s.json
    jq '.columns[0] |= {name, role: "ignore"} | .columns[1].role = "feature"' s.json >t.json
    refuses 4 "column \"age\": kind: must be numeric or categorical (replace every \"?\")" schema t.json
    jq '.columns[1].kind = "numeric"' t.json >u.json
    refuses 4 "column \"age\": lower and upper are needed" schema u.json
    head -1 people.csv >header.csv
    cmp <("$DP2DP" schema --draft-from header.csv) <("$DP2DP" schema --draft-from - <people.csv)
}

@test "a skeleton leaves out columns without a name, and does not take values for names" {
    printf ',age,sex\n0,1,F\n' >pandas.csv
    answers schema --draft-from pandas.csv
    holds '.columns | map(.name) == ["age", "sex"]'
    printf 'SECRET,20\nx,30\n' >values.csv
    refuses 4 "cannot read the names of the columns of values.csv; the first line must hold the column names" \
        schema --draft-from values.csv
    [[ "$output" != *SECRET* ]]
    answers schema --draft-from values.csv --no-header
    holds '.columns | map(.name) == ["0", "1"]'
    printf 'age;sex\n1;F\n' >semicolons.csv
    refuses 4 "the first line seems to be separated by semicolons" schema --draft-from semicolons.csv
    answers schema --draft-from semicolons.csv --separator ";"
    holds '.columns | map(.name) == ["age", "sex"]'
    printf 'a,a\n1,2\n' >twice.csv
    refuses 4 "several columns are named \"a\"" schema --draft-from twice.csv
}

@test "misspelled roles, kinds and members are answered with what was meant" {
    local case
    for case in sensative:sensitive Lable:label target:label group:sensitive id:ignore date:ignore \
        numerc:numeric float:numeric text:categorical dorp:drop log:log1p; do
        refuses 2 "'${case%:*}' of \"a\" is unknown or not allowed here; did you mean ${case#*:}?" \
            schema --columns "a:${case%:*}"
    done
    answers schema --columns 'a:0:1,s:sensitive:x|y,i:ignore' --out s.json
    for case in 'role:sensitive:sensative:role: must be feature, label, sensitive or ignore (did you mean sensitive?)' \
        'kind:numeric:float:kind: must be numeric or categorical (did you mean numeric?)' \
        'kind:numeric:date:kind: must be numeric or categorical (did you mean the role ignore?)' \
        'origin:public:pubic:origin: must be public or from-data (did you mean public?)'; do
        IFS=: read -r key right wrong words <<<"$case"
        sed "s/\"$key\": \"$right\"/\"$key\": \"$wrong\"/" s.json >bad.json
        refuses 4 "$words" schema bad.json
    done
    for case in lower:min:lower upper:uper:upper lower:bounds:"lower and upper" levels:categories:levels \
        columns:colums:columns; do
        IFS=: read -r right wrong words <<<"$case"
        sed "s/\"$right\":/\"$wrong\":/" s.json >bad.json
        refuses 4 "$wrong: unknown member of a" schema bad.json
        refuses 4 " (did you mean $words?): bad.json" schema bad.json
    done
}

@test "an id or a date is ignored by its role, and is not read" {
    printf '%s\n' 'id,when,age,sex,y' 'a7,2020-01-31,20,F,no' 'b8,not a date,30,M,yes' >t.csv
    answers schema --columns "id:ignore,when:ignore,age:0:50,sex:sensitive:F|M,y:label:no|yes" --out s.json
    output=$(<s.json)
    holds '.columns[:2] == [{name: "id", role: "ignore"}, {name: "when", role: "ignore"}]'
    answers schema s.json
    says "id ignore not read when ignore not read"
    answers train t.csv --schema s.json --method none --out c.json
    cut -d, -f3- t.csv >without.csv
    answers train without.csv --schema s.json --method none --out d.json
    refuses 2 "\"id\" has the role ignore, so leave out its bounds, levels and other words" schema --columns "id:ignore:0:9"
}

@test "several sensitive columns make one group of every combination" {
    answers schema --columns "age:0:50,sex:sensitive:F|M,race:sensitive:a|b|c,y:label:no|yes" --out s.json
    answers schema s.json
    says "groups 6: F × a, F × b, F × c, M × a, M × b, M × c"
    awk 'BEGIN { print "age,race,sex,y"; for (i = 0; i < 60; i++)
        printf "%d,%s,%s,%s\n", i % 50, substr("abc", i % 3 + 1, 1), i % 2 ? "F" : "M", i % 5 ? "no" : "yes" }' >t.csv
    answers train t.csv --schema s.json --method none --out c.json
    answers fit t.csv --model c.json --solver exact --out f.json --json
    answers show f.json --json
    holds '[.. | objects | .groups? // empty | select(type == "array" and length == 6)] | length > 0'
    answers schema --columns "age:0:50,sex:sensitive,race:sensitive,y:label" --draft-from t.csv --out found.json
    answers schema found.json
    says "groups 6: F × a, F × b, F × c, M × a, M × b, M × c"
}

@test "names from a file reach the terminal without control characters" {
    answers schema --columns 'a:0:1,g:sensitive:x|y' --out s.json
    sed -i 's/"a"/"a\\u001b[31m"/; s/"x"/"x\\u0007"/; s/"y"/"\\u009by"/' s.json
    answers schema s.json
    [[ "$output" != *$'\033'* && "$output" != *$'\a'* && "$output" != *$'\xc2\x9b'* ]]
}

@test "a text that is not UTF-8 does not become another one" {
    refuses 2 "--columns is not UTF-8 text" schema --columns $'gr\xf6sse:1:2'
    refuses 2 "--name is not UTF-8 text" schema --columns a:1:2 --name $'\xc3'
    refuses 2 "--missing is not UTF-8 text" schema --columns a:1:2 --missing $'?,\xed\xa0\x80'
    answers schema --columns 'größe:1:2,s:sensitive:ä|😀' --name 'é' --missing '∅'
    holds '.columns[0].name == "größe" and .name == "é" and .missing == ["∅"]'
}

@test "a semicolon between columns is named" {
    local columns
    for columns in "age:18:100;sex:sensitive:F|M" "sex:sensitive:F|M;age:18:100" "s:sensitive:F|M;y:label:0|1"; do
        refuses 2 "--columns: '$columns' is not one column: separate columns by ',' instead of ';'" schema --columns "$columns"
    done
    # It is allowed in names and levels, and another mistake is still named.
    answers schema --columns 'a;b:1:2,c:x;y|z'
    holds '.columns[0].name == "a;b" and .columns[1].levels == ["x;y", "z"]'
    refuses 2 "'wrong' of \"c\" is unknown" schema --columns 'c:wrong:x;y|z'
}

@test "the line of kind can be deleted from a skeleton" {
    printf 'id,age\n1,20\n' >t.csv
    answers schema --draft-from t.csv --out s.json
    says 'delete the line "kind" of a column that you ignore'
    sed -i '0,/"kind"/{/"kind"/d}; 0,/"role": "?"/s//"role": "ignore"/; s/"kind": "?"/"kind": "numeric", "lower": 0, "upper": 99/
        s/"role": "?"/"role": "feature"/; s/"origin": "?"/"origin": "public"/' s.json
    answers schema s.json
}

@test "check counts what the schema finds in a table, and says that this is not private" {
    answers schema --columns "age:0:50,job:clerk|smith:drop,kind:0|1,sex:sensitive:F|M,y:label:no|yes,id:ignore" \
        --missing "?" --out s.json
    printf '%s\n' id,age,job,kind,sex,y 1,20,clerk,1.0,F,no 2,70,smith,01,M,yes 3,-1,?,5,X,no 4,30,baker,0,F,yes >t.csv
    answers schema check s.json t.csv
    says "NOT PRIVATE: these are plain counts of rows" "all 4 kept 3 left out 1 refused 0" \
        "age 2 outside 0 to 50: clipped" "job 1 missing: the row is left out 1 unknown: a separate level" \
        "kind 1 unknown: a separate level" "sex 1 unknown: REFUSED" "Nothing to report in 1 column." \
        "The table can be read with this schema."
    answers schema check s.json t.csv --json
    holds '.private == false and .schema == "s.json" and .table == "t.csv"'
    holds '[.rows, .kept, .left_out, .refused] == [4, 3, 1, 0]'
    holds '.columns | map(.name) == ["age", "job", "kind", "sex", "y"]'
    holds '.columns[1] == {name: "job", role: "feature", unknown: 1, clipped: 0, missing: 1, left_out: 1, refused: 0}'
    holds '.columns[3] == {name: "sex", role: "sensitive", unknown: 1, clipped: 0, missing: 0, left_out: 0, refused: 1}'
    answers train t.csv --schema s.json --method none --out c.json # it can be read indeed
    # The row with the unknown group is no longer left out, so it is refused; the answer is still one.
    sed 's/?/smith/' t.csv >refused.csv
    answers schema check s.json refused.csv
    says "left out 0 refused 1" "The whole table would be refused, because of the rows counted as refused"
    sed 's/,/;/g' t.csv >semicolons.csv
    answers schema check s.json semicolons.csv --separator ";" --missing baker --json
    holds '.columns[1].missing == 2 and .kept == 2 and .left_out == 2'
}

@test "check takes built-in schemas" {
    [ -n "${DP2DP_DATA:-}" ] || skip "needs DP2DP_DATA"
    answers data adult --out adult.csv
    answers schema check adult adult.csv --json
    holds '[.rows, .kept, .left_out, .refused] == [48842, 45222, 3620, 0]'
}

@test "check refuses what it cannot use" {
    answers schema --columns "age:0:50,y:label:no|yes" --out s.json
    printf 'age,y\n20,no\nold,yes\n' >t.csv
    refuses 2 "SCHEMA is missing: dp2dp schema check SCHEMA TABLE" schema check
    refuses 2 "TABLE is missing: dp2dp schema check SCHEMA TABLE" schema check s.json
    refuses 2 "only one TABLE is allowed: unexpected argument 'x'" schema check s.json t.csv x
    refuses 4 "it looks like a table: t.csv; the order is SCHEMA TABLE" schema check t.csv s.json
    refuses 4 "it looks like a table: t.csv; the order is SCHEMA TABLE" schema check t.csv adult
    refuses 4 "it looks like a table: t.csv; dp2dp schema --columns drafts a schema" schema check t.csv t.csv
    refuses 2 "--out cannot be used with schema check" schema check s.json t.csv --json --out x.json
    refuses 2 "unexpected argument 't.csv'; to check a table: dp2dp schema check SCHEMA TABLE" schema s.json t.csv
    refuses 1 "No such file" schema check s.json absent.csv
    refuses 4 'line 3, column "age": not a number' schema check s.json t.csv
}
