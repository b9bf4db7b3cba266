#!/usr/bin/env bats
# References as in account.bats: the closed form, inverted with 50 digits in mpmath.
load helpers

@test "the noise found is the closed form's, never less" {
    answers calibrate --mechanism gaussian --epsilon 1 --delta 1e-5 --steps 1 --json
    is_tight .sigma 7.4612632696318837 1e-7
    holds '.epsilon <= 1 and .epsilon > 0.999999 and .delta == 1e-5 and .adjacency == "replace-one"
        and .epsilon_target == 1 and .find == "sigma"'
}

@test "eighty count tables at epsilon 0.5" {
    answers calibrate --mechanism gaussian --sensitivity 1.4142135623730951 --steps 80 --epsilon 0.5 \
        --delta 1e-5 --json
    is_tight .sigma 88.946353625482378 1e-7
}

@test "what calibrate finds, account confirms to the last digit" {
    local mechanism extra sigma epsilon
    for mechanism in gaussian poisson without-replacement with-replacement; do
        extra=(--rate 0.05 --population 1000)
        [ "$mechanism" != gaussian ] || extra=()
        answers calibrate --mechanism "$mechanism" "${extra[@]}" --steps 50 --epsilon 2 --delta 1e-6 --json
        sigma=$(jq .sigma <<<"$output")
        epsilon=$(jq .epsilon <<<"$output")
        holds '.epsilon <= 2 and .epsilon > 1.9'
        answers account --mechanism "$mechanism" "${extra[@]}" --steps 50 --delta 1e-6 --sigma "$sigma" --json
        holds ".epsilon == $epsilon"
        # 1 % less noise costs more than epsilon 2.
        answers account --mechanism "$mechanism" "${extra[@]}" --steps 50 --delta 1e-6 \
            --sigma "$(jq -n "$sigma * 0.99")" --json
        holds '.epsilon > 2'
    done
}

@test "the largest number of steps fits, one more does not" {
    # The budget allows 7.185 steps: seven.
    answers calibrate --find steps --mechanism gaussian --sigma 20 --epsilon 1 --delta 1e-5 --json
    holds '.steps == 7 and .epsilon <= 1'
}

@test "the largest rate fits, a hundredth more does not" {
    local run=(--mechanism poisson --sigma 2 --steps 100 --delta 1e-5 --json) rate
    answers calibrate --find rate "${run[@]}" --epsilon 1
    holds '.rate > 0 and .rate < 1 and .epsilon <= 1 and .epsilon > 0.99'
    rate=$(jq .rate <<<"$output")
    answers account "${run[@]}" --rate "$(jq -n "$rate * 1.01")"
    holds '.epsilon > 1'
}

@test "the largest batch of a population is whole, and fits" {
    answers calibrate --find rate --mechanism without-replacement --population 1000 --sigma 8 --steps 10 \
        --epsilon 1 --delta 1e-5 --json
    holds '.batch >= 1 and .rate >= .batch / 1000 and .rate < (.batch + 1e-9) / 1000 and .epsilon <= 1'
}

@test "a budget nothing fits in is refused with 3" {
    refuses 3 "cannot be reached" calibrate --find steps --mechanism gaussian --sigma 1 --epsilon 0.1 --delta 1e-5
    refuses 3 "even a batch of 1 out of 10 records exceeds" calibrate --find rate --mechanism without-replacement \
        --population 10 --sigma 4 --epsilon 0.05 --delta 1e-5
}

@test "what is looked for cannot be given" {
    refuses 2 "--sigma is the value that this command computes" calibrate --mechanism gaussian --sigma 1 --epsilon 1 --delta 1e-5
    refuses 2 "--steps is the value that this command computes" calibrate --find steps --mechanism gaussian --steps 5 \
        --sigma 1 --epsilon 1 --delta 1e-5
    refuses 2 "--find rate works with" calibrate --find rate --mechanism gaussian --sigma 1 --epsilon 1 \
        --delta 1e-5
    refuses 2 "--find rate works with" calibrate --find rate --mechanism with-replacement --population 100 \
        --sigma 1 --epsilon 1 --delta 1e-5
}

@test "text says what was found, rounded up" {
    # The closed form is 7.461263269...: 7.46126 would be too little.
    answers calibrate --mechanism gaussian --epsilon 1 --delta 1e-5
    says "Calibrated to epsilon 1, delta 1e-5" "sigma 7.46127" "replaced by any other" "right at most 73.2 times in 100"
}

@test "a budget whose epsilon and delta seem swapped, or whose delta is large, is cautioned" {
    answers calibrate --mechanism gaussian --epsilon 1e-5 --delta 0.9 --json
    holds '.warnings == ["delta-large", "epsilon-below-delta"]'
    answers calibrate --mechanism gaussian --epsilon 1e-5 --delta 0.9
    says "CAUTION: epsilon is smaller than delta: were the two swapped?" "CAUTION: delta is close to 1/N or above"
    answers calibrate --mechanism poisson --rate 0.1 --population 1000 --epsilon 1 --delta 1e-3 --json
    holds '.warnings == ["delta-large"]'
    answers calibrate --mechanism gaussian --epsilon 20 --delta 1e-5 --json
    holds '.warnings == ["epsilon-large"]'
    answers calibrate --mechanism gaussian --epsilon 1 --delta 1e-5 --json
    holds '.warnings == []'
}
