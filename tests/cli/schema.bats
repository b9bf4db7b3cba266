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
    refuses 4 "version: 2.0 is newer than 1, the newest major version that this library reads: bad.json" schema bad.json
    echo "${text/\"workclass\"/\"age\"}" >bad.json
    refuses 4 "columns: \"age\" occurs twice: bad.json" schema bad.json
    echo "${text/\"norm\"/\"nrom\"}" >bad.json
    refuses 4 "nrom: unknown member of a schema" schema bad.json
    head -c 300 s.json >bad.json
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

@test "a draft that is not complete is refused" {
    table >people.csv
    refuses 2 "give \"job\" either two bounds, or levels, or cut points; --draft-from TABLE finds them" schema --columns age:0:9,job
    refuses 2 "needs two bounds, or levels, or cut points" schema --columns age:17
    refuses 2 "'x' of \"age\" is unknown or not allowed here: expected a role" schema --columns age:x
    refuses 2 "a numeric column has bounds or cut points" schema --columns "a:numeric:x|y"
    refuses 2 "a name is empty" schema --columns ":0:1"
    refuses 4 "\"a\" occurs twice" schema --columns a:0:1,a:0:2
    refuses 2 "--draft-from is not needed" schema --columns age:0:9 --draft-from people.csv
    refuses 4 "no column is named \"agee\"; the nearest name is \"age\"" \
        schema --columns agee --draft-from people.csv
    refuses 4 "column \"job\" has values that are not numbers" \
        schema --columns job:numeric --draft-from people.csv
    refuses 2 "give either a SCHEMA to show, or --columns" schema
    refuses 2 "give either a SCHEMA to show, or --columns" schema adult --columns a:0:1
    refuses 2 "--missing needs --columns" schema adult --missing NA
    refuses 2 "--out needs --json or --columns" schema adult --out s.json
    [ ! -e s.json ]
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
    refuses 2 "one TABLE at most: unexpected argument 'x'" schema check s.json t.csv x
    refuses 2 "--out cannot be used with schema check" schema check s.json t.csv --json --out x.json
    refuses 2 "unexpected argument 't.csv'; to check a table: dp2dp schema check SCHEMA TABLE" schema s.json t.csv
    refuses 1 "No such file" schema check s.json absent.csv
    refuses 4 'line 3, column "age": not a number' schema check s.json t.csv
}
