#!/usr/bin/env bats
# `dp2dp sweep`: one table of error and unfairness over many tolerances and budgets.
load helpers

columns=criterion,method,solver,rho,epsilon,delta,epsilon_holds,epsilon_claimed,run
columns+=,error,unfairness,error_before,unfairness_before
columns+=,positive,sees_group,records_train,records_pool,records_test,balanced_accuracy,disparate_impact
columns+=,unfairness_demographic_parity,unfairness_true_positive_rate_parity
columns+=,unfairness_false_positive_rate_parity,unfairness_equalized_odds
columns+=,data,records,rows_per_person,rows_of_one_person,protects,split,dither,steps,batch,tail,lambda_max,group_least,seed,version,not_private
labelled=("${scored[@]}" --label y)
grid=(--rho "0,0.05" --epsilon "1,inf" --delta 1e-5)

# raw ARGUMENT...: sweeps over the raw rows of t.csv.
raw() {
    answers sweep t.csv --schema s.json "${grid[@]}" --insecure-seed 3 "$@"
}

# swept ARGUMENT...: sweeps over the raw rows of t.csv at rho 0.05.
swept() {
    answers sweep t.csv --schema s.json --rho 0.05 --delta 1e-5 --insecure-seed 3 "$@"
}

# table ARGUMENT...: sweeps over the scores of p.csv.
table() {
    answers sweep p.csv "${labelled[@]}" "${grid[@]}" --insecure-seed 3 "$@"
}

