#!/usr/bin/env bats
# Tables with other separators, without a header or with missing values: with the right options, every verb
# gives the same result as for the plain table.
load helpers

fit=(fit --groups F,M --classes no,yes --solver exact --force --out model.json)

# The plain tables and their results.
begin() {
    people 200 1 >pool.csv
    people 50 2 >new.csv
    "$DP2DP" "${fit[@]}" pool.csv --scores p_no,p_yes --sensitive sex >/dev/null
    "$DP2DP" predict model.json new.csv >decisions
    "$DP2DP" evaluate model.json new.csv --label y >measured
}

# gives_the_same TABLE OPTION...: TABLE gives the results of new.csv.
gives_the_same() {
    answers predict model.json "$@"
    [ "$output" = "$(cat decisions)" ]
    answers evaluate model.json "$@" --label y
    [ "$output" = "$(cat measured)" ]
    answers certify model.json "$@" --epsilon 5 --delta 1e-3 --insecure-seed 1
}

@test "--separator takes a character, or the word tab" {
    tr , ';' <new.csv >semicolons.csv
    gives_the_same semicolons.csv --separator ';'
    tr , '\t' <new.csv >tabs.tsv
    gives_the_same tabs.tsv --separator tab
    gives_the_same tabs.tsv --separator '\t'
    gives_the_same tabs.tsv --separator $'\t'
    tr , ' ' <new.csv >blanks.csv
    gives_the_same blanks.csv --separator ' '
    cp model.json expected.json
    tr , '|' <pool.csv >bars.csv
    answers "${fit[@]}" bars.csv --scores p_no,p_yes --sensitive sex --separator '|'
    cmp model.json expected.json
}

@test "a separator that is none, or that the table does not have, is refused" {
    refuses 2 "--separator ';;' must be one character" predict model.json new.csv --separator ';;'
    refuses 2 "--separator 'ä' must be one character" predict model.json new.csv --separator ä
    refuses 2 "--separator is an empty string" predict model.json new.csv --separator ''
    for c in a 5 . - + '"' $'\n'; do
        refuses 2 "separator" predict model.json new.csv --separator="$c"
    done
    refuses 4 "the first line seems to be separated by commas: set the separator to ',' (--separator)" predict model.json new.csv --separator ';'
}

@test "--no-header calls the columns 0, 1, ..." {
    tail -n +2 pool.csv >headless.csv
    cp model.json named.json
    answers "${fit[@]}" headless.csv --scores 1,2 --sensitive 3 --no-header
    [ "$(jq -e .rule model.json)" = "$(jq -e .rule named.json | sed 's/"sex"/"3"/;s/"p_no"/"1"/;s/"p_yes"/"2"/')" ]
    tail -n +2 new.csv >new-headless.csv
    answers predict model.json new-headless.csv --no-header
    [ "$output" = "$(cat decisions)" ]
    answers evaluate model.json new-headless.csv --no-header --label 4
    [ "$output" = "$(sed 's/from the column sex/from the column 3/' measured)" ]
    refuses 4 'no column is named "7"' "${fit[@]}" headless.csv --scores 1,7 --sensitive 3 --no-header
    refuses 2 "--no-header takes no value" predict model.json new.csv --no-header=1
}

@test "--skip-lines passes over what comes before the header, and lines are counted from the top" {
    { printf 'made by "hand\n\nx,y\n'; cat new.csv; } >remarks.csv
    gives_the_same remarks.csv --skip-lines 3
    { printf '# a\n'; tr , ';' <new.csv; } >both.csv
    gives_the_same both.csv --skip-lines 1 --separator ';'
    { printf '#\n#\nid,p_no,p_yes,sex,y\n1,x,1,F,yes\n'; } >bad.csv
    refuses 4 'line 4, column "p_no": not a number: bad.csv' predict model.json bad.csv --skip-lines 2
    refuses 4 "the file has no lines after the skipped ones" predict model.json bad.csv --skip-lines 100
    refuses 2 "--skip-lines -1 is below" predict model.json new.csv --skip-lines=-1
    refuses 2 "--skip-lines 1.5 is not a whole number" predict model.json new.csv --skip-lines 1.5
    refuses 2 "is above its bound" predict model.json new.csv --skip-lines 1048577
}

