#!/usr/bin/env bats
# SQL and Parquet as tables. All but the first need DuckDB's library: the one that DP2DP_DUCKDB names,
# that tools/fetch_duckdb fetched, or of the system; where there is none they are skipped.

load helpers

columns=(--scores p_no,p_yes --classes no,yes --sensitive sex --groups F,M)

need_duckdb() {
    # It cannot see how a library built without it synchronises.
    [ -z "${TSAN_OPTIONS:-}" ] || skip "not under the thread sanitizer"
    local fetched=$BATS_TEST_DIRNAME/../../build/duckdb/libduckdb.so
    if [ -z "${DP2DP_DUCKDB:-}" ] && [ -e "$fetched" ]; then
        export DP2DP_DUCKDB=$fetched
    fi
    people 4000 3 >pool.csv
    separately "$DP2DP" fit "VALUES (1)" "${columns[@]}" --solver exact --rho 0 --out none.json
    if [ -z "${DP2DP_DUCKDB:-}" ] && [[ "$stderr" == *"libduckdb.so is not installed"* ]]; then
        skip "no libduckdb.so; tools/fetch_duckdb gets it"
    fi
}

@test "a library that does not load is named, and nothing is written" {
    DP2DP_DUCKDB=/nowhere/libduckdb.so refuses 1 "DP2DP_DUCKDB: cannot be loaded: /nowhere" \
        fit scores.parquet "${columns[@]}" --solver exact --rho 0 --out model.json
    [ ! -e model.json ]
}

@test "a query gives the model of the file that it reads" {
    need_duckdb
    fits --solver exact --rho 0.02 --out csv.json
    answers fit "SELECT * FROM 'pool.csv'" "${columns[@]}" --solver exact --rho 0.02 --out sql.json
    cmp csv.json sql.json
    answers fit "SELECT id, p_yes, sex, 1 - p_yes AS p_no FROM 'pool.csv' WHERE id <= 4000;" \
        "${columns[@]}" --solver exact --rho 0.02 --out computed.json
}

@test "predictions are in the order of the query" {
    need_duckdb
    fits --solver exact --rho 0 --out model.json
    "$DP2DP" predict model.json pool.csv --out forwards.csv
    "$DP2DP" predict model.json "SELECT * FROM 'pool.csv'" --out query.csv
    "$DP2DP" predict model.json "SELECT * FROM 'pool.csv' ORDER BY id DESC" --out backwards.csv
    cmp forwards.csv query.csv
    [ "$(wc -l <forwards.csv)" -eq 4001 ]
    cmp <(tail -n +2 forwards.csv | tac) <(tail -n +2 backwards.csv)
}

@test "evaluate and certify take queries" {
    need_duckdb
    fits --solver exact --rho 0 --out model.json
    answers evaluate model.json pool.csv --label y --json
    local from_file=$output
    answers evaluate model.json "FROM read_csv('pool.csv', all_varchar = true)" --label y --json
    [ "$output" = "$from_file" ]
    answers certify model.json "FROM 'pool.csv'" --epsilon 1 --delta 1e-5 --insecure-seed 1 --json
    holds '.unfairness_upper < 1'
}

@test "wrong SQL is a usage error, wrong rows are data errors, without a cell in the message" {
    need_duckdb
    refuses 2 'Binder Error: Referenced column "nope" not found' \
        fit "SELECT nope FROM 'pool.csv'" "${columns[@]}" --solver exact --rho 0 --out model.json
    refuses 1 "IO Error: No files found" \
        fit "SELECT * FROM 'gone.csv'" "${columns[@]}" --solver exact --rho 0 --out model.json
    refuses 4 'no column is named "p_no"' \
        fit "SELECT p_yes, sex FROM 'pool.csv'" "${columns[@]}" --solver exact --rho 0 \
        --out model.json
    refuses 4 'row 7, column "p_no": NULL' \
        fit "SELECT * REPLACE (CASE WHEN id <> 7 THEN p_no END AS p_no) FROM 'pool.csv'" \
        "${columns[@]}" --solver exact --rho 0 --out model.json
    refuses 4 "DuckDB reports: Conversion Error" \
        fit "SELECT * REPLACE (CAST(sex || 'cell' AS DOUBLE) AS p_no) FROM 'pool.csv'" \
        "${columns[@]}" --solver exact --rho 0 --out model.json
    [[ "$stderr" != *Mcell* && "$stderr" != *Fcell* ]]
    [ ! -e model.json ]
}
