#!/usr/bin/env bats
# Every verb that reads tables refuses a malformed one with exit code 4. The message names file, line and
# column, never a value; existing files stay as they were.
load helpers

# A good table, a model fitted on it, and an older output.
begin() {
    good >pool.csv
    "$DP2DP" fit pool.csv --scores a,b --sensitive s --groups F,M --solver exact --out model.json >/dev/null
    cp model.json model.before
    echo before >out.csv
}

good() {
    printf 'a,b,s,y\n.25,.75,F,1\n.5,.5,M,0\n.125,.875,F,1\n1,0,M,0\n'
}

# all_refuse WORDS TABLE: every verb that reads rows refuses TABLE with WORDS, and changes no file.
all_refuse() {
    local words=$1 table=$2
    refuses 4 "$words" fit "$table" --scores a,b --sensitive s --groups F,M "${private[@]}" --ledger l.json --force --out model.json
    refuses 4 "$words" predict model.json "$table" --force --out out.csv
    refuses 4 "$words" predict model.json "$table"
    refuses 4 "$words" evaluate model.json "$table" --label y
    refuses 4 "$words" certify model.json "$table" --epsilon 1 --delta 1e-5 --ledger l.json
    refuses 4 "$words" schema --columns a,b,s:sensitive,y:label --draft-from "$table" --force --out out.json
    stays_as_it_was
}

stays_as_it_was() {
    cmp model.json model.before
    [ "$(cat out.csv)" = before ]
    [ ! -e out.json ]
    [ ! -e l.json ]
    [ -z "$(find . -name '.*.tmp' -o -name '*.lock')" ]
}

@test "the good table alone is good" {
    good >good.csv
    answers predict model.json good.csv
    answers evaluate model.json good.csv --label y
    answers schema --columns a,b,s:sensitive,y:label --draft-from good.csv
}

@test "a row with fewer or more fields" {
    { good; echo '.5,.5,F'; } >bad.csv
    all_refuse "line 6: fewer fields than the first line: bad.csv" bad.csv
    { good; echo '.5,.5,F,1,'; } >bad.csv
    all_refuse "line 6: more fields than the first line: bad.csv" bad.csv
    { good; echo; good | tail -n 1; } >bad.csv
    all_refuse "line 6: " bad.csv
}

@test "a quote that is not closed, and one in the wrong place" {
    { good; printf '.5,.5,"F,1\n'; good; } >bad.csv
    all_refuse "line 6: a quote is opened and never closed: bad.csv" bad.csv
    { good; printf '.5,.5,"F"x,1\n'; } >bad.csv
    all_refuse 'line 6, column "s": text after a closing quote: bad.csv' bad.csv
}

@test "a NUL byte, also in a column that nobody reads" {
    { good; printf '.5,.5,F\0,1\n'; } >bad.csv
    all_refuse 'line 6, column "s": a NUL byte' bad.csv
    printf 'a,b,s,y,z\n.5,.5,F,1,\n.5,.5,F,1,\0\n' >bad.csv
    all_refuse 'line 3, column "z": a NUL byte' bad.csv
    good | iconv -f UTF-8 -t UTF-16 >bad.csv
    all_refuse "bad.csv" bad.csv
}

@test "a file of another program is named, and the message says what to do" {
    printf 'PAR1\x15\x04' >bad.csv
    all_refuse "the file is a Parquet file: bad.csv; rename it so that its name ends in .parquet" bad.csv
    printf 'SQLite format 3\0\x10' >bad.csv
    all_refuse "the file is an SQLite database: bad.csv; save the table as CSV" bad.csv
    printf 'ARROW1\0\0' >bad.csv
    all_refuse "the file is an Arrow file (Feather): bad.csv; save the table" bad.csv
    printf '\x89HDF\r\n\x1a\n' >bad.csv
    all_refuse "the file is an HDF5 file: bad.csv" bad.csv
    printf '\xfd7zXZ\0\0' >bad.csv
    all_refuse "the file is compressed with xz: bad.csv; decompress it" bad.csv
    printf 'BZh91AY&SY\x01' >bad.csv
    all_refuse "the file is compressed with bzip2: bad.csv; decompress it" bad.csv
    printf '\x80\x05\x95\x03\0\0' >bad.csv
    all_refuse "the file is a pickle of Python: bad.csv; save the table as CSV or Parquet" bad.csv
}