@test "the table has the columns that scripts rely on, in order, and one row per point and run" {
    synthetic 2000 1 >t.csv
    raw --runs 2 --out s.csv
    [ "$(head -1 s.csv)" = "$columns" ]
    [ "$(cells s.csv criterion method solver rho epsilon delta run)" = "\
demographic_parity,dpgd,counts,0,1,1e-05,0
demographic_parity,dpgd,counts,0,1,1e-05,1
demographic_parity,dpgd,counts,0.05,1,1e-05,0
demographic_parity,dpgd,counts,0.05,1,1e-05,1
demographic_parity,dpgd,counts,0,inf,,0
demographic_parity,dpgd,counts,0,inf,,1
demographic_parity,dpgd,counts,0.05,inf,,0
demographic_parity,dpgd,counts,0.05,inf,,1" ]
    [ "$(cells s.csv positive sees_group records_train records_pool records_test records rows_per_person split dither steps seed |
        sort -u)" = ",true,1100,400,500,2000,1,0.55,0.20,0.25,0,0,3" ]
    [ "$(cells s.csv version not_private | sort -u)" = \
        "$("$DP2DP" --version | grep -o '[0-9.]*$'),exact numbers about real people: do not publish" ]
    # Unfairness is that under the row's own criterion.
    [ "$(cells s.csv unfairness)" = "$(cells s.csv unfairness_demographic_parity)" ]
    [ "$(stat -c %a s.csv)" = 600 ]
    [ "$(ls -A | xargs)" = "s.csv s.json t.csv" ]
}

@test "a point is what dp2dp run measures with the same seed" {
    synthetic 2000 1 >t.csv
    local options
    for options in "" "--criterion equalized_odds" "--method output" "--method none --solver exact" "--solver sgd" \
        "--unaware" "--unaware --criterion true_positive_rate_parity --positive 2" \
        "--criterion false_positive_rate_parity --counted scores" "--rows-per-person 2" \
        "--solver sgd --steps 20 --batch 64 --tail 0.5 --lambda-max 0.5"; do
        # shellcheck disable=SC2086 # words
        raw --runs 2 --out s.csv --force $options
        cells s.csv epsilon rho error error_before unfairness_demographic_parity unfairness_true_positive_rate_parity \
            unfairness_false_positive_rate_parity unfairness_equalized_odds | grep -E '^(1,|,)0.05,' | cut -d, -f3- >swept
        # shellcheck disable=SC2086
        answers run t.csv --schema s.json --rho 0.05 "${private[@]}" --insecure-seed 3 --runs 2 --json $options
        jq -r '.runs[] | [.error, .unfair.error, .criteria[].unfairness] | @csv' <<<"$output" >ran
        [ "$(wc -l <swept)" -eq 2 ]
        python3 - <<'END'
swept, ran = ([[float(x) for x in line.split(",")] for line in open(name)] for name in ("swept", "ran"))
assert swept == ran, (swept, ran)
END
    done
}

@test "rows that are left out count as records and are not measured" {
    synthetic 1000 1 | awk -F, -v OFS=, 'NR % 7 == 3 { $1 = "?" } 1' >t.csv
    refuses 4 "t.csv" sweep t.csv --schema s.json "${grid[@]}" --out s.csv
    raw --bad-rows ignore --out s.csv
    [ "$(cells s.csv records records_test | sort -u)" = "1000,250" ]
    answers run t.csv --schema s.json --rho 0.05 "${private[@]}" --insecure-seed 3 --bad-rows ignore --json
    [ "$(jq -r '.mean | [.error, .unfairness, .unfair.error] | map(. * 1e9 | round) | join(" ")' <<<"$output")" = \
        "$(cells s.csv epsilon rho error unfairness error_before |
            awk -F, '$1 == 1 && $2 == .05 { printf "%.0f %.0f %.0f\n", $3 * 1e9, $4 * 1e9, $5 * 1e9 }')" ]
}

@test "criteria, methods and solvers may be lists; noiseless points have no epsilon" {
    synthetic 1500 1 >t.csv
    raw --criterion equalized_odds,demographic_parity --method none,dpgd --solver exact,counts --out s.csv
    [ "$(cells s.csv criterion method solver epsilon | uniq -c | sed 's/^ *//')" = "\
2 equalized_odds,none,exact,
2 equalized_odds,none,counts,1
2 equalized_odds,none,counts,inf
2 equalized_odds,dpgd,exact,1
2 equalized_odds,dpgd,exact,inf
2 equalized_odds,dpgd,counts,1
2 equalized_odds,dpgd,counts,inf
2 demographic_parity,none,exact,
2 demographic_parity,none,counts,1
2 demographic_parity,none,counts,inf
2 demographic_parity,dpgd,exact,1
2 demographic_parity,dpgd,exact,inf
2 demographic_parity,dpgd,counts,1
2 demographic_parity,dpgd,counts,inf" ]
    [ "$(cells s.csv criterion dither | sort -u | xargs)" = "demographic_parity,0 equalized_odds,0.15" ]
    # A list gives the same rows as its items.
    raw --criterion demographic_parity --method dpgd --solver counts --out one.csv
    diff <(grep '^demographic_parity,dpgd,counts' s.csv) <(sed 1d one.csv)
    # A rule that does not see the group has other weights for each kind of criterion.
    raw --unaware --criterion equalized_odds,demographic_parity --out s.csv --force
    raw --unaware --criterion demographic_parity --out one.csv --force
    diff <(grep '^demographic_parity' s.csv) <(sed 1d one.csv)
    [ "$(cells s.csv sees_group | sort -u)" = false ]
}

@test "epsilon_holds is what a model promises to all its people, and empty where it promises nothing to some" {
    synthetic 4000 1 >t.csv
    local solvers=counts,exact,sgd,sgd-as-published
    swept --epsilon "1,inf" --method dpgd,none --solver $solvers --out s.csv --json
    holds 'all(.points[]; has("epsilon_holds") and (.epsilon_claimed == null) == (.solver != "sgd-as-published" or
        .epsilon == "inf"))'
    # At most the epsilon asked for, and not far below.
    cells s.csv method solver epsilon epsilon_holds epsilon_claimed | awk -F, '
        { sound = $1 == "dpgd" && $3 == 1 && ($2 == "counts" || $2 == "sgd"); claims = $2 == "sgd-as-published" && $3 == 1 }
        sound != ($4 != "") || claims != ($5 != "") { print; bad = 1 }
        (sound && ($4 > 1 || $4 < .99)) || (claims && ($5 > 1 || $5 < .99)) { print; bad = 1 }
        END { exit bad || NR != 15 }'
    # As published: with a promise about the smaller group, a bound holds, far above the claim.
    swept --epsilon 1 --solver sgd-as-published --group-least 200 --out s.csv --force
    cells s.csv epsilon_holds epsilon_claimed | awk -F, '!($1 > 2 && $2 <= 1) { exit 1 }'
    # As dp2dp run says, also for people in both phases.
    local options
    for options in "" "--rows-per-person 2" "--solver sgd-as-published --group-least 200" "--method none"; do
        # shellcheck disable=SC2086 # words
        swept --epsilon 1 --out s.csv --force $options
        # shellcheck disable=SC2086
        answers run t.csv --schema s.json --rho 0.05 "${private[@]}" --insecure-seed 3 --json $options
        [ "$(jq -r '.epsilon // ""' <<<"$output")" = "$(cells s.csv epsilon_holds)" ]
    done
    # Two phases for the same person cost more than one.
    swept --epsilon 1 --rows-per-person 2 --out s.csv --force
    cells s.csv epsilon_holds | awk '!($1 > 1.2 && $1 < 2) { exit 1 }'
    answers sweep t.csv --schema s.json --rho 0.05 "${private[@]}" --method none,dpgd --out s.csv --force
    says "A model with these settings has no epsilon that holds for all people." "With secure noise, a model with these settings has epsilon 1 for each person"
    answers sweep t.csv --schema s.json --rho 0.05 "${private[@]}" --solver sgd-as-published --out s.csv --force
    says "A model with these settings has no epsilon that holds for all people; the paper claims 1."
    people 1000 1 >p.csv
    answers sweep p.csv "${labelled[@]}" "${private[@]}" --rho 0 --out scores.csv
    cells scores.csv epsilon_holds epsilon_claimed | awk -F, '!($1 > .99 && $1 <= 1 && $2 == "") { exit 1 }'
}

