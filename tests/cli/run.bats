#!/usr/bin/env bats
# `dp2dp run`: split, train, fit and test in one command.
load helpers

seeded=("${private[@]}" --insecure-seed 1)

@test "a run prints what scripts rely on" {
    synthetic 4000 1 >t.csv
    answers run t.csv --schema s.json "${seeded[@]}" --runs 4 --json
    holds '(.runs | length) == 4 and .features == 5 and .records == 4000 and .method == "dpgd" and .solver == "counts"'
    holds 'all(.runs[], .mean, .std; has("error") and has("unfairness") and (.unfair | has("error") and has("unfairness")))'
    holds '(.runs | map(.error) | add / 4) - .mean.error | fabs < 1e-12'
    holds '(.runs | map(.unfair.unfairness) | add / 4) - .mean.unfair.unfairness | fabs < 1e-12'
    holds '.mean.error as $m | (.runs | map((.error - $m) * (.error - $m)) | add / 3 | sqrt) - .std.error | fabs < 1e-12'
    holds '.epsilon <= 1 and .epsilon > 0.99 and .delta == 1e-5 and (.private | not) and .leaks == ["insecure-noise"]'
    holds '.sizes == {"train": 2200, "pool": 800, "test": 1000}'
    holds '.mean.unfairness < .mean.unfair.unfairness'
}

@test "text is a table before and after, and says that it is not private" {
    synthetic 2000 1 >t.csv
    answers run t.csv --schema s.json "${private[@]}" --runs 2
    says "Before and after, mean of 2 runs on 500 test rows" "NOT private: counted without noise" "before after" \
        "Spread (standard deviation over the runs)" "1100 to train on, 400 to learn the rule from, 500 to test on" \
        "so the larger cost counts" "Of 100 people" "All runs together cost more"
    answers run t.csv --schema s.json "${private[@]}"
    says "Before and after, 1 run on"
    [[ "$output" != *Spread* && "$output" != *"All runs together"* ]]
}

@test "a tolerance that is probably a ratio is told" {
    synthetic 500 1 >t.csv
    answers run t.csv --schema s.json "${private[@]}" --rho 0.8
    says "CAUTION: with rho 0.8" "not a ratio as in the four-fifths rule"
    answers run t.csv --schema s.json "${private[@]}" --rho 0.8 --json
    holds '.warnings | index("rho-large") != null'
    answers sweep t.csv --schema s.json "${private[@]}" --rho 0,0.8 --out sweep.csv
    says "CAUTION: with rho 0.8"
    answers run t.csv --schema s.json "${private[@]}" --rho 0.4 --json
    holds '.warnings | index("rho-large") == null'
}

@test "the spread of a single run is null" {
    synthetic 500 1 >t.csv
    answers run t.csv --schema s.json "${private[@]}" --json
    holds '.std.error == null and .std.unfair.unfairness == null and (.runs | length) == 1 and .mean == .runs[0]'
}

@test "results do not depend on the number of threads" {
    synthetic 2000 1 >t.csv
    local threads first=""
    for threads in 1 2 3 7; do
        answers run t.csv --schema s.json "${seeded[@]}" --runs 5 --threads "$threads" --save "runs-$threads" --json
        [ -z "$first" ] || [ "$output" = "$first" ]
        first=$output
        diff -r runs-1 "runs-$threads"
    done
    answers run t.csv --schema s.json "${seeded[@]}" --threads 1 --json
    repeats run t.csv --schema s.json "${seeded[@]}" --threads 4 --json
}

@test "a split depends on the seed and the number of the run alone" {
    synthetic 1000 1 >t.csv
    answers run t.csv --schema s.json "${seeded[@]}" --runs 3 --save a
    # Other records, methods and numbers of runs give the same splits.
    { head -1 t.csv && sed 1d t.csv | tac; } >other.csv
    answers run other.csv --schema s.json --method none --solver exact --insecure-seed 1 --runs 2 --save b
    local i
    for i in 0 1; do
        cmp <(cut -d, -f1,2 "a/run-$i.csv") <(cut -d, -f1,2 "b/run-$i.csv")
    done
    differ <(cut -d, -f1,2 a/run-0.csv) <(cut -d, -f1,2 a/run-1.csv)
    answers run t.csv --schema s.json "${private[@]}" --insecure-seed 2 --save c
    differ <(cut -d, -f1,2 a/run-0.csv) <(cut -d, -f1,2 c/run-0.csv)
    # Without a seed the split is random.
    answers run t.csv --schema s.json "${private[@]}" --save d
    answers run t.csv --schema s.json "${private[@]}" --save e
    differ <(cut -d, -f1,2 d/run-0.csv) <(cut -d, -f1,2 e/run-0.csv)
}

