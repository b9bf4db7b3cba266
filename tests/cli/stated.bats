#!/usr/bin/env bats
# What an answer says about how a table was read, so that a wrong column does not stay unseen.
load helpers

begin() {
    people 2000 1 >pool.csv
    people 1500 2 | awk -F, -v OFS=, '{ print $0, NR == 1 ? "interviewer" : NR % 2 ? "F" : "M" }' >test.csv
}

@test "fit, predict, certify and evaluate name the column of the group, and that of the fit if it is another" {
    local other="read from the column interviewer; the rule was learned with the column sex" verb
    fits --solver exact --out model.json
    says "group read from the column sex "
    fits --solver exact --out model.json --json
    holds '.sensitive == "sex"'
    for verb in "predict model.json test.csv --out d.csv --force" "certify model.json test.csv ${private[*]}" \
        "evaluate model.json test.csv"; do
        # shellcheck disable=SC2086 # words
        answers $verb
        says "group read from the column sex "
        # shellcheck disable=SC2086 # words
        answers $verb --sensitive interviewer
        says "$other"
    done
    for verb in "predict model.json test.csv --out d.csv --force" "certify model.json test.csv ${private[*]}"; do
        # shellcheck disable=SC2086 # words
        answers $verb --sensitive interviewer --json
        holds '.sensitive == "interviewer"'
    done
    synthetic 2000 1 >raw.csv
    answers train raw.csv --schema s.json --method none --out c.json
    answers fit raw.csv --model c.json --solver exact --same-people --out raw.json
    says "group read from the column s "
    answers predict raw.json raw.csv --out d.csv --force --json
    holds '.sensitive == "s"'
    answers predict c.json raw.csv --out d.csv --force --json
    holds '.sensitive == null'
}

@test "train --method external says what its weights apply to" {
    local weights='apply to the features as the schema encodes them: numbers clipped, centred and scaled'
    answers schema --columns 'age:18:90,sex:sensitive:F|M,y:label:no|yes' --out s.json
    echo 1,0 >w.csv
    answers train --schema s.json --method external --weights w.csv --out c.json
    says "$weights"
    answers train --help
    says "Weights apply to the features as the schema encodes them: numbers clipped, centred and scaled"
}

@test "train tells before it charges that the fit will refuse a group" {
    local note="Note: in 3 of 200 rows the value of a sensitive column is missing or not in the schema's list."
    answers schema --columns 'p_yes:0:1,sex:sensitive:F|M,y:label:no|yes' --out s.json
    people 200 1 | awk -F, -v OFS=, 'NR == 5 || NR == 7 { $4 = "Female" } NR == 9 { $4 = "" } 1' >odd.csv
    people 200 1 >good.csv
    separately "$DP2DP" train odd.csv --schema s.json "${private[@]}" --out c.json
    [[ "$status" = 0 && "$stderr" == "$note"*"do not publish the "* && "$output$(<c.json)" != *"sensitive column is missing"* ]]
    separately "$DP2DP" train odd.csv --schema s.json "${private[@]}" --dry-run
    [[ "$status" = 0 && "$stderr" == "$note"* ]]
    separately "$DP2DP" train odd.csv --schema s.json "${private[@]}" --out c.json --force --bad-rows ignore
    [[ "$status" = 0 && -z "$stderr" ]]
    answers train good.csv --schema s.json "${private[@]}" --out c.json --force
    cut -d, -f3,5 odd.csv >nobody.csv
    answers train nobody.csv --schema s.json "${private[@]}" --out c.json --force
    answers train - --schema s.json "${private[@]}" --out c.json --force <odd.csv
}
