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

@test "score columns with other names than the model's are restated" {
    local said="q is the score of no, r is the score of yes" own="p_no is the score of no, p_yes is the score of yes"
    people 2000 1 >pool.csv
    people 2000 2 >held.csv
    sed '1s/p_no/q/; 1s/p_yes/r/' held.csv >other.csv
    fits "${private[@]}" --out m.json
    answers predict m.json other.csv --scores q,r --out d.csv
    says "$said" "in the model" "$own"
    answers evaluate m.json other.csv --scores q,r
    says "$said" "$own"
    answers certify m.json other.csv --scores q,r "${private[@]}"
    says "$said" "$own"
    answers predict m.json held.csv --scores p_no,p_yes --out d.csv --force
    [[ "$output" != *"is the score of"* ]]
}

@test "a fit from scores says that its people should not be those of the classifier" {
    local said="that nobody in this table was among those the classifier was trained on; otherwise the rule is learned on scores that look better than they are for other people"
    people 2000 1 >pool.csv
    fits "${private[@]}" --out m.json
    says "$said"
    answers fit pool.csv "${scored[@]}" "${private[@]}" --scores-from-pool --out p.json
    [[ "$output" != *"look better"* ]]
    fits "${private[@]}" --scores-epsilon 0 --scores-delta 0 --out n.json
    says "that nobody's data were used for the classifier: that is what --scores-epsilon 0 states. If it was trained without privacy, leave --scores-epsilon and --scores-delta out"
    [[ "$output" != *"look better"* ]]
    fits "${private[@]}" --scores-epsilon 1 --scores-delta 1e-6 --out o.json
    [[ "$output" != *"nobody's data"* ]]
    answers show o.json
    says "epsilon 1, which the user stated and nobody checked"
}

@test "a fit whose options are refused says nothing about its names" {
    local given=(fit pool.csv --scores p_no,p_yes --sensitive sex --groups no,yes --classes no,yes "${private[@]}" --out m.json)
    separately "$DP2DP" "${given[@]}" --dither-seed 3
    [[ "$status" = 2 && "$stderr" == "dp2dp fit: --dither-seed needs --dither W"* ]]
    separately "$DP2DP" "${given[@]}"
    [[ "$stderr" == *note* ]]
}

@test "adjusted scores of a rule are said to be no probabilities" {
    local said="These numbers are not probabilities: do not give them to fit, predict or export again"
    people 2000 1 >pool.csv
    fits "${private[@]}" --out m.json
    answers predict m.json pool.csv --adjusted --out a.csv
    says "the offsets of the rule are already subtracted. $said"
    answers predict m.json pool.csv --out d.csv
    [[ "$output" != *"$said"* ]]
}

@test "train names the columns it predicts and the order of their classes and groups" {
    synthetic 2000 1 >raw.csv
    answers train raw.csv --schema s.json "${private[@]}" --out c.json
    says "y, in this order: 0, 1, 2"
    [[ "$output" != *"s, in this order"* ]]
    answers train raw.csv --schema s.json "${private[@]}" --target group --out g.json
    says "s, in this order: -1, 1"
    [[ "$output" != *"y, in this order"* ]]
    "$DP2DP" schema --columns 'x1:-4:4,y:label:no|yes' --out two.json
    printf '1,0.5\n' >w.csv
    answers train --schema two.json --method external --weights w.csv --out e.json
    says "y, in this order: no, yes" "one row, for yes; the weights for no are 0"
    printf '0,0\n1,0.5\n' >w.csv
    answers train --schema two.json --method external --weights w.csv --out e.json --force
    [[ "$output" != *"one row"* ]]
}

@test "left-out records may lack a value that the schema drops, and their number is known with noise" {
    local dropped="Or do they lack a value in a column with the policy drop for missing values?"
    synthetic 4000 1 >full.csv
    jq '(.columns[0].missing) = "drop" | .missing = ["?"]' s.json >drops.json
    awk -F, -v OFS=, 'NR > 1 && NR % 4 == 0 { $1 = "?" } 1' full.csv >gaps.csv
    answers train full.csv --schema drops.json --method none --out c.json
    answers fit gaps.csv --model c.json "${private[@]}" --out m.json
    says "were left out. Is every group in the list of groups" "$dropped"
    answers certify m.json gaps.csv "${private[@]}"
    says "the bound does not cover about" "$dropped" "How many they are is known only with noise"
    [[ "$output" != *"is private."* && "$output" != *"number of these people is private"* ]]
    answers train full.csv --schema s.json --method none --out c.json --force
    sed '2,1001s/^[^,]*/?/' full.csv >bad.csv
    answers fit bad.csv --model c.json "${private[@]}" --bad-rows ignore --out m.json --force
    says "were left out. Is every group in the list of groups"
    [[ "$output" != *"policy drop"* ]]
}
