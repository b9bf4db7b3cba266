#!/usr/bin/env bats
# References: the closed form delta(e) = Phi(m/2 - e/m) - exp(e) Phi(-m/2 - e/m) and, for one sampled
# step, the hockey-stick divergence of the two mixtures, each inverted with 50 digits by bisection
# in mpmath, independently of this code. m = sensitivity/sigma * sqrt(steps).
load helpers

@test "one Gaussian release matches the closed form under both adjacencies" {
    answers account --mechanism gaussian --sigma 4 --steps 1 --delta 1e-5 --adjacency replace-one --json
    is_tight .epsilon 1.9930914044151196
    holds '.delta == 1e-5 and .adjacency == "replace-one" and (.accountant | type) == "string"'
    answers account --mechanism gaussian --sigma 4 --steps 1 --delta 1e-5 --adjacency add-remove --json
    is_tight .epsilon 0.92634150399822944
    holds '.adjacency == "add-remove"'
}

@test "many Gaussian releases match the closed form" {
    answers account --mechanism gaussian --sigma 40 --steps 100 --delta 1e-6 --json
    is_tight .epsilon 2.2540846502197409
    answers account --mechanism gaussian --sigma 1000 --steps 1e7 --delta 1e-12 --adjacency add-remove --json
    is_tight .epsilon 26.719799569762025
}

@test "rows per person scale the sensitivity" {
    answers account --mechanism gaussian --sigma 4 --rows-per-person 3 --delta 1e-5 --json
    is_tight .epsilon 7.0514132237939579
    holds '.rows_per_person == 3'
}

@test "a smaller proven sensitivity is used" {
    answers account --mechanism gaussian --sigma 2 --sensitivity 1 --delta 1e-5 --json
    is_tight .epsilon 1.9930914044151196
    answers account --mechanism gaussian --sigma 2 --sensitivity 1 --delta 1e-5
    says "assumes" "that this sensitivity is proven: without a proof it is 2"
    answers account --mechanism gaussian --sigma 2 --sensitivity 3 --delta 1e-5
    [[ "$output" != *"is proven"* ]]
    answers account --mechanism gaussian --sigma 2 --sensitivity 1 --adjacency add-remove --delta 1e-5
    [[ "$output" != *"is proven"* ]]
}

@test "delta at epsilon matches the closed form" {
    answers account --mechanism gaussian --sigma 4 --epsilon 1 --json
    is_tight .delta 0.0068295949831145754
    holds '.epsilon == 1'
    answers account --mechanism gaussian --sigma 4 --epsilon 0 --json
    is_tight .delta 0.19741265136584745
}

@test "one sampled step matches its divergence, and replace-one costs more than add-remove" {
    local step=(account --mechanism poisson --sigma 1 --rate 0.1 --steps 1 --delta 1e-5 --json)
    answers "${step[@]}" --adjacency replace-one
    is_tight .epsilon 1.7891545544669089 1e-3
    answers "${step[@]}" --adjacency add-remove
    is_tight .epsilon 1.6845438143284641 1e-3
    answers account --mechanism without-replacement --sigma 1 --rate 0.1 --steps 1 --delta 1e-5 --json
    is_tight .epsilon 6.5755398062758058 1e-3
}

@test "fixed-size batches: add-remove is refused, and so are several rows per person" {
    refuses 2 "replace-one" account --mechanism without-replacement --sigma 1 --rate 0.1 --delta 1e-5 \
        --adjacency add-remove
    refuses 2 "replace-one" account --mechanism with-replacement --sigma 1 --rate 0.1 --delta 1e-5 \
        --population 1000 --adjacency add-remove
    refuses 2 "rows_per_person" account --mechanism without-replacement --sigma 1 --rate 0.1 \
        --delta 1e-5 --rows-per-person 2
}

@test "a batch is the rate times the population, rounded up to a whole number" {
    local batch=(account --mechanism with-replacement --sigma 4 --delta 1e-5 --json)
    answers "${batch[@]}" --population 100000 --rate 0.013
    holds '.batch == 1300 and .population == 100000 and .rate == 0.013'
    answers "${batch[@]}" --population 100 --rate 0.07
    holds '.batch == 7'
    answers "${batch[@]}" --population 1000 --rate 0.0131
    holds '.batch == 14'
    answers "${batch[@]}" --population 1000 --rate 1e-9
    holds '.batch == 1'
    answers account --mechanism without-replacement --sigma 4 --delta 1e-5 --population 1000 \
        --rate 0.0131 --json
    holds '.batch == 14 and .rate >= 0.014 and .rate < 0.01400000000000001'
}

# In binary 1/3 lies between 0.33333333333333331 and 0.33333333333333337, nearer to the first.
@test "the rate of a batch is never below batch over population" {
    answers account --mechanism without-replacement --sigma 4 --delta 1e-5 --population 3 --rate 0.3 --json
    holds '.batch == 1 and .rate == 0.33333333333333337'
    answers account --mechanism without-replacement --sigma 4 --delta 1e-5 --population 4 --rate 0.2 --json
    holds '.batch == 1 and .rate == 0.25'
}

@test "the accountant asked for is the one reported, and auto is never above it" {
    local run=(account --mechanism poisson --sigma 2 --rate 0.064 --steps 100 --delta 1e-5 --json)
    answers "${run[@]}" --accountant pld
    holds '.accountant == "pld"'
    local pld
    pld=$(jq .epsilon <<<"$output")
    answers "${run[@]}" --accountant rdp
    holds ".accountant == \"rdp\" and .epsilon >= $pld"
    answers "${run[@]}"
    holds ".epsilon <= $pld"
    refuses 2 "only Gaussian releases have a closed form" "${run[@]}" --accountant analytic
}

