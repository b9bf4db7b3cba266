#!/usr/bin/env bats
# Criteria beyond demographic parity, and rules that do not see the group: fit, predict, evaluate, certify, show.
load helpers

# A table with group scores g0, g1, scores of group and label e00 .. e11, and ids.
begin() {
    people 4000 3 | awk -F, -v OFS=, '
        NR == 1 { print $0, "g0", "g1", "e00", "e01", "e10", "e11"; next }
        { g = $4 == "F" ? 0.8 : 0.3
          printf "%s,%.1f,%.1f,%.9f,%.9f,%.9f,%.9f\n", $0, g, 1 - g, g * $2, g * $3, (1 - g) * $2, (1 - g) * $3 }' >pool.csv
    cut -d, -f1-4 pool.csv >new.csv
}

odds=(--criterion equalized_odds --label y)
pairs=(--unaware --group-scores "e00,e01,e10,e11")

@test "the commands that scripts rely on: label values are 0, 1, ... without --classes; predict needs no label" {
    sed 's/,no,/,0,/; s/,yes,/,1,/' pool.csv >numbers.csv
    answers fit numbers.csv --scores p_no,p_yes --sensitive sex --groups F,M --criterion equalized_odds --label y \
        --epsilon 1 --delta 1e-5 --out m.json
    says "equalized_odds" "a public random number below 0.15" "equal scores get equal decisions"
    answers predict m.json new.csv
    [ "$(wc -l <<<"$output")" -eq 4001 ]
    [ "$(sort -u <<<"$output" | tr '\n' ' ')" = "0 1 prediction " ]
}

@test "every criterion, with and without the group, closes its own gap" {
    local criterion options
    for criterion in demographic_parity true_positive_rate_parity false_positive_rate_parity equalized_odds; do
        for options in "" "${pairs[*]}"; do
            [ "$criterion" != demographic_parity ] || options=${options/e00,e01,e10,e11/g0,g1}
            # shellcheck disable=SC2086
            fits --epsilon 3 --delta 1e-5 --insecure-seed 1 --criterion $criterion --label y $options --out m.json --json
            holds ".criterion == \"$criterion\""
            answers evaluate m.json pool.csv --label y --json
            holds ".criterion == \"$criterion\" and .criteria.$criterion.aimed_at"
            holds ".criteria.$criterion.unfairness < 0.06 and .criteria.$criterion.unfairness_before > 0.15"
        done
    done
}

@test "other names of criteria mean the same" {
    local pair
    for pair in equal_opportunity:true_positive_rate_parity predictive_equality:false_positive_rate_parity; do
        fits "${private[@]}" --insecure-seed 1 --label y --criterion "${pair%:*}" --out a.json
        fits "${private[@]}" --insecure-seed 1 --label y --criterion "${pair#*:}" --out b.json
        cmp a.json b.json
    done
}

@test "demographic parity with the group is what it was, whether the criterion is named or not" {
    fits "${private[@]}" --insecure-seed 1 --out a.json
    fits "${private[@]}" --insecure-seed 1 --criterion demographic_parity --label y --out b.json
    cmp a.json b.json
    [ "$(jq .rule.criterion a.json)" = null ]
}

@test "--positive chooses the class, by name" {
    fits "${private[@]}" --insecure-seed 1 --label y --criterion equal_opportunity --out default.json --json
    holds '.positive == null and .positive_by_default == "yes"'
    fits "${private[@]}" --insecure-seed 1 --label y --criterion equal_opportunity --positive yes --out yes.json --json
    holds '.positive == "yes" and (has("positive_by_default") | not)'
    fits "${private[@]}" --insecure-seed 1 --label y --criterion equal_opportunity --positive no --out no.json
    differ yes.json no.json
    [ "$(jq -c .rule.offsets default.json)" = "$(jq -c .rule.offsets yes.json)" ]
    refuses 2 "'maybe' is not a class" fit pool.csv "${scored[@]}" "${private[@]}" --label y \
        --criterion equal_opportunity --positive maybe --out x.json
    refuses 2 "compares every class" fit pool.csv "${scored[@]}" "${private[@]}" "${odds[@]}" --positive yes --out x.json
}

