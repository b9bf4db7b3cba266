#!/usr/bin/env bash
# make bench: compares with dp-accounting, fairlearn, scikit-learn, Opacus, plain numpy and pandas on the same inputs,
# and measures the exact samplers and prediction against memory. The other packages are installed into temporary
# environments. Timings never fail the run.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset release >/dev/null
cmake --build --preset release --target bench_accountant bench_noise bench_fit bench_predict \
    bench_table bench_train dp2dp_program >/dev/null

environments=$(mktemp -d)
trap 'rm -rf "$environments"' EXIT
bring() { # name package...: makes a Python environment with these packages
    local python=$environments/$1/bin/python
    python3 -m venv "$environments/$1" || return 1
    "$python" -m pip install --quiet --disable-pip-version-check "${@:2}" >&2 && return
    echo "bench: cannot install ${*:2}; only our own figures follow" >&2
    return 1
}

if bring accounting 'dp-accounting==0.6.0'; then
    "$environments/accounting/bin/python" -W ignore bench/compare.py build/bench/bench_accountant
fi

echo
echo 'exact samplers (target: 2 M Gaussian draws per second per core at scale 2^40)'
build/bench/bench_noise | awk '
    { print }
    /scale 2\^40 / { for (i = 1; i < NF; i++) if ($(i + 1) == "M") rate = $i }
    END { print (rate >= 2 ? "PASS" : "FAIL") "  exact Gaussian at 2^40: " rate " M draws/s" }'

echo
if bring fairness 'fairlearn==0.15.0'; then
    "$environments/fairness/bin/python" -W ignore bench/compare_fit.py build/bench/bench_fit
    echo
    "$environments/fairness/bin/python" -W ignore bench/compare_criteria.py build/dp2dp
else
    build/bench/bench_fit 1400000 5 5 2
    build/bench/bench_fit 10000000 2 2 2
fi

echo
if bring training 'scikit-learn==1.9.1'; then
    # torch is several gigabytes.
    opacus=()
    if bring opacus 'torch==2.15.0' 'opacus==1.6.0'; then
        opacus=("$environments/opacus/bin/python")
    fi
    "$environments/training/bin/python" -W ignore bench/compare_train.py build/bench/bench_train build/dp2dp "${opacus[@]}"
else
    build/bench/bench_train none
    build/bench/bench_train dpgd
fi

echo
if bring tables 'pandas==3.1.1' 'zstandard==0.25.0'; then
    "$environments/tables/bin/python" -W ignore bench/compare_table.py build/bench/bench_table
fi

echo
bench/compare_predict.sh build/bench/bench_table build/dp2dp

echo
echo 'prediction against memory, in the same run'
for classes in 2 5; do
    build/bench/bench_predict $((20000000 / classes)) "$classes" 2 2
done
for classes in 2 5; do
    build/bench/bench_predict $((20000000 / classes)) "$classes" 5 2 linear
    build/bench/bench_predict $((20000000 / classes)) "$classes" 5 2 dithered
    build/bench/bench_predict $((20000000 / (6 * classes))) "$classes" 5 2 weighted
    build/bench/bench_predict $((20000000 / (classes + 5))) "$classes" 5 2 by-group
done

echo
if [ -e build/venv/ready ]; then
    cmake --preset release -DDP2DP_PYTHON=ON >/dev/null
    cmake --build --preset release --target dp2dp_python >/dev/null
    PYTHONPATH=build/python build/venv/bin/python -W ignore bench/compare_python.py build/bench/bench_predict
    echo
    echo 'from rows in an engine to a model'
    PYTHONPATH=build/python build/venv/bin/python -W ignore bench/scale.py duckdb
    if [ -e build/venv-spark/ready ]; then
        PYTHONPATH=build/python build/venv-spark/bin/python -W ignore bench/scale.py spark 2>/dev/null
    else
        echo 'SKIPPED  Spark: run tools/setup spark first'
    fi
    PYTHONPATH=build/python build/venv/bin/python -W ignore bench/grid.py 1e9
else
    echo 'SKIPPED  the Python package: run tools/setup python first'
fi