@test "what is saved gives the figures that are printed" {
    synthetic 1500 1 >t.csv
    answers run t.csv --schema s.json "${seeded[@]}" --runs 2 --save runs --json
    [ "$(ls -A runs | xargs)" = "run-0.csv run-1.csv" ]
    local i file expected
    for i in 0 1; do
        file=runs/run-$i.csv
        [ "$(head -1 "$file")" = "row,split,group,label,unfair,prediction" ]
        [ "$(sed 1d "$file" | cut -d, -f1 | xargs)" = "$(seq 0 1499 | xargs)" ]
        [ "$(cut -d, -f2 "$file" | sort | uniq -c | xargs)" = "300 pool 1 split 375 test 825 train" ]
        # Groups and labels are those of the table.
        cmp <(sed 1d "$file" | cut -d, -f3,4) <(sed 1d t.csv | cut -d, -f6,7)
        expected=$(awk -F, '
            function abs(x) { return x < 0 ? -x : x }
            $2 == "test" {
                n++; wrong += $6 != $4; wrong_before += $5 != $4
                size[$3]++; got[$3, $6]++; before[$3, $5]++
            }
            END {
                for (k = 0; k < 3; k++) {
                    d = abs(got[-1, k] / size[-1] - got[1, k] / size[1]); u = d > u ? d : u
                    d = abs(before[-1, k] / size[-1] - before[1, k] / size[1]); v = d > v ? d : v
                }
                printf "[%.12f, %.12f, %.12f, %.12f]", wrong / n, u, wrong_before / n, v
            }' "$file")
        holds ".runs[$i] | [.error, .unfairness, .unfair.error, .unfair.unfairness] as \$got |
            $expected as \$want | all(range(4); (\$got[.] - \$want[.]) | fabs < 1e-11)"
    done
}

@test "rows that the schema leaves out count as records and get no decision, and positions are the table's" {
    synthetic 300 1 >t.csv
    "$DP2DP" schema --columns "x1:-4:4:drop,s:sensitive:-1|1,y:label:0|1|2" --missing '""' --out d.json
    sed '2s/^[^,]*//; 101s/^[^,]*//' t.csv >gaps.csv
    answers run gaps.csv --schema d.json "${seeded[@]}" --save runs --json
    holds '.records == 300 and .features == 1'
    [ "$(sed 1d runs/run-0.csv | cut -d, -f1 | xargs)" = "$(seq 0 299 | sed '1d; 100d' | xargs)" ]
}

@test "a run is train, fit and evaluate on its own split" {
    synthetic 3000 1 >t.csv
    answers run t.csv --schema s.json --method none --solver exact --rho 0.05 --insecure-seed 4 --save runs --json
    local run=$output part
    for part in train pool test; do
        { head -1 t.csv && paste -d, <(sed 1d runs/run-0.csv | cut -d, -f2) <(sed 1d t.csv) |
            sed -n "s/^$part,//p"; } >$part.csv
    done
    answers train train.csv --schema s.json --method none --out c.json
    answers fit pool.csv --model c.json --solver exact --rho 0.05 --out f.json
    answers evaluate f.json test.csv --json
    [ "$(jq -c '[.error, .unfairness, .unfair.error, .unfair.unfairness]' <<<"$output")" = \
        "$(jq -c '.runs[0] | [.error, .unfairness, .unfair.error, .unfair.unfairness]' <<<"$run")" ]
    answers predict f.json t.csv
    cmp <(sed 1d <<<"$output") <(sed 1d runs/run-0.csv | cut -d, -f6)
}

@test "a noise seed is not used twice" {
    synthetic 1000 1 >t.csv
    # At this epsilon noise dominates: runs with equal noise would have nearly equal errors.
    answers run t.csv --schema s.json --epsilon 0.05 --delta 1e-5 --insecure-seed 1 --runs 6 --json
    holds '(.runs | map(.unfair.error) | unique | length) >= 5'
}

@test "budgets are needed by whatever adds noise" {
    synthetic 400 1 >t.csv
    refuses 2 "--epsilon E is needed" run t.csv --schema s.json
    refuses 2 "(for a result without privacy, use --method none --solver exact or --epsilon inf)" run t.csv --schema s.json --method none
    refuses 2 "--epsilon E is needed" run t.csv --schema s.json --solver exact
    refuses 2 "--delta D is needed" run t.csv --schema s.json --epsilon 1
    answers run t.csv --schema s.json --method none --solver exact --json
    holds '.epsilon == null and .delta == null and (.leaks | index("no-noise") and index("classifier-not-private"))'
    answers run t.csv --schema s.json --method none "${private[@]}" --json
    holds '.epsilon == null and .leaks == ["classifier-not-private"]'
    answers run t.csv --schema s.json --solver exact "${private[@]}" --json
    holds '.epsilon == null and .leaks == ["no-noise"]'
    answers run t.csv --schema s.json --epsilon inf --json
    holds '.epsilon == null'
    local method
    for method in dpsgd output; do
        answers run t.csv --schema s.json --method "$method" --solver sgd "${private[@]}" --json
        holds ".method == \"$method\" and .epsilon <= 1 and .leaks == []"
    done
}

@test "splits are checked" {
    synthetic 100 1 >t.csv
    local split
    for split in 0.5,0.5 0.5,0.2,0.2 0.5,0.5,0 1,0,0 0.4,0.4,0.4 a,b,c 0.25,0.25,0.25,0.25 0.5,0.25,0.25, 0.5,-0.25,0.75 nan,0.5,0.5; do
        refuses 2 "--split '$split' is not three numbers above 0 that sum to 1" \
            run t.csv --schema s.json "${private[@]}" --split="$split"
    done
    answers run t.csv --schema s.json "${private[@]}" --split 0.6,0.2,0.2 --json
    holds '.sizes == {"train": 60, "pool": 20, "test": 20}'
    answers run t.csv --schema s.json "${private[@]}" --split 0.29,0.57,0.14 --json
    holds '.sizes == {"train": 29, "pool": 57, "test": 14}'
    answers run t.csv --schema s.json "${private[@]}" --split 0.333,0.333,0.334 --json
    holds '.sizes == {"train": 33, "pool": 33, "test": 34}'
    head -4 t.csv >few.csv
    refuses 4 "3 rows are too few for --split 0.55,0.20,0.25" run few.csv --schema s.json "${private[@]}"
}

@test "a budget so small that noise swamps works, and is said in plain words" {
    synthetic 300 1 >t.csv
    answers run t.csv --schema s.json --epsilon 0.001 --delta 1e-5
    says "CAUTION: the budget is too small for so few people: the result is noise"
}

@test "one class present, fewer rows than classes and all-zero features work" {
    synthetic 500 1 >t.csv
    awk -F, 'NR == 1 || $NF == 1' t.csv >one.csv
    head -11 t.csv >few.csv
    awk -F, -v OFS=, 'NR > 1 { for (i = 1; i <= 5; i++) $i = 0 } { print }' t.csv >zeros.csv
    local table
    for table in one few zeros; do
        answers run "$table.csv" --schema s.json "${private[@]}" --json
        answers run "$table.csv" --schema s.json --method none --solver exact --json
    done
}

@test "errors are told as everywhere, and leave no folder behind" {
    synthetic 200 1 >t.csv
    sed '7s/^[^,]*/oops/' t.csv >bad.csv
    refuses 4 'column "x1"' run bad.csv --schema s.json "${private[@]}" --save runs
    [[ "$stderr" == *"line 7"* && "$stderr" == *bad.csv* && "$stderr" != *oops* ]]
    [ ! -e runs ]
    refuses 2 "dp2dp run trains the classifier itself, so --method external cannot be used" run t.csv --schema s.json --method external "${private[@]}"
    refuses 2 "TABLE is missing" run --schema s.json "${private[@]}"
    refuses 2 "--runs 0 is below its bound 1" run t.csv --schema s.json "${private[@]}" --runs 0
    "$DP2DP" schema --columns "x1:-4:4,y:label:0|1|2" --out plain.json
    refuses 4 "no sensitive column" run t.csv --schema plain.json "${private[@]}"
    echo file >taken
    refuses 1 "--save" run t.csv --schema s.json "${private[@]}" --save taken
    refuses 1 "--save: cannot write" run t.csv --schema s.json "${private[@]}" --save no/such/folder
    # sgd-as-published cannot be charged with several rows per person: it fails after the folder was made
    refuses 2 "" run t.csv --schema s.json "${private[@]}" --solver sgd-as-published --rows-per-person 2 --save runs
    [ ! -e runs ]
    mkdir t && mv t.csv t/run-0.csv
    refuses 2 "--save would overwrite an input" run t/run-0.csv --schema s.json "${private[@]}" --save t
    [ "$(wc -l <t/run-0.csv)" -eq 201 ]
}

@test "an interrupt ends all runs: 130, nothing saved" {
    synthetic 20000 1 >t.csv
    interrupted "dp2dp run: interrupted" run t.csv --schema s.json "${private[@]}" --runs 1000 --save runs
    [ "$code" -eq 130 ]
    [ ! -s out ]
    [ ! -e runs ]
}

@test "adult is run by its name, in the sizes of the paper's protocol" {
    [ -n "${DP2DP_DATA:-}" ] || skip "needs DP2DP_DATA"
    answers run --schema adult --epsilon 0.5 --delta 1e-5 --rho 0 --split 0.55,0.20,0.25 --runs 2 --insecure-seed 1 --json
    holds '.features == 102 and .records == 45222 and .sizes == {"train": 24872, "pool": 9044, "test": 11306}'
    holds '.mean.unfair.error < 0.165 and .mean.unfairness < 0.04 and .mean.unfair.unfairness > 0.15 and .mean.error < 0.19'
    answers run --schema parkinsons --data-dir "$DP2DP_DATA" --method none --solver exact --insecure-seed 1 --save p --json
    holds '.features == 19 and .records == 5875 and .mean.unfair.error < 0.08'
    [ "$(wc -l <p/run-0.csv)" -eq 5876 ]
    # Rows with missing values are dropped; positions still count them.
    answers run --schema adult --method none --solver exact --insecure-seed 1 --save a --json
    holds '.data_set == {name: "adult", rows: "complete", table_rows: 48842} and .records == 45222'
    [ "$(wc -l <a/run-0.csv)" -eq 45223 ]
    [ "$(tail -1 a/run-0.csv | cut -d, -f1)" -gt 45222 ]
}

@test "rows of one person may be in both parts, and are charged for both" {
    synthetic 2000 1 >t.csv
    answers run t.csv --schema s.json "${seeded[@]}" --rows-per-person 2 --json
    holds '.epsilon > 1.3 and .epsilon < 1.6 and .rows_per_person == 2'
    answers run t.csv --schema s.json "${private[@]}" --rows-per-person 2
    says "a person's rows may be in train and pool, so both costs count"
}

@test "the criterion that the rule aims at is in the first table and in JSON" {
    synthetic 2000 1 >t.csv
    answers run t.csv --schema s.json "${seeded[@]}" --criterion equalized_odds --runs 2 --json
    holds 'all(.runs[], .mean, .std; .criterion_unfairness == .criteria.equalized_odds.unfairness and
        .unfair.criterion_unfairness == .criteria.equalized_odds.unfairness_before)'
    holds '(.mean.criterion_unfairness > .mean.unfair.criterion_unfairness) ==
        ((.warnings | index("unfairness-larger")) != null)'
    answers run t.csv --schema s.json "${seeded[@]}" --criterion equalized_odds --runs 2
    says "unfairness, equalized_odds" "unfairness, demographic_parity"
    answers run t.csv --schema s.json --epsilon 0.001 --delta 1e-9 --insecure-seed 1 --solver counts --json
    holds '(.mean.unfairness > .mean.unfair.unfairness) == ((.warnings | index("unfairness-larger")) != null)'
}

