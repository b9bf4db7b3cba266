#!/usr/bin/env bats
# SQL and Parquet as tables. Tests that need DuckDB's library use the one named by DP2DP_DUCKDB, fetched by
# tools/fetch_duckdb or installed; without one they are skipped.

load helpers

need_duckdb() {
    # The sanitizer cannot see the locks of a library that was built without it.
    [ -z "${TSAN_OPTIONS:-}" ] || skip "not under the thread sanitizer"
    local fetched=$BATS_TEST_DIRNAME/../../build/duckdb/libduckdb.so
    if [ -z "${DP2DP_DUCKDB:-}" ] && [ -e "$fetched" ]; then
        export DP2DP_DUCKDB=$fetched
    fi
    people 4000 3 >pool.csv
    separately "$DP2DP" fit "VALUES (1)" "${scored[@]}" --solver exact --rho 0 --out none.json
    if [ -z "${DP2DP_DUCKDB:-}" ] && [[ "$stderr" == *"DuckDB, which is not installed"* ]]; then
        skip "no libduckdb.so; tools/fetch_duckdb gets it"
    fi
}

@test "a library that does not load is named, and nothing is written" {
    DP2DP_DUCKDB=/nowhere/libduckdb.so refuses 1 "DP2DP_DUCKDB: cannot be loaded: /nowhere" \
        fit scores.parquet "${scored[@]}" --solver exact --rho 0 --out model.json
    [ ! -e model.json ]
}

# not_parquet WORDS: predict refuses x.parquet, before it looks for DuckDB.
not_parquet() {
    DP2DP_DUCKDB=/nowhere/libduckdb.so refuses 4 "$1" evaluate model.json x.parquet
}

@test "a file that is named .parquet and is not Parquet is called what it looks like" {
    people 50 1 >pool.csv
    answers fit pool.csv "${scored[@]}" --solver exact --out model.json
    cp pool.csv x.parquet
    not_parquet "the file's name ends in .parquet, but the file is text, perhaps CSV: x.parquet; give it a name that ends in .csv"
    gzip -c pool.csv >x.parquet
    not_parquet "the file's name ends in .parquet, but the file is not Parquet: x.parquet"
    : >x.parquet
    not_parquet "the file is empty"
    printf 'PAR1\025\004\025\020' >x.parquet
    not_parquet "the file was cut off: its end is missing"
    printf 'SQLite format 3\0' >x.parquet
    not_parquet "the file is an SQLite database"
    rm x.parquet && mkdir x.parquet
    not_parquet "this is a folder, not a Parquet file: x.parquet; to read the files in it, give a query"
    printf 'PAR1 and PAR1' >y.parquet
    DP2DP_DUCKDB=/nowhere/libduckdb.so refuses 1 "DP2DP_DUCKDB: cannot be loaded" evaluate model.json y.parquet
}

# Where DuckDB is looked for, without what this machine has of it.
elsewhere() { # VARIABLE=VALUE...: the arguments for env
    echo -u DP2DP_DUCKDB -u VIRTUAL_ENV -u CONDA_PREFIX HOME="$PWD" "$@"
}

@test "without DuckDB the message has the command that installs it" {
    [ -n "${DP2DP_CC:-}" ] || skip "no C compiler"
    cp "$DP2DP" alone # not in an environment of Python
    # shellcheck disable=SC2046 # several words
    run env $(elsewhere) ./alone schema --draft-from people.parquet
    if [ "$status" -eq 1 ] && [[ "$output" != *"not installed"* ]]; then
        [[ "$output" == *"IO Error"* ]] # this machine has DuckDB
    else
        [[ "$output" == *"SQL and Parquet need DuckDB, which is not installed; run pip install duckdb"* ]]
    fi
}

@test "a package of Python that cannot be loaded is named, with what it needs" {
    [ -n "${DP2DP_CC:-}" ] || skip "no C compiler"
    local packages=env/lib/python3.99/site-packages
    mkdir -p "$packages"
    echo 'extern int Py_Nothing; int *duckdb_other(void) { return &Py_Nothing; }' >module.c
    echo 'int Py_Nothing;' >python.c
    "$DP2DP_CC" -shared -fPIC module.c -o "$packages/_duckdb.cpython-399-x86_64-linux-gnu.so"
    look() {
        # shellcheck disable=SC2046 # several words
        run env $(elsewhere "VIRTUAL_ENV=$PWD/env") "$DP2DP" schema --draft-from people.parquet
        echo "$output"
        [ "$status" -eq 1 ]
    }
    look
    [[ "$output" == *"$packages/_duckdb.cpython-399"*"needs libpython3.99.so.1.0"*"apt-get install libpython3.99" ]] ||
        [[ "$output" == *"IO Error"* ]] # this machine has DuckDB elsewhere
    "$DP2DP_CC" -shared -fPIC python.c -o env/lib/libpython3.99.so.1.0
    look
    [[ "$output" == *"$packages/_duckdb.cpython-399"*"is older or does not load; run pip install --upgrade duckdb" ]] ||
        [[ "$output" == *"IO Error"* ]]
    # The Python that the environment was made from may have the library instead.
    mkdir -p home/lib
    mv env/lib/libpython3.99.so.1.0 home/lib
    echo "home = $PWD/home/bin" >env/pyvenv.cfg
    look
    [[ "$output" == *"is older or does not load"* ]] || [[ "$output" == *"IO Error"* ]]
}