@test "--counted scores needs no labels, and without the group no groups" {
    cut -d, -f1-4,6- pool.csv >unlabelled.csv
    fits unlabelled.csv "${private[@]}" --criterion equalized_odds --counted scores --out m.json --json
    holds '.counted == "scores"'
    answers fit unlabelled.csv --scores p_no,p_yes --groups F,M --criterion equalized_odds --counted scores \
        "${pairs[@]}" "${private[@]}" --out u.json
    answers predict u.json unlabelled.csv
    refuses 4 "fitted without a group column" evaluate u.json pool.csv --label y
    refuses 2 "--counted scores works only with --unaware, or with a --criterion other than demographic_parity" fit pool.csv "${scored[@]}" "${private[@]}" --counted scores --out x.json
    refuses 2 "--label cannot be used with --counted scores" fit pool.csv "${scored[@]}" "${private[@]}" "${odds[@]}" \
        --counted scores --out x.json
}

@test "a rule that does not see the group needs no group column, ignores one, and says so" {
    fits "${private[@]}" "${odds[@]}" "${pairs[@]}" --out u.json
    says "does not see the group"
    cut -d, -f2,3,8- pool.csv >nogroup.csv
    answers predict u.json nogroup.csv --out a.csv
    says "group not read: the rule does not see the group"
    answers predict u.json pool.csv --out b.csv --json
    holds '.sees_group == false'
    cmp a.csv b.csv
    sed '1s/e00,e01,e10,e11/q0,q1,q2,q3/' nogroup.csv >renamed.csv
    refuses 4 'no column is named "e00"' predict u.json renamed.csv
    answers predict u.json renamed.csv --group-scores q0,q1,q2,q3 --out c.csv
    cmp a.csv c.csv
    refuses 2 "has 2 columns but the model needs 4" predict u.json renamed.csv --group-scores q0,q1
}

@test "group scores of groups alone are warned about when labels matter" {
    fits "${private[@]}" "${odds[@]}" --unaware --group-scores g0,g1 --out u.json --json
    holds '.warnings | index("group-weights")'
    fits "${private[@]}" "${odds[@]}" "${pairs[@]}" --out u.json --json
    holds '.warnings | index("group-weights") | not'
}

@test "the dither: by scores, by id or by row; off with --dither 0" {
    fits "${private[@]}" "${odds[@]}" --out m.json --json
    holds '.dither == {"width": 0.15, "seed": 0, "key": "scores"}'
    # Sorting the table sorts the decisions.
    answers predict m.json new.csv --out a.csv
    { head -1 new.csv; tail -n +2 new.csv | tac; } >reversed.csv
    answers predict m.json reversed.csv --out b.csv
    cmp <(tail -n +2 a.csv) <(tail -n +2 b.csv | tac)
    fits "${private[@]}" "${odds[@]}" --dither-key row --out row.json --json
    holds '.dither.key == "row"'
    fits "${private[@]}" "${odds[@]}" --dither 0 --out plain.json --json
    holds '.dither.width == 0 and (.warnings | index("needs-dither"))'
    fits "${private[@]}" "${odds[@]}" --dither-key id --id id --out id.json --json
    holds '.dither.key == "id"'
    refuses 2 "--id" predict id.json new.csv
    answers predict id.json new.csv --id id --out a.csv --force
    answers predict id.json reversed.csv --id id --out b.csv --force
    cmp <(tail -n +2 a.csv) <(tail -n +2 b.csv | tac)
    refuses 2 "only for models whose dither" predict m.json new.csv --id id
    sed '7s/^[0-9]*,/,/' new.csv >empty.csv
    refuses 4 'row 6, column "id": the id is empty' predict id.json empty.csv --id id
}