@test "declared releases add up" {
    answers account --mechanism declared --declared-epsilon 0.5 --steps 2 --delta 1e-9 --json
    holds '.epsilon > 0 and .epsilon <= 1.0001'
    answers account --mechanism declared --declared-epsilon 0.5 --declared-delta 1e-6 --delta 1e-5 --json
    holds '.epsilon <= 0.5001'
}

@test "no epsilon is better than a wrong one" {
    refuses 1 "no finite epsilon" account --mechanism declared --declared-epsilon 0.5 \
        --declared-delta 1e-6 --delta 1e-7
    refuses 2 "sigma" account --mechanism gaussian --sigma 1e-300 --delta 1e-5
}

@test "text explains the numbers to people who are not experts" {
    answers account --mechanism gaussian --sigma 4 --delta 1e-5
    says "one person's record, which may be replaced by any other (replace-one)" "epsilon 1.994" "delta 1e-05" \
        "is right at most 88.1 times in 100; 50 would be chance" \
        "has a true-positive rate of at most 12.7 % if its false-positive rate is 5 %"
    answers account --mechanism gaussian --sigma 4 --delta 1e-5 --adjacency add-remove
    says "one person's record, which may be added or removed (add-remove)" "whether a person was in the data"
    answers account --mechanism gaussian --sigma 4 --delta 1e-5 --rows-per-person 3
    says "all of one person's records (at most 3), which may be replaced by any others"
}

@test "what text rounds, it rounds up" {
    # The closed form is 1.99309140...: 1.993 would promise too much.
    answers account --mechanism gaussian --sigma 4 --delta 1e-5
    says "epsilon 1.994"
    answers account --mechanism gaussian --sigma 4 --epsilon 1
    says "delta 0.00683"
}

@test "the curve passes through the answer, falls, and bounds the best test" {
    answers account --mechanism gaussian --sigma 4 --delta 1e-5 --curve --json
    holds '.profile | length == 21 and .[0].epsilon == 0'
    holds '[.profile[].delta] | . == (sort | reverse)'
    is_tight '.profile[0].delta' 0.19741265136584745
    holds '.profile[10] as $p | ($p.epsilon - .epsilon | fabs) < 1e-12 and ($p.delta / 1e-5 - 1 | fabs) < 1e-6'
    holds '.tradeoff | map(select(.false_positive == 0.05))[0].false_negative as $b
        | $b <= 0.87386510180656971 and $b > 0.8738'
    answers account --mechanism gaussian --sigma 4 --delta 1e-5 --curve
    says "Privacy profile" "Best test" "5 % 12.62 %"
}

last_iterate=(account --mechanism last-iterate --sigma 50 --sensitivity 2 --population 10000
    --step-size 0.01 --smoothing 0.1 --share-min 0.3 --diameter 2 --steps 1000 --delta 1e-5)

@test "the last iterate alone has a bound, with its premises spelled out" {
    answers "${last_iterate[@]}" --json
    holds '.epsilon > 0 and .accountant == "last-iterate" and .adjacency == "replace-one"'
    answers "${last_iterate[@]}"
    says "only the last iterate is ever visible" "every step uses all records"
}

@test "the last iterate has no bound outside its premises" {
    refuses 2 "clip" "${last_iterate[@]}" --clipped
    refuses 2 "iterate" "${last_iterate[@]}" --intermediate-released
    refuses 2 "batch" "${last_iterate[@]}" --batch 128
    refuses 2 "only with --adjacency replace-one" "${last_iterate[@]}" --adjacency add-remove
    refuses 2 "--curve cannot be used with" "${last_iterate[@]}" --curve
    refuses 2 "step" account --mechanism last-iterate --sigma 50 --sensitivity 2 --population 10000 \
        --step-size 1 --smoothing 1e-5 --share-min 0.3 --diameter 2 --steps 1000 --delta 1e-5
}

@test "a delta that is too large for the people of a model, or above epsilon, is cautioned" {
    people 2000 1 >pool.csv
    fits "${private[@]}" --out m.json
    answers account m.json --delta 1e-3 --json
    holds '.warnings == ["delta-large"]'
    answers account m.json --delta 1e-3
    says "CAUTION: delta is close to 1/N or above"
    answers account m.json --json
    holds '.warnings == []'
    answers account --mechanism gaussian --sigma 10 --delta 0.07 --json
    holds '.epsilon > 0 and .warnings == ["delta-large", "epsilon-below-delta"]'
    answers account --mechanism gaussian --sigma 10 --epsilon 0.01 --json # delta is computed
    holds '.delta > .epsilon and .warnings == []'
    answers account --mechanism gaussian --sigma 10 --delta 0.0075
    says "CAUTION: delta is close to 1/N or above"
    answers account --mechanism gaussian --sigma 10 --delta 0.0074 --json
    holds '.warnings == []'
}

@test "a delta that is large, or far above that of the budget, is cautioned for a ledger too" {
    local above="is far above the delta of the ledger's budget, 1e-05"
    people 2000 1 >pool.csv
    fits "${private[@]}" --ledger l.json --budget 2 --out m.json
    answers account l.json --delta 0.2
    says "CAUTION: delta is close to 1/N or above" "$above"
    answers account l.json --delta 0.2 --json
    holds '.epsilon == 0 and .warnings == ["delta-large"] and .budget.delta_is_larger'
    answers account l.json --delta 0.001
    says "CAUTION: delta, 0.001, $above"
    answers account l.json --delta 0.00005
    [[ "$output" != *CAUTION* ]]
    answers account l.json --json
    holds '.warnings == [] and (.budget | has("delta_is_larger") | not)'
    answers account l.json --epsilon 0.5 --json # delta is computed
    holds '.delta > 0.001 and .warnings == []'
}
