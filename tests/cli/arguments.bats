#!/usr/bin/env bats
# Parsing of the command line: every mistake has exit code 2, a message with the option, its value and its
# bound, and empty stdout.
load helpers

gaussian=(account --mechanism gaussian --delta 1e-5)
poisson=(account --mechanism poisson --delta 1e-5 --sigma 2)

@test "no verb, an empty one and an unknown one are usage errors" {
    refuses 2 "missing command"
    refuses 2 "unknown verb ''" ""
    refuses 2 "unknown verb 'frobnicate'" frobnicate
    refuses 2 "did you mean account?" acount
    refuses 2 "did you mean calibrate?" help calibrte
    refuses 2 "unknown option '--frobnicate'" --frobnicate
    refuses 2 "unexpected argument 'x'" --version x
    refuses 2 "unexpected argument 'calibrate'" help account calibrate
}

@test "a usage error ends with where to find help" {
    refuses 2 "try: dp2dp account --help" account
    refuses 2 "try: dp2dp calibrate --help" calibrate
    refuses 2 "try: dp2dp --help" frobnicate
}

@test "an unknown option is refused with the nearest one" {
    refuses 2 "unknown option --sgima; did you mean --sigma?" "${gaussian[@]}" --sgima 2
    refuses 2 "unknown option --pop; did you mean --population?" "${gaussian[@]}" --pop=2
    refuses 2 "unknown option --q" "${gaussian[@]}" --q 2
    refuses 2 "unknown option -s" "${gaussian[@]}" -s 2
    refuses 2 "unknown option --" "${gaussian[@]}" --=2
    [[ "$stderr" != *"did you mean"* ]]
}

@test "a long unknown word is neither echoed whole nor a crash" {
    refuses 2 "unknown option --aaaaaaaa" "${gaussian[@]}" "--$(printf 'a%.0s' {1..5000})"
    refuses 2 "is not one of" account --mechanism "$(printf 'a%.0s' {1..5000})"
    [ "${#stderr}" -lt 500 ]
}

@test "an option is given once, with a value if it takes one" {
    refuses 2 "--sigma is given twice" "${gaussian[@]}" --sigma 2 --sigma 2
    refuses 2 "--sigma is given twice" "${gaussian[@]}" --sigma=2 --sigma 3
    refuses 2 "--json is given twice" "${gaussian[@]}" --json --json
    refuses 2 "--sigma needs a value" "${gaussian[@]}" --sigma
    refuses 2 "--sigma needs a value" "${gaussian[@]}" --sigma --json
    refuses 2 "--json takes no value" "${gaussian[@]}" --sigma 2 --json=1
    refuses 2 "--sigma '' is not a finite decimal number" "${gaussian[@]}" --sigma ""
    refuses 2 "--sigma '' is not a finite decimal number" "${gaussian[@]}" --sigma=
}

@test "both spellings of a value mean the same" {
    answers "${gaussian[@]}" --sigma 4 --json
    repeats account --mechanism=gaussian --delta=0.00001 --sigma=4.0e0 --json
}

@test "a number is decimal, finite and the whole word" {
    local word
    for word in nan NaN inf -inf infinity 0x10 0x1p3 1,5 "1 " " 1" 1e 1e+ 1.2.3 abc 1x - + . e5; do
        refuses 2 "--sigma '$word' is not a finite decimal number" "${gaussian[@]}" --sigma "$word"
    done
    refuses 2 "--sigma 1e999 is too large or too small" "${gaussian[@]}" --sigma 1e999
    refuses 2 "--sigma -1e999 is too large or too small" "${gaussian[@]}" --sigma -1e999
    refuses 2 "--sigma 1e-999 is too large or too small" "${gaussian[@]}" --sigma 1e-999
}

