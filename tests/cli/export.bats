#!/usr/bin/env bats
# `dp2dp export`: the rule as SQL, ONNX or C. tests/python/test_export.py runs the exports in their engines.
load helpers

begin() {
    people 800 1 >pool.csv
    answers fit pool.csv "${scored[@]}" "${private[@]}" --out model.json
}

@test "SQL is one SELECT whose last column is the prediction" {
    answers export model.json --sql duckdb --table people
    [[ "$output" == 'SELECT *,'*' AS prediction'$'\n''FROM "people" AS dp2dp_rows' ]]
    [[ "$output" == *'"p_no"'*'"p_yes"'*'"sex"'*"'F'"*"'no'"*"'yes'"*"'M'"* ]]
    [[ "$output" != *';'* ]]
    answers export model.json --sql spark --table main.people
    [[ "$output" == *'FROM `main`.`people` AS '* ]]
}

@test "SQLite decides as predict does" {
    command -v sqlite3 >/dev/null || python3 -c 'import sqlite3' || skip "needs SQLite"
    answers export model.json --sql sqlite --table pool --out rule.sql
    says "The rule for sqlite, written to rule.sql"
    answers predict model.json pool.csv --out decisions.csv
    cat >decide.py <<'PROGRAM'
import csv, sqlite3
rows = list(csv.DictReader(open("pool.csv")))
database = sqlite3.connect(":memory:")
database.execute("CREATE TABLE pool (p_no REAL, p_yes REAL, sex TEXT)")
for row in rows:
    values = float(row["p_no"]), float(row["p_yes"]), row["sex"]
    database.execute("INSERT INTO pool VALUES (?, ?, ?)", values)
print("prediction")
for row in database.execute(open("rule.sql").read()):
    print(row[-1])
PROGRAM
    python3 decide.py >found.csv
    diff found.csv decisions.csv
}

@test "a C header compiles and decides" {
    answers export model.json --c-header --out rule.h
    says "The rule for C, written to rule.h"
    cat >main.c <<'PROGRAM'
#include <stdio.h>
#include "rule.h"
int main(void) {
    const double yes[] = {0.01, 0.99}, percent[] = {1, 99};
    int refused = dp2dp_rule_decide(yes, "X") + dp2dp_rule_decide(percent, "F");
    printf("%s %d\n", dp2dp_rule_classes[dp2dp_rule_decide(yes, "F")], refused);
    return 0;
}
PROGRAM
    "${DP2DP_CC:-cc}" -std=c99 -Wall -Werror -Wno-unused-function main.c -o main
    [ "$(./main)" = "yes -2" ]
}

@test "ONNX is binary and goes to a file or a pipe" {
    answers export model.json --onnx --json --out rule.onnx
    holds '.format == "onnx" and .out == "rule.onnx" and .model == "model.json" and .bytes < 1500 and .private'
    "$DP2DP" export model.json --onnx | cmp - rule.onnx
    [ "$(wc -c <rule.onnx)" = "$(jq .bytes <<<"$output")" ]
    command -v script >/dev/null || skip "needs script"
    run script -qec "$DP2DP export model.json --onnx" /dev/null
    [[ "$status" -eq 2 && "$output" == *"an ONNX file is not text, so it cannot be printed to a terminal: give --out FILE"* ]]
}

@test "the export of a model that is not private says so" {
    local to
    answers fit pool.csv "${scored[@]}" --solver exact --out exact.json
    for to in "--sql duckdb" "--sql sqlite" --c-header --onnx; do
        # shellcheck disable=SC2086 # words
        "$DP2DP" export exact.json $to | grep -aq "NOT PRIVATE: dp2dp show"
        # shellcheck disable=SC2086 # words
        [ -z "$("$DP2DP" export model.json $to | grep -a "NOT PRIVATE")" ]
    done
    answers export exact.json --sql duckdb --out rule.sql
    says "NOT PRIVATE: dp2dp show exact.json says why"
    answers export exact.json --sql duckdb --json --force --out rule.sql
    holds '.private == false'
}