@test "a module near a program that is not installed is not loaded" {
    [ -n "${DP2DP_CC:-}" ] || skip "no C compiler"
    echo '#include <stdio.h>
        __attribute__((constructor)) static void start(void) { fputs("the module runs\n", stderr); }' >module.c
    look() {
        # shellcheck disable=SC2046 # several words
        run env $(elsewhere) "$PWD/$1/dp2dp" schema --draft-from people.parquet
        echo "$output"
    }
    local packages=shared/lib/python3.99/site-packages folder
    mkdir -p shared/tools shared/bin "$packages/dp2dp.scripts"
    for folder in shared "$packages"; do
        "$DP2DP_CC" -shared -fPIC module.c -o "$folder/_duckdb.abi3.so"
    done
    for folder in shared/tools shared/bin "$packages/dp2dp.scripts"; do
        cp "$DP2DP" "$folder/dp2dp"
    done
    look shared/tools
    [[ "$output" != *"the module runs"* ]]
    [[ "$output" != *"IO Error"* ]] || skip "this machine has DuckDB elsewhere"
    # An installed program has its packages beside it.
    look shared/bin
    [[ "$output" == *"the module runs"* ]]
    look "$packages/dp2dp.scripts"
    [[ "$output" == *"the module runs"* ]]
}

@test "DuckDB of the active Python environment is used if there is no other" {
    local venv=${DP2DP_SOURCE_DIR:-$BATS_TEST_DIRNAME/../..}/build/venv
    compgen -G "$venv/lib/python3*/site-packages/_duckdb.*.so" >/dev/null || skip "no libduckdb.so in build/venv"
    [ -z "${TSAN_OPTIONS:-}" ] || skip "not under the thread sanitizer"
    # shellcheck disable=SC2046 # several words
    run env $(elsewhere "VIRTUAL_ENV=$venv") "$DP2DP" schema --draft-from "SELECT 1 AS id, 'F' AS sex"
    echo "$output"
    # A Python without a library of its own is no help, and that is said.
    [[ "$status" -eq 0 && "$output" == *'"sex"'* ]] || [[ "$output" == *"apt-get install libpython3."* ]]
}

@test "a query gives the model of the file that it reads" {
    need_duckdb
    fits --solver exact --rho 0.02 --out csv.json
    answers fit "SELECT * FROM 'pool.csv'" "${scored[@]}" --solver exact --rho 0.02 --out sql.json
    cmp csv.json sql.json
    answers fit "SELECT id, p_yes, sex, 1 - p_yes AS p_no FROM 'pool.csv' WHERE id <= 4000;" \
        "${scored[@]}" --solver exact --rho 0.02 --out computed.json
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
    repeats evaluate model.json "FROM read_csv('pool.csv', all_varchar = true)" --label y --json
    answers certify model.json "FROM 'pool.csv'" --epsilon 1 --delta 1e-5 --insecure-seed 1 --json
    holds '.unfairness_upper < 1'
}

@test "wrong SQL is a usage error, wrong rows are data errors, without a cell in the message" {
    need_duckdb
    refuses 2 'Binder Error: Referenced column "nope" not found' \
        fit "SELECT nope FROM 'pool.csv'" "${scored[@]}" --solver exact --rho 0 --out model.json
    refuses 1 "IO Error: No files found" \
        fit "SELECT * FROM 'gone.csv'" "${scored[@]}" --solver exact --rho 0 --out model.json
    refuses 4 'no column is named "p_no"' \
        fit "SELECT p_yes, sex FROM 'pool.csv'" "${scored[@]}" --solver exact --rho 0 \
        --out model.json
    refuses 4 'row 7, column "p_no": NULL' \
        fit "SELECT * REPLACE (CASE WHEN id <> 7 THEN p_no END AS p_no) FROM 'pool.csv'" \
        "${scored[@]}" --solver exact --rho 0 --out model.json
    refuses 4 "DuckDB reports: Conversion Error" \
        fit "SELECT * REPLACE (CAST(sex || 'cell' AS DOUBLE) AS p_no) FROM 'pool.csv'" \
        "${scored[@]}" --solver exact --rho 0 --out model.json
    [[ "$stderr" != *Mcell* && "$stderr" != *Fcell* ]]
    [ ! -e model.json ]
}

