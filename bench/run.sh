#!/usr/bin/env bash
# make bench: ours against dp-accounting on the same inputs, then the exact samplers. dp-accounting
# comes from the package index into an environment that is thrown away. Timings decide nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset release >/dev/null
cmake --build --preset release --target bench_accountant bench_noise >/dev/null

environment=$(mktemp -d)
trap 'rm -rf "$environment"' EXIT
python3 -m venv "$environment"
if ! "$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
        'dp-accounting==0.6.0' >&2; then
    echo 'bench: dp-accounting 0.6.0 could not be installed; only our own figures follow' >&2
    build/bench/bench_noise
    exit 0
fi
"$environment/bin/python" -W ignore bench/compare.py build/bench/bench_accountant

echo
echo 'exact samplers (target: 2 M Gaussian draws per second per core at scale 2^40)'
build/bench/bench_noise | awk '
    { print }
    /scale 2\^40 / { for (i = 1; i < NF; i++) if ($(i + 1) == "M") rate = $i }
    END { print (rate >= 2 ? "PASS" : "FAIL") "  exact Gaussian at 2^40: " rate " M draws/s" }'