@test "the commands of the page run as printed" {
    [ -n "${DP2DP_SOURCE_DIR:-}" ] || skip "needs the page"
    block export "dp2dp export model.json --onnx" >commands
    runs_as_printed 4 commands
    awk '/^```c$/ { code = 1; next } /^```/ { code = 0 } code' "$DP2DP_SOURCE_DIR/docs/export.md" >main.c
    "${DP2DP_CC:-cc}" -Wall -Werror -Wno-unused-function main.c -o main
    [ "$(./main)" = yes ]
}

@test "the page's way to a model with its own classifier decides as predict does" {
    [ -n "${DP2DP_SOURCE_DIR:-}" ] || skip "needs the page"
    command -v sqlite3 >/dev/null || python3 -c 'import sqlite3' || skip "needs SQLite"
    "$DP2DP" schema --columns "p_yes:0:1,sex:sensitive:F|M,y:label:no|yes" --out schema.json
    people 2000 2 >train.csv
    people 2000 3 >pool.csv
    people 900 4 >people.csv
    block export "dp2dp predict classifier.json" | sed 's/--sql duckdb/--sql sqlite/; s/^dp2dp export.*/& --out rule.sql/' >commands
    rm model.json
    runs_as_printed 4 commands
    answers predict model.json people.csv --out decisions.csv
    cat >decide.py <<'PROGRAM'
import csv, sqlite3
database = sqlite3.connect(":memory:")
database.execute('CREATE TABLE scores (sex TEXT, "no" REAL, "yes" REAL)')
for row in csv.DictReader(open("scores.csv")):
    values = row["sex"], float(row["no"]), float(row["yes"])
    database.execute("INSERT INTO scores VALUES (?, ?, ?)", values)
print("prediction")
for row in database.execute(open("rule.sql").read()):
    print(row[-1])
PROGRAM
    python3 decide.py >found.csv
    diff found.csv decisions.csv
    [ "$(sort -u found.csv | wc -l)" -eq 3 ]
}

@test "raw columns of a model with its own classifier are no scores" {
    "$DP2DP" schema --columns "p_yes:0:1,age:0:100,sex:sensitive:F|M,y:label:no|yes" --out schema.json
    people 2000 2 | awk -v OFS=, 'NR == 1 { print $0, "age"; next } { print $0, NR % 80 }' >train.csv
    answers train train.csv --schema schema.json --epsilon 5 --delta 1e-5 --out own.json
    answers fit train.csv --model own.json --same-people --epsilon 5 --delta 1e-5 --out rule.json
    refuses 2 "the column 'age' is a feature in the model's schema, not a column of scores" \
        export rule.json --sql sqlite --scores age,b --sensitive sex
    refuses 2 "the column 'y' is the label in the model's schema, not the group" \
        export rule.json --sql sqlite --scores a,b --sensitive y
    answers export rule.json --sql sqlite --scores a,b --sensitive sex
}

@test "one format at a time, and names only for SQL" {
    refuses 2 "give one of --sql, --onnx and --c-header" export model.json
    refuses 2 "give one of --sql, --onnx and --c-header" export model.json --onnx --c-header
    refuses 2 "--sql" export model.json --sql oracle
    refuses 2 "--table is only for --sql" export model.json --onnx --table people
    refuses 2 "--json needs --out FILE" export model.json --sql duckdb --json
    refuses 2 "--out rule.c: the output is a C header, so its name must end in .h" export model.json --c-header --out rule.c
    refuses 2 "a part of the table's name is empty" export model.json --sql duckdb --table a..b
    refuses 4 "dp2dp fit and dp2dp train make a model" export pool.csv --sql duckdb
}

@test "options name other columns" {
    answers export model.json --sql postgresql --scores 'a,b' --sensitive 'the "group"'
    [[ "$output" == *'."a"'*'."b"'*'."the ""group"""'* && "$output" != *p_no* ]]
    refuses 2 "--scores has 3 columns but the model needs 2" export model.json --sql duckdb --scores a,b,c
    refuses 2 "--group-scores is only for rules that do not see the group" \
        export model.json --sql duckdb --group-scores a,b
}