@test "a name that may be a value of a headless table is not offered" {
    printf '# remark\n7;.5;.5;p_bo;yes\n' >bad.csv
    refuses 4 "see --no-header" predict model.json bad.csv --separator ';' --skip-lines 1
    [[ "$stderr" != *p_bo* ]]
    refuses 4 "see --no-header" schema --columns p_no,sex:sensitive --draft-from bad.csv \
        --separator ';' --skip-lines 1
    [[ "$stderr" != *p_bo* ]]
    "$DP2DP" schema --columns 'p_no:0:1,sex:sensitive:F|M,y:label:no|yes' --out my.json
    refuses 4 "see --no-header" train bad.csv --schema my.json --method none --out other.json \
        --separator ';' --skip-lines 1
    [[ "$stderr" != *p_bo* ]]
}

@test "--missing: a score or label that is missing is refused as such, a group may be unknown" {
    printf 'p_no,p_yes,sex,y\n.5,.5,F,no\n.25,.75,NA,yes\n' >na.csv
    refuses 4 'row 2, column "sex": the value is missing: na.csv' predict model.json na.csv --missing NA
    separately "$DP2DP" predict model.json na.csv --missing NA --unknown-group base
    [ "$(tail -n 1 <<<"$output")" = yes ]
    printf 'p_no,p_yes,sex,y\n.5,.5,F,no\n?,.75,F,\n' >na.csv
    refuses 4 'line 3, column "p_no": not a number but a text that looks like a missing value (NA, ?): na.csv' predict model.json na.csv --missing NA
    refuses 4 'row 2, column "p_no": the value is missing: na.csv' predict model.json na.csv --missing 'NA,?'
    printf 'p_no,p_yes,sex,y\n.5,.5,F,no\n.5,.5,F, \n' >na.csv
    refuses 4 'row 2, column "y": the value is missing: na.csv' \
        evaluate model.json na.csv --label y --missing 'NA,""'
    answers evaluate model.json na.csv --missing 'NA,""'
    refuses 4 'column "sex": the value is missing' "${fit[@]}" na.csv --scores p_no,p_yes --sensitive sex --missing F
    refuses 2 "--missing: 'NA' is given twice" predict model.json na.csv --missing NA,NA
    refuses 2 "--missing is an empty string" predict model.json na.csv --missing ''
}

@test "a draft reads a table written otherwise, and keeps the markers" {
    { echo remark; printf '%s;a;F\n' {1..30}; printf 'NA;b;M\n31;-;M\n'; } >people.txt
    answers schema --columns 0:feature,1:categorical,2:sensitive --draft-from people.txt \
        --separator ';' --no-header --skip-lines 1 --missing 'NA,-'
    holds '.missing == ["NA", "-", ""] and .columns[0].kind == "numeric" and .columns[0].upper == 31'
    holds '.columns[1].levels == ["a", "b"] and .columns[1].missing == "level"'
    answers schema --columns 0:feature,1:categorical,2:sensitive --draft-from people.txt \
        --separator ';' --no-header --skip-lines 1 --missing '"",NA,-'
    holds '.missing == ["", "NA", "-"]'
    answers schema --columns 'a:0:1:drop,s:sensitive:F|M' --missing '"",?'
    holds '.origin == "public" and .missing == ["", "?"]'
    for option in --no-header --separator=tab --skip-lines=1; do
        refuses 2 "needs --draft-from" schema adult $option
        refuses 2 "needs --draft-from" schema --columns 'a:0:1,s:sensitive:F|M' $option
    done
    refuses 2 "--missing needs --columns" schema adult --missing NA
}

@test "with a schema, markers of the command line count beside its own" {
    "$DP2DP" schema --columns 'age:0:100:drop,job:a|b,s:sensitive:F|M,y:label:no|yes' --missing '?' --out my.json
    { echo 'age;job;s;y'; printf '%s;a;F;no\n%s;b;M;yes\n' 10 20 30 40 50 60 70 80; echo '?;a;F;no'; } >people.csv
    answers train people.csv --schema my.json --method none --separator ';' --force --out model.json
    says "learned from 9 people"
    echo 'NA;b;M;yes' >>people.csv
    refuses 4 'line 11, column "age": not a number' \
        train people.csv --schema my.json --method none --separator ';' --out other.json
    answers train people.csv --schema my.json --method none --separator ';' --missing NA --out other.json
    says "learned from 10 people"
    answers fit people.csv --model other.json --solver exact --separator ';' --out fair.json
    answers predict fair.json people.csv --separator ';'
    answers evaluate fair.json people.csv --separator ';' --missing NA
    tail -n +2 people.csv | tr ';' '\t' >headless.tsv
    jq '.columns |= [to_entries[] | .value.name = (.key | tostring) | .value]' my.json >numbered.json
    answers train headless.tsv --schema numbered.json --method none --separator tab --no-header \
        --missing NA --out numbered-model.json
    [ "$(jq -e .phase1.weights numbered-model.json)" = "$(jq -e .phase1.weights other.json)" ]
}