@test "raw rows come from queries in every verb that takes them, and markers count there too" {
    need_duckdb
    "$DP2DP" schema --columns 'age:0:100:drop,s:sensitive:F|M,y:label:no|yes' --out my.json
    { echo age,s,y; printf '%s,F,no\n%s,M,yes\n' {1..40}; echo NA,F,no; } >rows.csv
    local rows="FROM read_csv('rows.csv', all_varchar = true)"
    local from table=rows.csv
    for from in file query; do
        "$DP2DP" train "$table" --schema my.json --method none --missing NA --out $from.json >/dev/null
        "$DP2DP" fit "$table" --model $from.json --solver exact --missing NA --out fair-$from.json >/dev/null
        "$DP2DP" predict fair-$from.json "$table" --missing NA >$from.csv
        "$DP2DP" run "$table" --schema my.json --method none --solver exact --runs 1 --split .5,.25,.25 \
            --insecure-seed 1 --missing NA --json >$from.run
        "$DP2DP" schema --columns age,s:sensitive,y:label --draft-from "$table" --missing NA >$from.draft
        table=$rows
    done
    cmp file.json query.json
    cmp fair-file.json fair-query.json
    cmp file.csv query.csv
    cmp file.draft query.draft
    cmp file.run query.run
}

@test "a skeleton has the columns of a query, dates and lists too" {
    need_duckdb
    answers schema --draft-from "SELECT 1 AS id, DATE '2020-01-31' AS joined, [1, 2] AS list, 'F' AS sex"
    holds '.columns | map(.name) == ["id", "joined", "list", "sex"]'
}

@test "a NULL in Parquet is a missing value of CSV, and spoils no other" {
    need_duckdb
    "$DP2DP" schema --columns 'age:0:100:level,job:clerk|weaver:level,s:sensitive:F|M,y:label:no|yes' --out my.json
    { echo age,job,s,y; printf '%s,clerk,F,no\nNA,weaver,M,yes\n%s,NA,M,no\n%s,weaver,F,yes\n' {1..900}; } >rows.csv
    local rows="SELECT nullif(age, 'NA')::DOUBLE AS age, nullif(job, 'NA') AS job, s, y
        FROM read_csv('rows.csv', all_varchar = true)" from table=rows.csv
    for from in file query; do
        "$DP2DP" train "$table" --schema my.json --method none --missing NA --out $from.json >/dev/null
        "$DP2DP" fit "$table" --model $from.json --solver exact --missing NA --out fair-$from.json >/dev/null
        "$DP2DP" predict fair-$from.json "$table" --missing NA >$from.csv
        table=$rows
    done
    cmp file.json query.json
    cmp file.csv query.csv
}

@test "a file that exists is read, however much its name looks like a query" {
    people 400 3 >pool.csv
    fits --solver exact --rho 0 --out model.json
    answers predict model.json pool.csv
    cp pool.csv "values(1).csv"
    cp pool.csv "with'x.csv"
    local name
    for name in "values(1).csv" "with'x.csv"; do
        DP2DP_DUCKDB=/nowhere repeats predict model.json "$name"
    done
}

@test "decisions go to Parquet and come back" {
    need_duckdb
    fits --solver exact --rho 0 --out model.json
    answers predict model.json pool.csv --keep id --out decided.csv
    answers predict model.json pool.csv --keep id --out decided.parquet
    [ "${output%%$'\n'*}" = "4000 decisions, written to decided.parquet" ]
    [ "$(head -c 4 decided.parquet)" = PAR1 ]
    # What is read from both files is the same: the groups of a model are the decisions here.
    local from
    for from in "read_csv('decided.csv', all_varchar = true)" "'decided.parquet'"; do
        answers fit "SELECT id::INT / 4000 AS p, 1 - p AS q, prediction FROM $from" \
            --scores p,q --sensitive prediction --groups no,yes --solver exact --rho 0 --out same.json --force
        sha256sum same.json >>sums
    done
    [ "$(sort -u sums | wc -l)" -eq 1 ]
    refuses 2 "--force" predict model.json pool.csv --out decided.parquet
    mkfifo pipe.parquet
    refuses 2 "Parquet cannot be written to a pipe" predict model.json pool.csv --out pipe.parquet
    [ -z "$(find . -name '.*' -type f)" ]
}