@test "a rule that does not see the group reads group scores" {
    people 800 1 | awk -F, -v OFS=, 'NR == 1 { print $0, "p_F", "p_M" } NR > 1 { print $0, "0.5,0.5" }' >pool.csv
    answers fit pool.csv "${scored[@]}" "${private[@]}" --unaware --group-scores p_F,p_M --out unaware.json
    answers export unaware.json --sql sqlite
    [[ "$output" == *'"p_F"'* && "$output" != *'"sex"'* ]]
    answers export unaware.json --sql sqlite --group-scores f,m
    [[ "$output" == *'"f"'* && "$output" != *'"p_F"'* ]]
    refuses 2 "--sensitive is only for rules that see the group" export unaware.json --sql duckdb --sensitive sex
}

@test "a dithered rule is refused, and the message says what to do" {
    local odds=(fit pool.csv "${scored[@]}" "${private[@]}" --criterion equalized_odds --label y)
    answers "${odds[@]}" --out odds.json
    refuses 2 "For equalized odds, a rule has a dither by default" export odds.json --sql duckdb
    refuses 2 "dp2dp fit --dither 0" export odds.json --onnx
    answers "${odds[@]}" --dither 0 --out plain.json
    answers export plain.json --sql duckdb
}

@test "of a model with a classifier, the rule alone is exported" {
    synthetic 600 1 >t.csv
    answers train t.csv --schema s.json "${private[@]}" --out c.json
    refuses 2 "no fair rule yet" export c.json --sql duckdb
    answers fit t.csv --model c.json "${private[@]}" --out both.json
    local only="only the rule can be exported, not the classifier, so name the column"
    local scores="s of scores (--scores, score_columns in Python)"
    local made=". To get scores, use predict --adjusted (core.score in Python) with the model from dp2dp train"
    local groups=" of groups (--sensitive, group_column in Python)"
    local spelt=". Groups must be spelt as in the model"
    refuses 2 "$only$scores and the column$groups$spelt$made" export both.json --sql duckdb
    refuses 2 "$only$groups$spelt" export both.json --sql duckdb --scores a,b,c
    refuses 2 "$only$scores$made" export both.json --sql duckdb --sensitive s
    [[ "$stderr" != *"of groups"* ]]
    refuses 2 "the column with the group is also given as a column of scores" export both.json --sql duckdb --scores a,b,c --sensitive C
    refuses 2 "upper and lower case make no difference" export both.json --sql sqlite --scores a,b,B --sensitive s
    answers export both.json --sql postgresql --scores a,b,B --sensitive s
    answers export both.json --sql duckdb --scores a,b,c --sensitive s
    [[ "$output" == *"IN ('-1', '-1.0')"* ]]
    answers export both.json --c-header
    [[ "$output" == *"without a classifier"* ]]
}

@test "the new column may have another name" {
    answers export model.json --sql sqlite --prediction 'fair "decision"'
    [[ "$output" == *$'\n  END END AS "fair ""decision"""\nFROM'* ]]
    refuses 2 "the rule reads a column named 'SEX'; give the column of the prediction another name (--prediction, prediction in Python)" \
        export model.json --sql sqlite --prediction SEX
    answers export model.json --sql postgresql --prediction SEX
    refuses 2 "--prediction is only for --sql" export model.json --onnx --prediction p --out m.onnx
}

@test "C finds a group that is a number as 1 and as 1.0, as SQL and predict do" {
    people 60 1 | sed 's/,F,/,1,/; s/,M,/,2,/' >numbers.csv
    answers fit numbers.csv --scores p_no,p_yes --sensitive sex --groups 1,2 --solver exact --out n.json
    answers export n.json --c-header --out n.h
    cat >n.c <<'END'
#include "n.h"
int main(void) {
    static const char *const names[] = {"1", "1.0", "2", "2.0", "01", "3", "1.", ""};
    static const int groups[] = {0, 0, 1, 1, -1, -1, -1, -1};
    for (int i = 0; i < 8; i++) {
        if (dp2dp_rule_group(names[i]) != groups[i]) {
            return i + 1;
        }
    }
    return dp2dp_rule_group(0) + 1;
}
END
    cc -std=c99 -Wall -Wextra -Werror -Wno-unused-function -o n n.c
    ./n
}