@test "a number outside its bound is refused with the bound" {
    refuses 2 "--sigma 0 is not above its bound 0" "${gaussian[@]}" --sigma 0
    refuses 2 "--sigma -1 is not above its bound 0" "${gaussian[@]}" --sigma -1
    refuses 2 "--sigma -0.0 is not above its bound 0" "${gaussian[@]}" --sigma=-0.0
    refuses 2 "--rate 1.5 is above its bound 1" "${poisson[@]}" --rate 1.5
    refuses 2 "--rate 0 is not above its bound 0" "${poisson[@]}" --rate 0
    refuses 2 "--rate -0.5 is not above its bound 0" "${poisson[@]}" --rate -0.5
    refuses 2 "--delta 1 is not below its bound 1" account --mechanism gaussian --sigma 1 --delta 1
    refuses 2 "--delta 0 is not above its bound 0" account --mechanism gaussian --sigma 1 --delta 0
    refuses 2 "--epsilon -1 is below its bound 0" account --mechanism gaussian --sigma 1 --epsilon -1
    refuses 2 "--steps 0 is below its bound 1" "${gaussian[@]}" --sigma 1 --steps 0
    refuses 2 "--rows-per-person 0 is below its bound 1" "${gaussian[@]}" --sigma 1 --rows-per-person 0
    refuses 2 "--epsilon 0 is not above its bound 0" \
        calibrate --mechanism gaussian --epsilon 0 --delta 1e-5
}

@test "a count is whole and does not overflow" {
    refuses 2 "--steps 1.5 is not a whole number" "${gaussian[@]}" --sigma 1 --steps 1.5
    refuses 2 "--steps 1e-3 is not a whole number" "${gaussian[@]}" --sigma 1 --steps 1e-3
    refuses 2 "--steps -1 is below its bound 1" "${gaussian[@]}" --sigma 1 --steps -1
    refuses 2 "--steps 1e20 is above its bound" "${gaussian[@]}" --sigma 1 --steps 1e20
    refuses 2 "--steps 18446744073709551617 is above its bound" \
        "${gaussian[@]}" --sigma 1 --steps 18446744073709551617
    refuses 2 "--steps 9007199254740993 is above its bound 9007199254740991" \
        "${gaussian[@]}" --sigma 1 --steps 9007199254740993
    refuses 2 "--steps 1e400 is too large" "${gaussian[@]}" --sigma 1 --steps 1e400
}

@test "1e3 is the count 1000" {
    answers "${gaussian[@]}" --sigma 400 --steps 1e3 --json
    repeats "${gaussian[@]}" --sigma 400 --steps 1000 --json
    holds '.steps == 1000'
}

@test "a word is one of its list, exactly" {
    refuses 2 "--mechanism 'laplace' is not one of gaussian|poisson" account --mechanism laplace
    refuses 2 "--mechanism '' is not one of" account --mechanism ""
    refuses 2 "--mechanism 'gauss' is not one of" account --mechanism gauss
    refuses 2 "--mechanism 'gaussian|poisson' is not one of" account --mechanism "gaussian|poisson"
    refuses 2 "--adjacency 'swap' is not one of replace-one|add-remove" "${gaussian[@]}" --adjacency swap
    refuses 2 "--accountant 'moments' is not one of" "${gaussian[@]}" --accountant moments
    refuses 2 "--mechanism 'declared' is not one of" calibrate --mechanism declared
}

@test "an option the mechanism does not use is refused, never ignored" {
    refuses 2 "--rate .5 cannot be used with --mechanism gaussian" "${gaussian[@]}" --sigma 1 --rate .5
    refuses 2 "--diameter cannot be used with --mechanism gaussian" "${gaussian[@]}" --sigma 1 --diameter 1
    refuses 2 "--sigma cannot be used with --mechanism declared" \
        account --mechanism declared --declared-epsilon 1 --delta 1e-5 --sigma 1
    refuses 2 "--sensitivity cannot be used with --mechanism poisson" "${poisson[@]}" --rate .1 --sensitivity 1
    refuses 2 "--sampling-unit cannot be used with --mechanism gaussian" \
        "${gaussian[@]}" --sigma 1 --sampling-unit rows
    refuses 2 "--sigma cannot be used with a ledger or model file" account some.json --sigma 1
}

@test "an option the mechanism needs is asked for" {
    refuses 2 "--mechanism gaussian needs --sigma Z" "${gaussian[@]}"
    refuses 2 "--mechanism poisson needs --rate Q" "${poisson[@]}"
    refuses 2 "--mechanism with-replacement needs --population N" \
        account --mechanism with-replacement --sigma 1 --rate 0.1 --delta 1e-5
    refuses 2 "--delta D is needed" account --mechanism gaussian --sigma 1
    refuses 2 "--mechanism declared needs --declared-epsilon E" account --mechanism declared --delta 1e-5
    refuses 2 "give a ledger or model FILE, or --mechanism" account --sigma 1
    refuses 2 "--mechanism is needed" calibrate --epsilon 1 --delta 1e-5
    refuses 2 "needs --epsilon E" calibrate --mechanism gaussian --delta 1e-5
    refuses 2 "needs --delta D" calibrate --mechanism gaussian --epsilon 1
    refuses 2 "needs --sigma Z" calibrate --mechanism gaussian --epsilon 1 --delta 1e-5 --find steps
}