@test "a header that begins like the file of another program is a header" {
    { printf 'PAR1,BZh9,'; good; } | sed '2,$s/^/1,2,/' >odd.csv
    answers predict model.json odd.csv
    sed 's/PAR1,BZh9/BZh91AY,ORC/' odd.csv >odder.csv
    answers predict model.json odder.csv
}

# fields N: a line with N fields.
fields() {
    head -c "$1" /dev/zero | tr '\0' ',' | sed 's/,/1,/g;s/,$//'
    echo
}

@test "a line of a million columns" {
    { good; fields 1000000; } >bad.csv
    all_refuse "line 6: more fields than the first line: bad.csv" bad.csv
    fields 1000000 >bad.csv
    refuses 4 'no column is named "a"' predict model.json bad.csv --force --out out.csv
    { printf 'a,b,s,y,'; fields 1000000; printf '.5,.5,F,1,'; fields 1000000; } >wide.csv
    answers predict model.json wide.csv
    [ "$(wc -l <<<"$output")" = 2 ]
    { cat wide.csv; printf '.5,.5,F,1,'; fields 999999; } >bad.csv
    refuses 4 "line 3: fewer fields than the first line: bad.csv" predict model.json bad.csv --force --out out.csv
    stays_as_it_was
}

@test "a number that overflows, while one that underflows is 0" {
    local number verb
    for number in 1e999 -1e400 1.8e308 "$(printf '9%.0s' {1..400})"; do
        { good; echo "$number,0,F,1"; } >bad.csv
        for verb in predict evaluate; do
            refuses 4 'line 6, column "a": a number beyond the range of float64: bad.csv' \
                "$verb" model.json bad.csv
        done
        [[ "$stderr" != *"$number"* ]]
        refuses 4 'column "a"' schema --columns a:numeric,s:sensitive --draft-from bad.csv --force --out out.json
        [[ "$stderr" != *"$number"* ]]
    done
    stays_as_it_was
    { good; echo '1e-999,1,F,1'; } >good.csv
    answers predict model.json good.csv
}

@test "a group or a label that is none of those declared" {
    { good; echo '.5,.5,X,1'; } >bad.csv
    local words='row 5, column "s": the group is not in the declared list: bad.csv'
    refuses 4 "$words" predict model.json bad.csv --force --out out.csv
    refuses 4 "$words" evaluate model.json bad.csv
    refuses 4 "$words" certify model.json bad.csv --epsilon 1 --delta 1e-5 --ledger l.json
    [[ "$stderr" != *X* ]]
    { good; echo '.5,.5,F,7'; } >bad.csv
    refuses 4 'row 5, column "y": the label is not in the declared list: bad.csv' \
        evaluate model.json bad.csv --label y
    { good; echo '.5,.5,F,'; } >bad.csv
    refuses 4 'row 5, column "y": the label is empty' evaluate model.json bad.csv --label y
    refuses 4 'row 5, column "y": the value is missing: bad.csv' \
        evaluate model.json bad.csv --label y --missing '""'
    stays_as_it_was
}

@test "a column of labels that is not there" {
    cut -d, -f1-3 pool.csv >bad.csv
    refuses 4 'no column is named "y"' evaluate model.json bad.csv --label y
    refuses 4 'no column is named "y"' schema --columns s:sensitive,y:label --draft-from bad.csv --force --out out.json
    stays_as_it_was
}

@test "a column named twice, where it is asked for" {
    { echo 'a,b,s,y,a'; echo '.5,.5,F,1,1'; } >bad.csv
    all_refuse 'several columns are named "a": bad.csv' bad.csv
    { echo 'a,b,s,y,x,x'; echo '.5,.5,F,1,1,1'; } >good.csv
    answers predict model.json good.csv
}