@test "predict counts the decisions that depend on the dither" {
    fits "${private[@]}" "${odds[@]}" --insecure-seed 1 --out m.json
    answers predict m.json new.csv --out a.csv --json
    holds '.dither_decides > 0 and .dither_decides < 2000'
    local count
    count=$(jq .dither_decides <<<"$output")
    jq -c '.rule.dither.seed = 9' m.json >other.json # the checksum is then wrong
    refuses 4 "" predict other.json new.csv
    answers predict m.json new.csv --out b.csv
    says "$count of these depend on the public random number"
    fits "${private[@]}" "${odds[@]}" --dither 0 --out plain.json
    answers predict plain.json new.csv --out c.csv --json
    holds '.dither_decides == null'
}

@test "bad input is refused before any charge" {
    local options words
    fits "${private[@]}" --ledger l.json --out m.json
    cp l.json before.json
    while IFS='|' read -r words options; do
        # shellcheck disable=SC2086
        separately "$DP2DP" fit pool.csv "${scored[@]}" "${private[@]}" --ledger l.json --out x.json $options
        [ "$status" -ne 0 ]
        [[ "$stderr" == *"$words"* ]] || { echo "$options: $stderr"; return 1; }
        cmp l.json before.json
        [ ! -e x.json ]
    done <<'END'
give --label|--criterion equalized_odds
leave --label out, or name a --criterion|--label y
is not one of|--criterion accuracy_parity
is not one of|--criterion custom
no column is named "nothing"|--criterion equalized_odds --label nothing
works only for demographic parity|--criterion equalized_odds --label y --solver sgd
works only for demographic parity|--criterion equalized_odds --label y --solver sgd-as-published
works only for demographic parity|--unaware --group-scores g0,g1 --solver sgd
--unaware needs --group-scores|--unaware
--group-scores needs --unaware|--group-scores g0,g1
but needs 2 (one for each group)|--unaware --group-scores e00,e01,e10,e11
or 4 (one for each pair of group and label)|--criterion equalized_odds --label y --unaware --group-scores g0,g1,e00
the column is in --scores too|--criterion equalized_odds --label p_no
the column is in --sensitive too|--criterion equalized_odds --label sex
the label is not in the declared list|--criterion equalized_odds --label id
the group scores do not sum to 1|--unaware --group-scores g0,e11
--dither-key id needs --id|--dither 0.1 --dither-key id
--id needs --dither-key id|--id id
--dither-key needs --dither W|--dither-key scores
--dither-seed needs --dither W|--dither-seed 3
END
    refuses 2 "--sensitive is missing" fit pool.csv --scores p_no,p_yes --groups F,M "${private[@]}" --out x.json
}

@test "off-list and missing labels, groups and group scores follow --bad-rows" {
    local row
    fits "${private[@]}" "${odds[@]}" "${pairs[@]}" --bad-rows ignore --insecure-seed 1 --out whole.json
    for row in 1,0.5,0.5,F,perhaps,1,0,.5,.5,0,0 1,0.5,0.5,X,no,1,0,.5,.5,0,0 1,0.5,0.5,F,no,1,0,a,.5,0,0 \
        1,0.5,0.5,F,no,1,0,.5,.5,1,0 1,0.5,0.5,F,no,1,0,0,0,0,0 1,0.5,0.5,F,no,1,0,-.5,.5,0,1; do
        row=$row awk 'NR == 700 { print ENVIRON["row"]; next } { print }' pool.csv >wrong.csv
        refuses 4 "" fit wrong.csv "${scored[@]}" "${private[@]}" "${odds[@]}" "${pairs[@]}" --out x.json
        fits wrong.csv "${private[@]}" "${odds[@]}" "${pairs[@]}" --bad-rows ignore --insecure-seed 1 --out wrong.json
        # Nothing but noisy values tells whether there is a bad row.
        diff <(jq -S 'del(.checksum, .rule.offsets, .rule.shares, .rule.criterion.tolerance, .warnings)' whole.json) \
            <(jq -S 'del(.checksum, .rule.offsets, .rule.shares, .rule.criterion.tolerance, .warnings)' wrong.json)
    done
}

@test "an empty stratum is not refused" {
    awk -F, 'NR == 1 || $4 == "M" || $5 == "no"' pool.csv >empty.csv
    fits empty.csv "${private[@]}" "${odds[@]}" --out m.json
    separately "$DP2DP" fit empty.csv "${scored[@]}" "${private[@]}" "${odds[@]}" "${pairs[@]}" --out m.json --force
    [[ "$status" -eq 0 && "$stderr" == "CAUTION: the mean group score"* ]] # the share of group F is smaller now
}

