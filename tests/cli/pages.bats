#!/usr/bin/env bats
# Commands that the pages of docs print, where no other test follows a whole page.
load helpers

begin() {
    [ -n "${DP2DP_SOURCE_DIR:-}" ] || skip "needs the pages"
    people 1000 1 >pool.csv
}

@test "the accountant's commands of guarantee.md run as printed" {
    block guarantee "dp2dp account --mechanism gaussian" >commands
    runs_as_printed 2 commands
    [ "$(grep -c epsilon <<<"$output")" -ge 2 ]
}

@test "twelve fits cost what ledger.md says" {
    block ledger "dp2dp calibrate" >commands
    runs_as_printed 2 commands
    says 25.8466 0.2577
}

@test "the command of ledger.md prints the hash of every entry" {
    fits "${private[@]}" --ledger people.ledger.json --out model.json
    block ledger sha256sum >commands
    diff <(bash -euo pipefail commands | cut -d' ' -f1) \
        <(jq -r '.entries[].hash' people.ledger.json)
    [ "$(jq '.entries | length' people.ledger.json)" -ge 2 ]
}

@test "both ways of model.md find the checksum" {
    fits "${private[@]}" --out model.json
    block model "| sha256sum" >commands
    [ "$(bash -euo pipefail commands | cut -d' ' -f1)" = "$(jq -r .checksum model.json)" ]
    block model hashlib >check.py
    [ "$(python3 check.py model.json)" = True ]
    sed -i 's/"records": *1000/"records": 1001/' model.json
    [ "$(python3 check.py model.json)" = False ]
}

@test "the commands of report.md run as printed" {
    fits "${private[@]}" --out model.json
    people 1000 2 >test.csv
    answers certify model.json test.csv "${private[@]}" --out certificate.json
    local command
    block report "dp2dp report model.json --out report.html" >all
    [ "$(wc -l <all)" -eq 3 ]
    while read -r command; do
        echo "$command" >commands
        rm -f report.html
        runs_as_printed 1 commands
        grep -q "</html>" report.html
    done <all
}

@test "the commands of schema.md run as printed" {
    printf 'age,sex,job,y\n20,F,clerk,no\n60,M,smith,yes\n' >people.csv
    "$DP2DP" schema --columns "age:17:90,sex:sensitive:F|M,job:clerk|smith,y:label:no|yes" --out made.json >/dev/null
    local command
    block schema "dp2dp schema adult" >all
    [ "$(grep -c "^dp2dp schema" all)" -eq 7 ]
    while read -r command; do
        echo "$command" >commands
        rm -f my.schema.json
        [[ "$command" == *--out* ]] || cp made.json my.schema.json
        runs_as_printed 1 commands
    done <all
}