# labelled ROW...: eight rows for the schema my.json and then these rows: the first of these is row 9.
labelled() {
    echo age,job,s,y
    printf '%s,a,F,no\n%s,b,M,yes\n' 10 20 30 40 50 60 70 80
    [ $# -eq 0 ] || printf '%s\n' "$@"
}

begin_labelled() {
    "$DP2DP" schema --columns 'age:0:100,job:a|b,s:sensitive:F|M,y:label:no|yes' |
        jq '.columns[1].unknown = "refuse"' >my.json
    labelled >good.csv
    answers train good.csv --schema my.json --method none --force --out model.json
    cp model.json model.before
    echo before >out.csv
}

# train_refuses WORDS OPTION...: train refuses bad.csv with WORDS and charges nothing.
train_refuses() {
    local words=$1
    shift
    refuses 4 "$words" train bad.csv --schema my.json "${private[@]}" --ledger l.json --force --out model.json "$@"
    [ ! -e l.json ] || jq -e '.entries == []' l.json
    rm -f l.json l.json.lock
    stays_as_it_was
}

@test "rows that a schema does not take" {
    begin_labelled
    labelled 5,c,F,no >bad.csv
    train_refuses "row 9, column \"job\": the text is not in the schema's list of levels: bad.csv"
    refuses 4 "row 9, column \"job\": the text is not in" predict model.json bad.csv --force --out out.csv
    labelled 5,a,F,maybe >bad.csv
    train_refuses "row 9, column \"y\": the text is not in the schema's list of levels: bad.csv"
    labelled 5,a,F, >bad.csv
    train_refuses 'row 9, column "y": the value is missing: bad.csv' --missing '""'
    labelled 1e999,a,F,no >bad.csv
    train_refuses 'line 10, column "age": a number beyond the range of float64: bad.csv'
    labelled 5,a,F >bad.csv
    train_refuses 'line 10: fewer fields than the first line: bad.csv'
    labelled | cut -d, -f1-3 >bad.csv
    train_refuses 'no column is named "y"'
    { echo age,job,s,y,age; echo 1,a,F,no,1; } >bad.csv
    train_refuses 'several columns are named "age": bad.csv'
    labelled | gzip | head -c -6 >bad.csv
    train_refuses 'the gzip data end early: bad.csv'
}

@test "a schema of another version" {
    begin_labelled
    local change
    cp good.csv bad.csv
    mv my.json right.json
    for change in '.version.major = 2' '.version.major = 0' 'del(.version)' '.format = "dp2dp-shema"'; do
        jq "$change" right.json >my.json
        refuses 4 "my.json" schema my.json
        train_refuses "my.json"
    done
}

@test "gzip and zstd that end early or go on with something else" {
    local cut
    good | gzip >whole
    for cut in 1 4 8 9 20; do
        head -c -$cut whole >bad.csv
        all_refuse "the gzip data end early: bad.csv" bad.csv
    done
    { cat whole; echo more; } >bad.csv
    all_refuse "the gzip data are damaged: bad.csv" bad.csv
    # The output of zstd --check for "a,b,s,y\n.5,.5,F,1\n"
    printf '\x28\xb5\x2f\xfd\x04\x58\x91\x00\x00\x61\x2c\x62\x2c\x73\x2c\x79\x0a\x2e\x35\x2c\x2e\x35\x2c\x46\x2c\x31\x0a\x4b\x53\x44\x90' >whole
    answers predict model.json whole
    for cut in 1 4 5 20; do
        head -c -$cut whole >bad.csv
        all_refuse "the zstd data end early: bad.csv" bad.csv
    done
}

@test "a file that changes while it is read" {
    local pid rc=0
    { good; yes '.5,.5,F,1' | head -n 4000000; } >bad.csv
    # Nothing reads the decisions yet: a full pipe stops the program in the middle of the table.
    mkfifo pipe
    exec 7<>pipe
    "$DP2DP" predict model.json bad.csv >pipe 2>stderr 3>&- 7>&- &
    pid=$!
    waits_for "$pid" read -r -t 0 -u 7
    echo >>bad.csv
    exec 8<pipe # opened before 7 is closed: the pipe must always have a reader
    cat <&8 >decisions 3>&- 7>&- &
    exec 7>&- 8<&-
    wait "$pid" || rc=$?
    [ "$rc" -eq 4 ]
    grep -q "bad.csv" stderr
    grep -q "changed while" stderr
    stays_as_it_was
}

@test "what cannot be read is no fault of the data: exit code 1 and the reason" {
    refuses 1 "Is a directory: ." predict model.json .
    refuses 1 "Input/output error: /proc/self/mem" predict model.json /proc/self/mem --force --out out.csv
    refuses 1 "No such file or directory: none.csv" predict model.json none.csv --force --out out.csv
    stays_as_it_was
}