@test "evaluate prints the rates of each group and every notion's gap" {
    fits "${private[@]}" "${odds[@]}" --insecure-seed 1 --out m.json
    answers evaluate m.json pool.csv --label y
    says "TPR" "FPR" "precision" "error" "people" "Disparate impact" "equalized_odds" "<- what the model aims at" \
        "A model that is fair under one notion may be unfair under another"
    answers evaluate m.json pool.csv --label y --json
    holds '(.criteria | keys) == ["demographic_parity", "equalized_odds", "false_positive_rate_parity", "true_positive_rate_parity"]'
    holds '.criteria.demographic_parity.unfairness == .unfairness'
    holds '.criteria.equalized_odds.unfairness == ([.criteria.true_positive_rate_parity.unfairness,
        .criteria.false_positive_rate_parity.unfairness] | max)'
    holds '.by_group | length == 2 and .[0].people == .[0].classes[1].selection.whole and .[0].classes[1].true_positive.rate > 0'
    holds '.disparate_impact > 0 and .disparate_impact <= 1'
    answers evaluate m.json pool.csv --json
    holds '(.criteria | keys) == ["demographic_parity"]'
}

@test "certify bounds the model's own criterion and lists the others" {
    fits "${private[@]}" "${odds[@]}" --out m.json
    people 4000 4 >held.csv
    refuses 2 "needs labels" certify m.json held.csv "${private[@]}"
    answers certify m.json held.csv --label y "${private[@]}" --out c.json
    says "Unfairness under equalized_odds is at most" "not aimed at demographic_parity: at most"
    answers verify m.json c.json
    answers certify m.json held.csv --label y "${private[@]}" --json
    holds '.criterion == "equalized_odds" and .labels == 2 and (.table | length) == 4'
    holds '.criteria.equalized_odds.unfairness_upper == .unfairness_upper and (.criteria | length) == 4'
    fits "${private[@]}" --out plain.json
    refuses 2 "leave --label out: the model aims at demographic parity" certify plain.json held.csv --label y "${private[@]}"
    fits "${private[@]}" "${odds[@]}" "${pairs[@]}" --out u.json
    answers certify u.json pool.csv --label y "${private[@]}" --json
    holds '.unfairness_upper > 0'
}

@test "show says which notion is promised, what changes and how well it could be learned" {
    fits "${private[@]}" "${odds[@]}" --insecure-seed 1 --out m.json
    answers show m.json
    says "equalized_odds" "F, probably no: class yes becomes easier to get" "M, probably yes: class no becomes easier" \
        "the public random number decides" "noise of a rate" "Advice: a rho of at least" \
        "Other notions of fairness are not promised"
    answers show m.json --json
    holds '.rule.criterion == "equalized_odds" and (.rule.rate_noise | length) == 4 and .rule.rate_noise[0] > 0'
    # The noise of a rate among n people is about 3.7/n at epsilon 1.
    holds '.rule | [.rate_noise, .shares] | transpose | all(.[0] * .[1] * 4000 | . > 3.6 and . < 4)'
    fits "${private[@]}" "${odds[@]}" "${pairs[@]}" --out u.json
    answers show u.json
    says "the rule does not see the group" "e00, e01, e10 and e11" "whose score for the group is 0.8 and whose score for the label is 0.6"
}

@test "the page's commands for two classifiers run as printed" {
    [ -n "${DP2DP_SOURCE_DIR:-}" ] || skip "needs the page"
    synthetic 6000 1 >rows.csv
    { head -1 rows.csv; sed -n 2,3000p rows.csv; } >people.csv
    { head -1 rows.csv; sed -n '3001,$p' rows.csv; } >pool.csv
    cut -d, -f1-5,7- pool.csv >new.csv
    block criteria "--group-model groups.json" >commands
    runs_as_printed 4 commands
}

