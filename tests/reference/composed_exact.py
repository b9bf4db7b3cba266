"""Generates composed_exact.csv: a bracket around the eps of T releases for every sampled `pld` row
of accounting_reference.csv, and which of these rows were computed on too coarse a grid.

Provenance: for T = 1 the closed forms of poisson_single.py and fixed_size_single.py, for T > 1 the
contour integral of contour.py. For Poisson sampling and without replacement, lower and upper enclose
the eps of the dominating pair. With replacement only a bound is known, and it depends on where the
number of times that a record is drawn is truncated. There `upper` is the single-release bound of
fixed_size_single.py composed T times (or the reference, if that does not converge), and `lower` is
the eps attained when all other records contribute 0. `reference` is copied from
accounting_reference.csv. `coarse` is 1 if 0.995 * reference is above the enclosed value or bound:
there the grid of dp-accounting, 1e-4, or its truncation costs more than 0.5 %.

With --check the script compares with dp-accounting 0.6.0 on finer grids instead, for the coarse
Poisson rows: its optimistic value must be at most `upper`, its pessimistic value at least `lower`.
"""
import sys

import mpmath as mp

import contour
import fixed_size_single as fixed
import table
from poisson_single import epsilon_single

POPULATION = 100000
KINDS = {"poisson_gaussian": "poisson", "wor_gaussian_bound": "without",
         "wr_gaussian_bound": "with"}


def bracket(kind, relation, z, q, T, delta, reference):
    """(lower, upper, coarse)."""
    if kind == "with":
        return bracket_with(z, q, T, delta, reference)
    if T > 1:
        lower, upper = contour.epsilon_of(relation, z, q, T, delta) if kind == "poisson" \
            else contour.epsilon_bracket("without", z, q, T, delta)
    else:
        eps = epsilon_single(relation, mp.mpf(z), mp.mpf(q), mp.mpf(delta)) if kind == "poisson" \
            else fixed.epsilon_without(z, q, delta)
        lower, upper = float(eps) * (1 - 1e-9), float(eps) * (1 + 1e-9)
    return lower, upper, int(0.995 * reference > lower)


def bracket_with(z, q, T, delta, reference):
    mechanism = fixed.WithReplacement(z, POPULATION, round(q * POPULATION))
    if T == 1:
        bound = mechanism.epsilon(delta)
        return fixed.solve(mechanism.attained, delta) * (1 - 1e-9), bound, \
            int(0.995 * reference > bound)
    lower = contour.epsilon_bracket("hits", z, mechanism.w, T, delta)[0]
    try:
        bound = contour.epsilon_with_replacement(mechanism, T, delta)
    except contour.NotConverged:
        print("bound not converged:", z, q, T, delta)
        return lower, reference, 0
    return lower, bound[1], int(0.995 * reference > bound[0])


def check(rows):
    import dp_accounting
    from dp_accounting.pld import privacy_loss_distribution as pld
    relation_of = dp_accounting.NeighboringRelation
    worst = 0
    for kind, z, q, T, delta, relation, lower, upper, reference, coarse in rows:
        if kind != "poisson" or T == 1 or not coarse:
            continue
        step = min(1e-4, upper / (4000 * T ** 0.5), 0.02 * q / z)
        value = {}
        for pessimistic in (True, False):
            one = pld.from_gaussian_mechanism(
                z, pessimistic_estimate=pessimistic, value_discretization_interval=step,
                sampling_prob=q, use_connect_dots=pessimistic,
                neighboring_relation=relation_of[relation])
            value[pessimistic] = one.self_compose(T).get_epsilon_for_delta(delta)
        worst = max(worst, value[True] / upper - 1)
        print(kind, relation, z, q, T, delta, value[False], upper, value[True], flush=True)
        assert value[False] <= upper and value[True] >= lower
    print("largest excess of the pessimistic value:", worst)


def main():
    rows = []
    for r in table.reference_rows():
        if r["mechanism"] in KINDS:
            kind, relation = KINDS[r["mechanism"]], r["neighbouring_relation"]
            z, q, T, delta = float(r["sigma"]), float(r["q"]), int(r["T"]), float(r["delta"])
            reference = float(r["epsilon"])
            lower, upper, coarse = bracket(kind, relation, z, q, T, delta, reference)
            rows.append([kind, z, q, T, delta, relation, lower, upper, reference, coarse])
    if "--check" in sys.argv:
        check(rows)
        return
    table.write("composed_exact.csv", "composed_exact.py: closed forms and contour integrals",
                ["sampler", "sigma", "q", "T", "delta", "relation", "lower", "upper", "reference",
                 "coarse"], rows)
    print("coarse:", sum(r[-1] for r in rows))


if __name__ == "__main__":
    main()