@test "the rate 1 of a plain Gaussian may be said" {
    answers "${gaussian[@]}" --sigma 4 --rate 1 --json
}

@test "delta and epsilon exclude each other" {
    refuses 2 "give only one of --delta and --epsilon" "${gaussian[@]}" --sigma 1 --epsilon 1
}

@test "operands: one file at most, not empty, none for calibrate" {
    refuses 2 "FILE is an empty string" account ""
    refuses 2 "only one FILE is allowed: unexpected argument 'b'" account a b
    refuses 2 "unexpected argument 'x'" calibrate x
    refuses 1 "--sigma" account -- --sigma
}

@test "operands that are needed are missed by name, and no more are taken" {
    refuses 2 "MODEL is missing: dp2dp predict MODEL TABLE" predict
    refuses 2 "TABLE is missing" evaluate model.json --label y
    refuses 2 "TABLE is an empty string" certify model.json ""
    refuses 2 "only one TABLE is allowed: unexpected argument 'c'" predict a b c
}

@test "an option that is always needed is missed, with or without operands" {
    refuses 2 "--epsilon E is needed" certify a b
    refuses 2 "--insecure-seed S is needed" synth
    answers certify --help
    says "Required"
}

@test "text is taken as it is, and is not empty" {
    refuses 2 "--label is an empty string" evaluate a b --label ""
    refuses 2 "--label needs a value: COLUMN" evaluate a b --label
}

@test "control characters of an argument do not reach the terminal" {
    refuses 2 "unknown verb 'a?[31mb'" $'a\033[31mb'
    refuses 1 "?[2J" account $'\033[2J'
    [[ "$stderr" != *$'\033'* ]]
}

@test "the help tells of a bound that is not taken" {
    local verb
    for verb in fit train run; do
        answers "$verb" --help
        says "no noise, not private (above 0) --delta"
        [[ "$(tr -s ' \n' ' ' <<<"$output")" =~ --delta\ X\ [^\(]*\(above\ 0,\ below\ 1\) ]]
    done
    answers account --help
    says "protected together (whole, at least 1, at most 1000000)" "each declared release, taken on trust (at least 0, at most 1000000)"
    refuses 2 "--rows-per-person 1000001 is above its bound 1000000" \
        account --mechanism gaussian --sigma 1 --delta 1e-5 --rows-per-person 1000001
    answers fit --help
    says "--scores-delta X delta stated for the model behind the scores (at least 0, below 1)"
    refuses 2 "--epsilon 0 is not above its bound 0" run t.csv --schema s.json --epsilon 0 --delta 1e-5
    refuses 2 "--epsilon 0 is not above its bound 0" train t.csv --schema s.json --method none --epsilon 0 --out c.json
    refuses 2 "--scores-delta 1 is not below its bound 1" \
        fit t.csv --scores a,b --sensitive s --groups F,M --scores-epsilon 1 --scores-delta 1 --out m.json
}

@test "an option that a solver or method does not use is refused, never ignored" {
    local option fit=(fit t.csv --scores a,b --sensitive s --groups F,M --out m.json)
    for option in steps=3 share-budget=0.3 share-floor=0.3 step-size=7 offset-max=1 tail=0.1; do
        refuses 2 "--${option%=*} is only for --solver counts" "${fit[@]}" --solver exact "--$option"
    done
    refuses 2 "--tail is only for --solver counts or sgd, not for sgd-as-published" \
        "${fit[@]}" --epsilon 1 --delta 1e-5 --solver sgd-as-published --tail 0.1
    for option in separator=';' skip-lines=1 missing=NA; do
        refuses 2 "--${option%=*} cannot be used with --method external" \
            train --schema adult --method external --weights w.csv "--$option" --out c.json
    done
    refuses 2 "--no-header cannot be used with --method external" \
        train --schema adult --method external --weights w.csv --no-header --out c.json
}