@test "noise on probabilities is only for the algorithm as published, and promises nothing" {
    synthetic 4000 1 >t.csv
    local published=(--method "none,probabilities-as-published" --solver sgd-as-published) verb
    swept "${published[@]}" --epsilon "0.001,1,inf" --runs 2 --out s.csv
    [ "$(cells s.csv method epsilon epsilon_holds | sort -u | xargs)" = "none,0.001, none,1, none,inf, \
probabilities-as-published,0.001, probabilities-as-published,1, probabilities-as-published,inf," ]
    cells s.csv method epsilon epsilon_claimed | awk -F, '$2 == 1 && !($3 > .99 && $3 <= 1) { exit 1 }'
    # Without noise it is none.
    diff <(grep ',none,.*,inf,' s.csv | cut -d, -f3-) <(grep ',probabilities-as-published,.*,inf,' s.csv | cut -d, -f3-)
    # At epsilon 1 and 2,200 people the noise is near 0.002, which moves few decisions; at 0.001 it is
    # above 1 and decides alone: two of three classes are wrong, within 5 standard deviations of 1,000 people.
    cells s.csv method epsilon error_before | awk -F, '
        $1 == "none" { plain = $3; next }
        $2 == 1 { near += $3 - plain < .02 && plain - $3 < .02; moved += $3 != plain }
        $2 == .001 { chance += $3 > .592 && $3 < .742 }
        END { exit near != 2 || moved == 0 || chance != 2 }'
    # The points of a run share their noise: a list gives the rows of its items, with any number of threads.
    swept --method probabilities-as-published --solver sgd-as-published --epsilon 1 --runs 2 --threads 1 --out one.csv
    diff <(grep ',probabilities-as-published,.*,0.05,1,' s.csv) <(sed 1d one.csv)
    for verb in counts "sgd-as-published,counts" exact sgd; do
        refuses 2 "--method probabilities-as-published is only for --solver sgd-as-published" \
            sweep t.csv --schema s.json "${private[@]}" --method probabilities-as-published --solver "$verb" --out no.csv
    done
    refuses 2 "'probabilities-as-published' is not one of" run t.csv --schema s.json "${private[@]}" \
        --method probabilities-as-published --solver sgd-as-published
    refuses 2 "'probabilities-as-published' is not one of" train t.csv --schema s.json "${private[@]}" \
        --method probabilities-as-published --out no.json
}

