#!/usr/bin/env bats
# The paper's algorithm with sound accounting (sgd) and exactly as printed (sgd-as-published). For the latter,
# `claimed` is the epsilon of the paper's accounting, and `epsilon` the one that is proven.
load helpers

budget=("${private[@]}" --steps 20)

begin() {
    people 2000 1 >pool.csv
}

@test "sgd promises the epsilon it was asked for, and account finds the same" {
    fits --solver sgd "${budget[@]}" --out model.json --json
    holds '.solver == "sgd" and .private and .leaks == [] and .epsilon > 0.9 and .epsilon <= 1 and .delta == 1e-5'
    holds 'has("claimed") | not'
    local epsilon
    epsilon=$(jq .epsilon <<<"$output")
    answers account model.json --json
    holds ".epsilon <= $epsilon * (1 + 1e-9) and .epsilon >= $epsilon * (1 - 1e-9) and (has(\"claimed\") | not)"
    holds '[.entries[].mechanism] == ["gaussian", "poisson"] and .entries[1].steps == 20'
    answers account model.json
    [[ "$output" != *"NOT PRIVATE"* && "$output" != *claimed* ]]
    # The unfairness is 0.21 with a standard deviation of 0.06: use one seed.
    fits --solver sgd "${budget[@]}" --insecure-seed 1 --out seeded.json
    answers evaluate seeded.json pool.csv --label y --json
    holds '(.error | type) == "number" and .unfairness < .unfair.unfairness'
    answers predict model.json pool.csv
    [ "$(wc -l <<<"$output")" -eq 2001 ]
}

@test "sgd-as-published claims an epsilon and promises none" {
    fits --solver sgd-as-published "${budget[@]}" --out model.json --json
    holds '.solver == "sgd-as-published" and .epsilon == null and .delta == null'
    holds '.claimed > 0.9 and .claimed <= 1 and (.private | not) and .leaks == ["no-bound"]'
    local claimed
    claimed=$(jq .claimed <<<"$output")
    answers account model.json --json
    holds ".claimed == $claimed and .epsilon == null and (.private | not) and .leaks == [\"no-bound\"]"
    answers account model.json
    says "NOT PRIVATE: no useful upper bound on epsilon is known" \
        "claimed epsilon 1 by the paper's own accounting, which is not sound" "nothing is promised"
    fits --solver sgd-as-published "${budget[@]}" --out model.json
    says "NOT PRIVATE: no useful upper bound on epsilon is known" "which is not sound" "epsilon none: nothing is promised"
    [[ "$output" != *"What it means"* ]]
}

@test "with a public bound on the groups it has a sound epsilon, above the claim" {
    local published=(--solver sgd-as-published "${budget[@]}" --group-least 300)
    fits "${published[@]}" --out model.json --json
    holds '.claimed <= 1 and .epsilon > 1.5 * .claimed and .delta == 1e-5 and .private'
    local both
    both=$(jq -c '[.claimed, .epsilon]' <<<"$output")
    answers account model.json --json
    holds "(.claimed == $both[0]) and (.epsilon / $both[1] - 1 | fabs) < 1e-9"
    fits "${published[@]}" --out model.json
    says "claimed epsilon 1 by the paper's own accounting, which is not sound" "delta 1e-05"
    [[ "$output" != *"NOT PRIVATE"* ]]
}

@test "a budget is held against what holds, not against the claim" {
    local published=(fit pool.csv "${unnamed[@]}" --solver sgd-as-published "${budget[@]}" --ledger ledger.json
        --budget 1.2 --out model.json)
    refuses 3 "the budget is epsilon 1.2" "${published[@]}"
    refuses 3 "the budget is epsilon 1.2" "${published[@]}" --group-least 300
    [ ! -e model.json ]
    [ ! -e ledger.json ]
    fits --solver sgd "${budget[@]}" --ledger ledger.json --budget 1.2 --out model.json --json
    holds '.ledger.spent <= 1 and .ledger.budget == 1.2'
}

@test "without noise both are marked as such" {
    local solver
    for solver in sgd sgd-as-published; do
        fits --solver "$solver" --epsilon inf --steps 20 --out model.json --json
        holds '.epsilon == null and (.private | not) and (.leaks | index("no-noise"))'
    done
}
