#!/usr/bin/env bats
# `dp2dp data`: lists, verifies, downloads and joins. Tests that need the files are skipped unless DP2DP_DATA
# names their folder; no test needs the network.
load helpers

needs_data() {
    [ -n "${DP2DP_DATA:-}" ] || skip "needs DP2DP_DATA"
}

# fakes NAME BODY: writes bin/NAME, a script that stands for a program.
fakes() {
    mkdir -p bin
    printf '#!/bin/bash\n%s\n' "$2" >"bin/$1"
    chmod +x "bin/$1"
}

@test "the sets are listed, with where they are looked for" {
    DP2DP_DATA= answers data
    says "no folder of data sets is given: name it with --data-dir or in the environment variable DP2DP_DATA" \
        "adult" "credit" "parkinsons" "absent adult/adult.data"
    DP2DP_DATA=/nowhere answers data
    says "/nowhere" "absent credit/default_of_credit_card_clients.csv"
    answers data --data-dir . --json
    holds '.folder == "." and (.sets | map(.name)) == ["adult", "credit", "parkinsons"]'
    holds '.sets[0].files | length == 3 and all(.state == "absent" and (.sha256 | length) == 64)'
}

@test "a name that is none, and no place to look, are usage errors" {
    refuses 2 "no data set is called 'adlt'; did you mean adult" data adlt --data-dir .
    DP2DP_DATA= refuses 2 "--data-dir or in the environment variable DP2DP_DATA" data adult
    refuses 2 "--download, --out and --complete need the NAME of a data set" data --download
    refuses 1 "file not found: ./adult/adult.data; download it with dp2dp data adult --data-dir DIR --download" data adult --data-dir .
    refuses 1 "the archive has only a spreadsheet" data credit --data-dir .
    refuses 1 "cannot be downloaded: the archive has only a spreadsheet" data credit --data-dir . --download
}

@test "a file with wrong checksum is refused" {
    mkdir -p data/parkinsons
    echo "subject#,age" >data/parkinsons/parkinsons_updrs.data
    refuses 4 "data/parkinsons/parkinsons_updrs.data: wrong SHA-256, so this is not the published file of the data set" \
        data parkinsons --data-dir data
    refuses 4 "wrong SHA-256, so this is not the published file of the data set" data parkinsons --data-dir data --out t.csv
    [ ! -e t.csv ]
    answers data --data-dir data
    says "WRONG parkinsons/parkinsons_updrs.data"
}

@test "a download with wrong checksum is not kept" {
    fakes curl 'while [ "$1" != --output ]; do shift; done; echo "wrong bytes" >"$2"'
    PATH=$PWD/bin refuses 4 "has the wrong SHA-256 and was not kept: https://" \
        data adult --data-dir data --download
    [ -z "$(find data -type f)" ]
}

@test "a download that fails, and no downloader, are told apart" {
    fakes curl 'echo "no route" >&2; exit 7'
    PATH=$PWD/bin refuses 1 "the download failed: https://archive.ics.uci.edu/" \
        data adult --data-dir data --download
    [[ "$stderr" == *"no route"* ]]
    [ -z "$(find data -type f)" ]
    rm bin/curl
    PATH=$PWD/bin refuses 1 "neither curl nor wget is on the PATH; download the file by hand: https://" \
        data adult --data-dir data --download
}

@test "what is downloaded is verified and put in place, by wget where there is no curl" {
    needs_data
    fakes wget 'while [ "$1" != -O ]; do shift; done
        exec /bin/cp "'"$DP2DP_DATA"'/parkinsons/${4##*/}" "$2"'
    PATH=$PWD/bin answers data parkinsons --data-dir new --download --json
    holds '.rows == 5875 and (.files | all(.state == "verified"))'
    cmp new/parkinsons/parkinsons_updrs.data "$DP2DP_DATA/parkinsons/parkinsons_updrs.data"
    [ "$(find new -type f | wc -l)" -eq 2 ]
}

@test "adult has 45,222 complete rows, credit 30,000 and parkinsons 5,875, with the shares that their pages say" {
    needs_data
    answers data adult --json
    holds '.rows == 45222 and .table_rows == 48842 and .features == 102 and .private == false'
    holds '.groups == ["Female", "Male"] and .classes == ["<=50K", ">50K"]'
    holds '.counts == [[13026, 1669], [20988, 9539]] and (.files | all(.state == "verified"))'
    answers data credit --json
    holds '.rows == 30000 and .table_rows == 30000 and .features == 85'
    holds '.groups == ["male", "female"] and .classes == ["pays", "defaults"]'
    holds '.counts == [[9015, 2873], [14349, 3763]]'
    answers data parkinsons --json
    holds '.rows == 5875 and .table_rows == 5875 and .features == 19'
    holds '.groups == ["male", "female"] and .classes == ["<= 27.576", "> 27.576"]'
    holds '.counts == [[1945, 2063], [996, 871]]'
}

@test "a set is joined into one table, rows as they are" {
    needs_data
    answers data adult --out adult.csv
    [ "$output" = "48842 rows, written to adult.csv" ]
    [ "$(wc -l <adult.csv)" -eq 48843 ]
    [ "$(head -n 1 adult.csv | tr ',' '\n' | wc -l)" -eq 15 ]
    cmp <(tail -n +2 adult.csv | head -n 32561) <(head -n 32561 "$DP2DP_DATA/adult/adult.data")
    cmp <(tail -n 16281 adult.csv) <(tail -n +2 "$DP2DP_DATA/adult/adult.test" | head -n 16281)
    answers data parkinsons --out -
    # The last line of the file has no newline.
    cmp <(echo "$output") <(cat "$DP2DP_DATA/parkinsons/parkinsons_updrs.data" && echo)
}

@test "shares are printed as such, and as not private" {
    needs_data
    answers data adult
    says "45222 of 48842 in the files" "NOT PRIVATE" "Female 0.2880 0.0369" "Male 0.4641 0.2109"
    [ -z "$(ls -A)" ]
}

@test "the complete rows are those without a gap, as they are" {
    needs_data
    answers data adult --out adult.csv
    answers data adult --complete --out complete.csv
    [ "$output" = "45222 complete rows, written to complete.csv" ]
    cmp complete.csv <(grep -v '?' adult.csv)
    answers data adult --complete --out complete.csv --force --json
    holds '.table_rows == 45222 and .complete and .out == "complete.csv"'
    answers data parkinsons --complete --out - # nothing is missing
    cmp <(echo "$output") <(cat "$DP2DP_DATA/parkinsons/parkinsons_updrs.data" && echo)
    refuses 2 "--complete needs --out FILE" data adult --complete
    [[ "$(ls -A | sort | xargs)" = "adult.csv complete.csv" ]]
}