@test "settings of the solver reach the solvers that have them, and not the training" {
    synthetic 1500 1 >t.csv
    raw --solver counts,sgd,sgd-as-published,exact --out plain.csv
    raw --solver counts,sgd,sgd-as-published,exact --batch 64 --out batch.csv
    cmp <(grep -E ',(counts|exact),' plain.csv) <(grep -E ',(counts|exact),' batch.csv)
    [ "$(cells plain.csv error_before)" = "$(cells batch.csv error_before)" ]
    local solver
    for solver in sgd sgd-as-published; do
        differ <(cells plain.csv solver error | grep "^$solver,") <(cells batch.csv solver error | grep "^$solver,")
    done
    [ "$(cells batch.csv solver steps batch tail lambda_max group_least | uniq)" = "\
counts,0,,1,,
sgd,0,64,1,1,
sgd-as-published,0,64,,1,0
exact,,,,," ]
    # The training has steps too, and keeps its own.
    raw --solver counts --steps 3 --out steps.csv
    [ "$(cells steps.csv error_before)" = "$(cells plain.csv solver error_before | sed -n 's/^counts,//p')" ]
    differ <(cells steps.csv error) <(cells plain.csv solver error | sed -n 's/^counts,//p')
    answers run t.csv --schema s.json "${private[@]}" --rho 0.05 --steps 3 --insecure-seed 3 --json
    [ "$(jq .mean.unfair.error <<<"$output")" = "$(cells steps.csv epsilon rho error_before | sed -n 's/^1,0.05,//p')" ]
    local verb
    for verb in "sweep --out no.csv" run; do
        # shellcheck disable=SC2086 # words
        set -- $verb t.csv --schema s.json "${private[@]}"
        refuses 2 "--steps is only for --solver counts, sgd or sgd-as-published, not for exact" "$@" --steps 9 --solver exact
        refuses 2 "--batch is only for --solver sgd or sgd-as-published, not for counts" "$@" --batch 9
        refuses 2 "--group-least is only for --solver sgd-as-published, not for sgd" "$@" --group-least 9 --solver sgd
        refuses 2 "--tail is only for --solver counts or sgd, not for sgd-as-published" "$@" --tail 0 --solver sgd-as-published
    done
    refuses 2 "--batch is only for --solver sgd or sgd-as-published, not for counts,exact" \
        sweep t.csv --schema s.json "${grid[@]}" --solver counts,exact --batch 9 --out no.csv
}

@test "a table of scores is swept without a classifier" {
    people 2000 1 >p.csv
    table --runs 3 --out s.csv --name "my, data"
    [ "$(head -1 s.csv)" = "$columns" ]
    [ "$(cells s.csv method data records_train records_pool records_test split | sort -u)" = \
        "scores,my, data,0,1000,1000,0.5,0.5" ]
    # The rule costs errors and buys fairness, far more than chance does on 1000 people.
    cells s.csv error unfairness error_before unfairness_before |
        awk -F, '!($2 < .2 && $4 > .3 && $1 > $3) { bad = 1 } END { exit bad || NR != 12 }'
    table --out t.csv --split 0.25,0.75 --criterion true_positive_rate_parity --positive no --solver counts,exact
    [ "$(cells t.csv solver positive records_pool | sort -u | xargs)" = "counts,no,500 exact,no,500" ]
    [ "$(cells t.csv unfairness)" = "$(cells t.csv unfairness_true_positive_rate_parity)" ]
    # Labels are named 0, 1, ... without --classes, and scores may be normalized.
    sed 's/,no$/,0/; s/,yes$/,1/' p.csv | awk -F, -v OFS=, 'NR > 1 { $2 *= 3; $3 *= 3 } 1' >q.csv
    refuses 4 "--normalize" sweep q.csv "${unnamed[@]}" --label y "${grid[@]}" --out u.csv
    answers sweep q.csv "${unnamed[@]}" --label y "${grid[@]}" --out u.csv --normalize --insecure-seed 3
    [ "$(cells u.csv error | wc -l)" -eq 4 ]
    # A rule that does not see the group needs estimates of it.
    awk -F, -v OFS=, '{ print $0, NR == 1 ? "w_f,w_m" : $4 == "F" ? ".8,.2" : ".2,.8" }' p.csv >w.csv
    answers sweep w.csv "${labelled[@]}" "${grid[@]}" --unaware --group-scores w_f,w_m --out v.csv
    [ "$(cells v.csv sees_group | sort -u)" = false ]
    refuses 2 "--unaware needs --group-scores" sweep w.csv "${labelled[@]}" "${grid[@]}" --unaware --out x.csv
}

@test "the bytes do not depend on the number of threads" {
    synthetic 2000 1 >t.csv
    local threads
    for threads in 1 2 8; do
        raw --runs 3 --out "s$threads.csv" --threads "$threads"
        cmp s1.csv "s$threads.csv"
    done
    # Also where there are fewer classifiers to train than threads.
    for threads in 1 8; do
        answers sweep t.csv --schema s.json "${private[@]}" --insecure-seed 1 --out "o$threads.csv" --threads "$threads"
        cmp o1.csv "o$threads.csv"
    done
    answers sweep t.csv --schema s.json "${grid[@]}" --runs 3 --insecure-seed 4 --out other.csv
    differ s1.csv other.csv
}

# killed SECONDS ARGUMENT...: runs the program and kills it after that time, if it still runs.
killed() {
    local after=$1
    shift
    timeout -s KILL "$after" "$DP2DP" "$@" >/dev/null 2>&1 || true
}

# has_points FILE COUNT: more than COUNT points are in a file of finished points.
has_points() {
    [ "$(cat "$1" 2>/dev/null | wc -l)" -gt $((1 + $2)) ]
}

long=(sweep t.csv --schema s.json --rho "0,0.02,0.05,0.1" --epsilon "1,2" --delta 1e-5 --runs 30 --insecure-seed 7
    --threads 2)

@test "ten kills at random moments, each followed by a resume, leave no trace in the table" {
    synthetic 6000 1 >t.csv
    local begin seconds kills before=0 now grew=0
    begin=$(date +%s%N)
    answers "${long[@]}" --out whole.csv
    seconds=$(awk -v ns=$(($(date +%s%N) - begin)) 'BEGIN { print ns / 1e9 }')
    RANDOM=42
    for ((kills = 0; kills < 10; )); do
        killed "$(awk -v r=$RANDOM -v s="$seconds" 'BEGIN { print 0.01 + s * r / 32768 / 4 }')" "${long[@]}" --out s.csv
        if [ -e s.csv ]; then # it ended before the kill
            cmp s.csv whole.csv
            rm s.csv
            before=0
            continue
        fi
        kills=$((kills + 1))
        now=$(cat s.csv.part 2>/dev/null | wc -l)
        [ "$now" -ge "$before" ]
        grew=$((grew + (now > before)))
        before=$now
        [ ! -e s.csv.part ] || [ "$(stat -c %a s.csv.part)" = 600 ]
    done
    [ "$grew" -ge 3 ]
    answers "${long[@]}" --out s.csv --json
    # The finished points were not run again.
    holds ".resumed <= $before and .resumed >= $before - 2"
    cmp s.csv whole.csv
    [ "$(ls -A | xargs)" = "s.csv s.json t.csv whole.csv" ]
}

# half: leaves s.csv.part of a sweep over p.csv that did not end, and the whole table in whole.csv.
half=(sweep p.csv "${labelled[@]}" "${grid[@]}" --runs 4 --threads 1)
half() {
    people 2000 1 >p.csv
    answers "${half[@]}" --insecure-seed 3 --out whole.csv
    # The file is only removed at the end: a full disk keeps it.
    local limit
    for limit in 3 4; do
        (ulimit -f $limit && "$DP2DP" "${half[@]}" "$@" --out s.csv) >/dev/null 2>message || true
        [ ! -e s.csv ]
    done
    grep -q 'points are kept in s.csv.part, and the same command goes on' message
    [ "$(wc -l <s.csv.part)" -gt 4 ]
}

@test "finished points are taken as they are, not measured again" {
    half --insecure-seed 3
    # Gives the first finished point an error of its own, with the check sum that goes with it (FNV-1a).
    python3 - <<'END'
lines = open("s.csv.part", "rb").read().split(b"\n")
cells = lines[1].split(b" ")
point, cells[1] = int(cells[0]), b"0.123456789"
text, sum = b" ".join(cells[:-1]) + b" ", 0xCBF29CE484222325
for byte in text:
    sum = (sum ^ byte) * 0x100000001B3 % 2**64
lines[1] = text + b"#%016x" % sum
open("s.csv.part", "wb").write(b"\n".join(lines))
open("point", "w").write(str(point))
END
    answers "${half[@]}" --insecure-seed 3 --out s.csv
    [ "$(cells s.csv error | grep -c '^0.123456789$')" -eq 1 ]
    [ "$(cells s.csv error | grep -n '^0.123456789$' | cut -d: -f1)" -eq $(($(<point) + 1)) ]
    [ "$(diff s.csv whole.csv | grep -c '^<')" -eq 1 ]
}

@test "a torn line is ignored, whatever is in it" {
    half --insecure-seed 3
    local lines tail
    lines=$(wc -l <s.csv.part)
    cp s.csv.part saved
    head -c -9 saved >s.csv.part
    answers "${half[@]}" --insecure-seed 3 --out s.csv --json
    cmp s.csv whole.csv
    for tail in "5 0.1 0.2" "5 0 0 0 0 0 0 0 0 0 0 0 0 #0123456789abcdef\n" "\0\0\0\0\0\0" "\n\n" "999999 #\n"; do
        rm s.csv
        { head -3 saved && printf '%b' "$tail" && sed 1,3d saved; } >s.csv.part
        answers "${half[@]}" --insecure-seed 3 --out s.csv --json
        holds '.resumed == 2'
        cmp s.csv whole.csv
    done
    # Even the first line may be torn.
    for tail in 0 1 30; do
        rm s.csv
        head -c "$tail" saved >s.csv.part
        answers "${half[@]}" --insecure-seed 3 --out s.csv --json
        holds '.resumed == 0'
        cmp s.csv whole.csv
    done
}

@test "without a seed one is drawn, kept over a resume and written to the table" {
    half
    local seed
    answers "${half[@]}" --out s.csv --json
    holds '.resumed > 0'
    seed=$(cells s.csv seed | sort -u)
    holds ".seed == $seed"
    answers "${half[@]}" --insecure-seed "$seed" --out again.csv
    cmp s.csv again.csv
    answers "${half[@]}" --out other.csv
    differ s.csv other.csv
}

@test "finished points of other settings are not used" {
    half --insecure-seed 3
    local options
    cp s.csv.part saved
    for options in "--rho 0,0.1" "--epsilon 1" "--delta 1e-6" "--runs 5" "--solver exact" "--split 0.4,0.6" "--dither 0.1" \
        "--rows-per-person 2" "--criterion equalized_odds" "--name x"; do
        local changed=("${half[@]}") i
        # The settings of `half`, with one of them changed or added.
        for ((i = 0; i < ${#changed[@]}; i++)); do
            [ "${changed[i]}" != "${options%% *}" ] || unset "changed[i]" "changed[i+1]"
        done
        # shellcheck disable=SC2086 # words
        refuses 2 "s.csv.part holds points of a sweep with other settings (${options%% *} differs): give the old" \
            "${changed[@]}" $options --insecure-seed 3 --out s.csv
        cmp s.csv.part saved
    done
    refuses 2 "(--insecure-seed differs)" "${half[@]}" --insecure-seed 4 --out s.csv
    refuses 2 "(--insecure-seed differs)" "${half[@]}" --out s.csv
    sed '1s/\tseed=.*//' saved >e.csv.part
    refuses 2 "e.csv.part: this file is not from a sweep" "${half[@]}" --insecure-seed 3 --out e.csv
    rm e.csv.part
    # Other rows in the same table: noticed by size and time alone.
    people 2000 2 >p.csv
    refuses 2 "(the state of TABLE differs)" "${half[@]}" --insecure-seed 3 --out s.csv
    answers "${half[@]}" --insecure-seed 3 --out s.csv --force --json
    holds '.resumed == 0'
    differ s.csv whole.csv
    # A file that is something else is never touched.
    echo precious >n.csv.part
    refuses 2 "n.csv.part: this file is not from a sweep" "${half[@]}" --out n.csv --force
    [ "$(<n.csv.part)" = precious ]
    [ "$(ls -A | xargs)" = "message n.csv.part p.csv s.csv saved whole.csv" ]
}

@test "the file of finished points holds the settings and no hash of rows" {
    half --insecure-seed 3
    head -1 s.csv.part | tr '\t' '\n' | grep -qx -- '--rho=0,0.05'
    head -1 s.csv.part | tr '\t' '\n' | grep -qx 'the number of rows=2000'
    [ "$(head -1 s.csv.part | tr '\t' '\n' | grep -cE '[0-9a-f]{16}')" -eq 0 ]
    # Rows in another order, with the same time, are not told apart.
    touch -r p.csv time
    { head -1 p.csv && sed 1d p.csv | tac; } >q.csv
    cat q.csv >p.csv
    touch -r time p.csv
    answers "${half[@]}" --insecure-seed 3 --out s.csv
}

@test "two sweeps do not write one file" {
    synthetic 6000 1 >t.csv
    local pid
    "$DP2DP" "${long[@]}" --out s.csv >/dev/null 3>&- &
    pid=$!
    waits_for "$pid" test -e s.csv.part
    refuses 1 "another" "${long[@]}" --out s.csv
    refuses 1 "another" "${long[@]}" --out s.csv --force
    wait "$pid"
    [ -e s.csv ] && [ ! -e s.csv.part ]
}

@test "an interrupt keeps the finished points and says so" {
    synthetic 6000 1 >t.csv
    signalled INT "has_points s.csv.part 5" "${long[@]}" --out s.csv
    [ "$code" -eq 130 ]
    grep -qE '^dp2dp sweep: interrupted; [0-9]+ of 240 points are kept in s.csv.part, and the same command' ../message
    [ "$(ls -A | xargs)" = "s.csv.part s.json t.csv" ]
    signalled TERM "has_points s.csv.part 5" "${long[@]}" --out s.csv
    [ "$(ls -A | xargs)" = "s.csv.part s.json t.csv" ]
    answers "${long[@]}" --out s.csv --json
    holds '.resumed > 5'
}

@test "an existing table is replaced only with --force" {
    people 500 1 >p.csv
    table --out s.csv
    cp s.csv first
    refuses 2 "--out: the file exists already: s.csv; --force replaces it" sweep p.csv "${labelled[@]}" "${grid[@]}" \
        --out s.csv
    cmp s.csv first
    chmod 644 s.csv
    answers sweep p.csv "${labelled[@]}" "${private[@]}" --rho 0.5 --out s.csv --force
    [ "$(stat -c %a s.csv)" = 600 ]
    [ "$(cells s.csv rho)" = 0.5 ]
}

@test "bad input is refused before any work, and leaves no file" {
    people 500 1 >p.csv
    synthetic 500 1 >t.csv
    local out=(--out s.csv) rho
    for rho in "" , 0, ,0 0,,1 x 0,x 2 0,2 -1 0.1,0.10 0,nan inf; do
        refuses 2 "--rho" sweep p.csv "${labelled[@]}" "${private[@]}" "${out[@]}" --rho "$rho"
    done
    refuses 2 "--rho: 0.10 is given twice" sweep p.csv "${labelled[@]}" "${private[@]}" "${out[@]}" --rho 0.1,0.10
    refuses 2 "--rho 1.5 is above its bound 1" sweep p.csv "${labelled[@]}" "${private[@]}" "${out[@]}" --rho 0,1.5
    refuses 2 "put quotes around a list that contains spaces" sweep p.csv "${labelled[@]}" "${private[@]}" "${out[@]}" --rho 0, 0.1
    refuses 2 "--epsilon 0 is not above its bound 0" sweep p.csv "${labelled[@]}" "${out[@]}" --epsilon 1,0 --delta 1e-5
    refuses 2 "--epsilon E,F,... is needed" sweep p.csv "${labelled[@]}" "${out[@]}"
    refuses 2 "--delta D is needed" sweep p.csv "${labelled[@]}" "${out[@]}" --epsilon inf,1
    refuses 2 "--solver 'best' is not one of" sweep p.csv "${labelled[@]}" "${private[@]}" "${out[@]}" --solver counts,best
    refuses 2 "--solver: counts is given twice" sweep p.csv "${labelled[@]}" "${private[@]}" "${out[@]}" --solver counts,counts
    refuses 2 "--solver sgd works only for demographic parity" sweep p.csv "${labelled[@]}" "${private[@]}" "${out[@]}" \
        --solver counts,sgd --criterion equalized_odds
    refuses 2 "--method external" sweep t.csv --schema s.json "${private[@]}" "${out[@]}" --method external
    refuses 2 "--positive is only for" sweep p.csv "${labelled[@]}" "${private[@]}" "${out[@]}" --positive yes
    refuses 2 "--label COLUMN is needed" sweep p.csv "${scored[@]}" "${private[@]}" "${out[@]}"
    refuses 2 "--groups A,B,... is needed" sweep p.csv --scores p_no,p_yes --sensitive sex --label y "${private[@]}" "${out[@]}"
    refuses 2 "give --schema SCHEMA for a table of raw rows, or --scores" sweep p.csv "${private[@]}" "${out[@]}"
    refuses 2 "did you mean --schema adult?" sweep adult "${private[@]}" "${out[@]}"
    refuses 2 "--scores cannot be used with --schema" sweep p.csv --schema s.json --scores a,b "${private[@]}" "${out[@]}"
    refuses 2 "--method cannot be used with --scores" sweep p.csv "${labelled[@]}" "${private[@]}" "${out[@]}" --method none
    refuses 2 "--scores has one name" sweep p.csv --scores p_yes --sensitive sex --groups F,M --label y "${private[@]}" \
        "${out[@]}"
    refuses 2 "--label sex: the column is in --sensitive too" sweep p.csv "${scored[@]}" --label sex "${private[@]}" "${out[@]}"
    refuses 2 "--split '0.5,0.3,0.2' is not two numbers" sweep p.csv "${labelled[@]}" "${private[@]}" "${out[@]}" \
        --split 0.5,0.3,0.2
    refuses 2 "--split '0.5,0.5' is not three numbers" sweep t.csv --schema s.json "${private[@]}" "${out[@]}" --split 0.5,0.5
    refuses 2 "--out FILE is needed" sweep p.csv "${labelled[@]}" "${private[@]}"
    refuses 2 "--out must be a file" sweep p.csv "${labelled[@]}" "${private[@]}" --out -
    refuses 2 "--out must be a file" sweep p.csv "${labelled[@]}" "${private[@]}" --out /dev/null
    refuses 2 "--out would overwrite an input" sweep p.csv "${labelled[@]}" "${private[@]}" --out p.csv --force
    refuses 1 "cannot create: No such file or directory: none/s.csv" sweep p.csv "${labelled[@]}" "${private[@]}" \
        --out none/s.csv
    refuses 2 "TABLE is missing" sweep "${labelled[@]}" "${private[@]}" "${out[@]}"
    refuses 2 "points, but at most 1000000 are allowed" sweep p.csv "${labelled[@]}" --delta 1e-5 "${out[@]}" \
        --epsilon "$(seq -s, 1 25)" --runs 10000
    refuses 4 "no column" sweep p.csv "${scored[@]}" --label z "${private[@]}" "${out[@]}"
    refuses 4 "the label is not in the declared list" sweep p.csv "${unnamed[@]}" --classes no,maybe --label y \
        "${private[@]}" "${out[@]}"
    awk -F, -v OFS=, 'NR > 1 { $5 = "yes" } 1' p.csv >one.csv
    refuses 4 "all rows have the same label" sweep one.csv "${labelled[@]}" "${private[@]}" "${out[@]}"
    head -3 p.csv >few.csv
    refuses 4 "2 rows are too few for --split 0.5,0.5" sweep few.csv "${labelled[@]}" "${private[@]}" "${out[@]}"
    [ "$(ls -A | xargs)" = "few.csv one.csv p.csv s.json t.csv" ]
}

@test "a ledger records the exposure before anything is counted" {
    people 500 1 >p.csv
    table --ledger l.json --people us --note curve --out s.csv --json
    holds '.ledger.exposed == true and .private == false'
    answers account l.json --json
    holds '(.entries | length) == 1 and .entries[0].mechanism == "exposed" and .entries[0].people == "us"'
    # A budget does not allow it: nothing is computed.
    fits p.csv "${private[@]}" --budget 2 --ledger b.json --out m.json
    refuses 3 "b.json" sweep p.csv "${labelled[@]}" "${grid[@]}" --ledger b.json --out t.csv
    [ ! -e t.csv ] && [ ! -e t.csv.part ]
    refuses 2 "--note needs --ledger" sweep p.csv "${labelled[@]}" "${grid[@]}" --note x --out t.csv
    refuses 2 "--out must not be the ledger" sweep p.csv "${labelled[@]}" "${grid[@]}" --ledger t.csv --out t.csv
    # It is there even if the sweep dies.
    synthetic 6000 1 >t.csv
    signalled KILL "has_points s.csv.part 1" "${long[@]}" --ledger k.json --out s.csv --force
    [ -e s.csv.part ]
    answers account k.json --json
    holds '.entries[0].mechanism == "exposed"'
    # A sweep that goes on does not record it again, but it does for other people and in another ledger.
    cp s.csv.part kept.part
    answers "${long[@]}" --ledger k.json --out s.csv --force
    answers account k.json --json
    holds '.entries | length == 1'
    answers verify k.json
    cp kept.part s.csv.part
    answers "${long[@]}" --ledger k.json --people others --out s.csv --force
    cp kept.part s.csv.part
    answers "${long[@]}" --ledger other.json --out s.csv --force
    answers account other.json --json
    holds '.entries | length == 1'
    # A sweep that begins anew does.
    answers "${long[@]}" --ledger k.json --out s.csv --force
    answers account k.json --json
    holds '.entries | length == 3'
}

@test "a dry run counts points and classifiers, and changes nothing" {
    synthetic 1500 1 >t.csv
    ls -A >../before
    answers sweep t.csv --schema s.json "${grid[@]}" --method dpgd,none --solver counts,exact --runs 3 --dry-run --json
    # Two tolerances; dpgd has two budgets and two solvers, none has two budgets of counts, and exact without one.
    holds '.dry_run and .allowed and .rows == 3 * 2 * (4 + 2 + 1) and .runs == 3 and .classifiers == 9 and .ledger == null'
    answers sweep t.csv --schema s.json "${grid[@]}" --method dpgd,none --solver counts,exact --runs 3 --dry-run \
        --ledger l.json --out s.csv
    says "Dry run: nothing was charged" "14 points, 3 runs each" "9 classifiers" "would record"
    ls -A | cmp ../before
    raw --method dpgd,none --solver counts,exact --runs 3 --out s.csv --json
    holds '.rows == 42'
    people 500 1 >p.csv
    fits p.csv "${private[@]}" --budget 2 --ledger b.json --out m.json
    refuses 3 "b.json" sweep p.csv "${labelled[@]}" "${grid[@]}" --ledger b.json --dry-run
    answers sweep p.csv "${labelled[@]}" "${grid[@]}" --dry-run --json
    holds '.rows == 4 and .classifiers == 0'
}

@test "help, text and JSON say that a sweep is not private" {
    people 800 1 >p.csv
    answers sweep --help
    says "NOT private, whatever epsilon it measures" "Do not publish the table" "the model's privacy guarantee no longer holds for them" "--ledger records that the people of the input are exposed"
    table --runs 3 --out s.csv
    says "NOT PRIVATE: exact numbers about real people: do not publish" "Sweep of 4 points, 3 runs each, written to s.csv" \
        "demographic_parity, scores, counts, epsilon 1" "rho error std unfairness std" "epsilon inf" "before"
    table --runs 3 --out s.csv --force --json
    holds '.private == false and .not_private == "exact numbers about real people: do not publish" and (.points | length) == 4'
    holds '.points[0] | .rho == 0 and .epsilon == 1 and .delta == 1e-5 and .mean.error > 0 and .std.unfairness > 0'
    holds '.points[2] | .epsilon == "inf" and .delta == null'
    # The summary is that of the table.
    local mean
    mean=$(cells s.csv error | head -3 | awk '{ sum += $1 } END { printf "%.17g", sum / 3 }')
    holds ".points[0].mean.error - $mean | fabs < 1e-12"
    table --out one.csv --json
    holds '.points[0].std.error == null'
}

@test "cautions of the points are passed on" {
    synthetic 300 1 >t.csv
    answers sweep t.csv --schema s.json --rho 0 --epsilon 0.1 --delta 0.1 --out s.csv
    says "The following cautions apply to some points (to see which, use --json):" "CAUTION: delta is close to 1/N or above" "of the result is noise"
    answers sweep t.csv --schema s.json --rho 0 --epsilon 0.1 --delta 0.1 --out s.csv --force --json
    holds '(.warnings | index("delta-large")) and (.points[0].warnings | index("delta-large")) and .points[0].noise > 0.1'
    # Scores of unknown origin are no matter here.
    people 3000 1 >p.csv
    table --out p.out.csv --json
    holds '.warnings == []'
}

@test "a failure names its point, and does not depend on the threads" {
    synthetic 300 1 >t.csv
    local threads first="" failing
    failing=(sweep t.csv --schema s.json --method dpsgd --rho 0 --epsilon "inf,1" --delta 1e-300 --runs 3 --insecure-seed 1)
    for threads in 1 4; do
        refuses 3 "demographic_parity, dpsgd, counts, epsilon 1, rho 0, run 0: epsilon" "${failing[@]}" --out s.csv \
            --threads "$threads"
        [[ "$stderr" = *"of 6 points are kept in s.csv.part, and the same command goes on from there" ]]
        [ -z "$first" ] || [ "${stderr%; *}" = "$first" ]
        first=${stderr%; *}
        [ ! -e s.csv ]
        rm s.csv.part
    done
}