@test "a classifier of the label and one of the group become one model, which decides without the group" {
    synthetic 6000 1 >rows.csv
    { head -1 rows.csv; sed -n 2,3000p rows.csv; } >train.csv
    { head -1 rows.csv; sed -n '3001,$p' rows.csv; } >raw.csv
    answers train train.csv --schema s.json "${private[@]}" --out label.json
    answers train train.csv --schema s.json "${private[@]}" --target group --out group.json
    answers train train.csv --schema s.json "${private[@]}" --target group-label --out both.json
    answers fit raw.csv --model label.json --group-model group.json --unaware "${private[@]}" --out u.json --json
    # Those behind the classifiers paid for both; those of the table only for the fit.
    holds '.epsilon > 1.3 and .epsilon < 1.6 and .epsilon_fit <= 1'
    answers show u.json
    says "a second classifier predicts the group"
    answers show u.json --json
    holds '.group_classifier.outputs == 2'
    cut -d, -f1-5,7- raw.csv >nogroup.csv
    answers predict u.json nogroup.csv --out a.csv
    answers predict u.json raw.csv --out b.csv
    cmp a.csv b.csv
    answers evaluate u.json raw.csv --json
    holds '.criteria.demographic_parity.aimed_at'
    # One pass: the table may come from a pipe.
    answers fit - --model label.json --group-model group.json --unaware "${private[@]}" --out pipe.json <raw.csv
    answers fit raw.csv --model label.json --group-model group.json --unaware --criterion equalized_odds \
        "${private[@]}" --out odds.json --json
    holds '.warnings | index("group-weights") != null'
    answers fit raw.csv --model u.json --unaware "${private[@]}" --out again.json
    answers predict again.json nogroup.csv --out c.csv
    local words options
    while IFS='|' read -r words options; do
        # shellcheck disable=SC2086
        refuses 2 "$words" fit raw.csv "${private[@]}" --out x.json $options
    done <<'END'
--group-model needs --unaware|--model label.json --group-model group.json
must be a model from dp2dp train --target group|--model label.json --group-model both.json --unaware
must be a model from dp2dp train --target group|--model label.json --group-model label.json --unaware
needs a --model from dp2dp train --target label|--model both.json --group-model group.json --unaware
needs a --model from dp2dp train --target label|--model u.json --group-model group.json --unaware
or give --group-model|--model label.json --unaware
END
    jq '.name = "other"' s.json >other.json
    answers train train.csv --schema other.json "${private[@]}" --target group --out far.json
    refuses 2 "must have the same schema" fit raw.csv --model label.json --group-model far.json --unaware \
        "${private[@]}" --out x.json
    refuses 2 "--group-model" fit raw.csv --group-model group.json --scores a,b --sensitive sex --groups F,M \
        "${private[@]}" --out x.json
}

@test "a classifier of group and label serves a rule without the group; one of the label does not" {
    synthetic 6000 1 >rows.csv
    { head -1 rows.csv; sed -n 2,3000p rows.csv; } >train.csv
    { head -1 rows.csv; sed -n '3001,$p' rows.csv; } >raw.csv
    answers train train.csv --schema s.json "${private[@]}" --target group-label --out both.json
    answers train train.csv --schema s.json "${private[@]}" --out label.json
    refuses 2 "train --target group-label" fit raw.csv --model label.json --unaware "${private[@]}" --out x.json
    answers fit raw.csv --model both.json --unaware --criterion equalized_odds "${private[@]}" --out u.json
    cut -d, -f1-5,7- raw.csv >nogroup.csv
    [ "$(head -1 nogroup.csv)" = x1,x2,x3,x4,x5,y ]
    answers predict u.json nogroup.csv --out a.csv
    answers predict u.json raw.csv --out b.csv
    cmp a.csv b.csv
    answers evaluate u.json raw.csv --json
    holds '.criteria.equalized_odds.aimed_at'
    answers fit raw.csv --model label.json --criterion equal_opportunity "${private[@]}" --out m.json
    answers certify m.json raw.csv "${private[@]}" --json
    holds '.criterion == "true_positive_rate_parity"'
    refuses 2 "tables of scores" fit raw.csv --model label.json --criterion equalized_odds --dither-key id "${private[@]}" --out x.json
}