@test "a class that nobody has is told" {
    draft_rows() { awk 'BEGIN { srand(3); print "x,s,v"; for (i = 0; i < 600; i++) print rand() "," (i % 2 ? "a" : "b") "," int(9 * rand()) }'; }
    draft_rows >t.csv
    answers schema --columns 'x:0:1,s:sensitive:a|b,v:label:>5000' --out s.json
    answers run t.csv --schema s.json --epsilon 1 --delta 1e-5
    says "CAUTION: one of the classes is nobody's label in this table"
    answers run t.csv --schema s.json --epsilon 1 --delta 1e-5 --json
    holds '.warnings | index("empty-class")'
}

@test "what cannot be compared is a dash, and not nan" {
    synthetic 200 1 | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "s") at = i } NR == 1 || $at == 1' >one.csv
    answers run one.csv --schema s.json --method none --solver exact
    says "There are not enough groups in the test part to compare their rates."
    [[ "$output" != *nan* && "$output" =~ demographic_parity\ +-\ +- ]]
}

@test "ties are not answered with an option that run lacks" {
    LC_ALL=C awk '
        function uniform() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
        BEGIN {
            seed = 7
            print "job,sex,y"
            for (i = 0; i < 6000; i++) {
                sex = uniform() < .5 ? "F" : "M"
                job = uniform() < (sex == "F" ? .3 : .7) ? "smith" : "clerk"
                printf "%s,%s,%s\n", job, sex, uniform() < (job == "smith" ? .6 : .45) ? "yes" : "no"
            }
        }' >ties.csv
    "$DP2DP" schema --columns 'job:smith|clerk,sex:sensitive:F|M,y:label:no|yes' --out ties.json >/dev/null
    answers run ties.csv --schema ties.json --method none "${private[@]}" --insecure-seed 1
    says "A dither (a random number added to each score) breaks such ties, but dp2dp run has no option for this: use dp2dp train, and then dp2dp fit --dither W."
    [[ "$output" != *"dither breaks such ties."* ]]
}