@test "run does both phases for a criterion, with and without the group" {
    synthetic 6000 1 >rows.csv
    local options
    for options in "" --unaware; do
        # shellcheck disable=SC2086
        answers run rows.csv --schema s.json "${private[@]}" --criterion equalized_odds $options --insecure-seed 1 --json
        holds '.criterion == "equalized_odds" and .epsilon <= 1 and (.mean.criteria | length) == 4'
        holds '.mean.criteria.demographic_parity.unfairness == .mean.unfairness'
        # shellcheck disable=SC2086
        answers run rows.csv --schema s.json "${private[@]}" --criterion equalized_odds $options --dry-run --json
    done
    answers run rows.csv --schema s.json "${private[@]}" --criterion equalized_odds --insecure-seed 1
    says "<- what the rule aims at" "needs randomness"
    refuses 2 "works only for demographic parity" run rows.csv --schema s.json "${private[@]}" --unaware --solver sgd
}

@test "the help names the criteria and their commonest uses" {
    answers fit --help
    says "--criterion equalized_odds --label" "--criterion equal_opportunity" "--unaware --group-scores"
}

@test "the class that counts has a name, also if nobody chose it" {
    local criterion
    for criterion in equal_opportunity predictive_equality; do
        fits --epsilon 3 --delta 1e-5 --criterion $criterion --label y --out m.json
        says "the positive class is yes, the second of the two classes, because you did not choose one"
        answers show m.json
        says "the positive class is yes, the second of the two classes, because you did not choose one"
    done
    fits --epsilon 3 --delta 1e-5 --criterion equal_opportunity --label y --positive no --out m.json
    says "the positive class is no"
    [[ "$output" != *"the second of the two classes"* ]]
    fits --epsilon 3 --delta 1e-5 --criterion equalized_odds --label y --out m.json
    [[ "$output" != *"the positive class is"* ]]
}

@test "every command says which class counts if nobody chose one" {
    local by_default="the positive class is yes, the second of the two classes, because you did not choose one"
    local table=(sweep pool.csv "${scored[@]}" --label y --rho 0 --epsilon inf --delta 1e-5 --out w.csv --force)
    people 2000 1 >pool.csv
    people 1500 2 >test.csv
    fits --solver exact --label y --criterion equal_opportunity --out equal.json
    answers certify equal.json test.csv --label y "${private[@]}"
    says "$by_default"
    answers certify equal.json test.csv --label y "${private[@]}" --json
    holds '.positive == null and .positive_by_default == "yes"'
    answers evaluate equal.json test.csv --label y
    says "$by_default"
    answers evaluate equal.json test.csv --label y --json
    holds '.positive == null and .positive_by_default == "yes"'
    answers "${table[@]}" --criterion equal_opportunity
    says "$by_default"
    [ "$(cells w.csv positive)" = yes ]
    answers "${table[@]}" --criterion equal_opportunity --json
    holds '.positive == null and .positive_by_default == "yes"'
    answers "${table[@]}" --criterion equal_opportunity --positive no --json
    holds '.positive == "no" and (has("positive_by_default") | not)'
    [ "$(cells w.csv positive)" = no ]
    answers "${table[@]}" --json
    holds '.positive == null and (has("positive_by_default") | not)'
    [ "$(cells w.csv positive)" = "" ]

    synthetic 3000 1 >all.csv
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "y") at = i; print; next } { $at = $at > 0; print }' all.csv >two.csv
    jq '(.columns[] | select(.role == "label") | .levels) = ["0", "1"]' s.json >two.json
    answers run two.csv --schema two.json --method none --solver exact --criterion equal_opportunity
    says "the positive class is 1, the second of the two classes, because you did not choose one"
    answers run two.csv --schema two.json --method none --solver exact --criterion equal_opportunity --positive 0
    says "the positive class is 0"
    answers run two.csv --schema two.json --method none --solver exact --criterion equal_opportunity --json
    holds '.positive == null and .positive_by_default == "1"'
}
