#!/usr/bin/env bats
# `dp2dp verify`: models, ledgers and certificates hold together, or it says what does not.
load helpers

begin() {
    people 2000 1 >pool.csv
    people 2000 2 >held.csv
    fits "${private[@]}" --ledger pool.ledger --out model.json
    answers certify model.json held.csv "${private[@]}" --ledger held.ledger --out certificate.json
}

# cut_tail LEDGER COUNT: removes its last COUNT entries.
cut_tail() {
    { head -n "-$(($2 + 2))" "$1" | sed '$s/,$//'; tail -n 2 "$1"; } >shorter
    mv shorter "$1"
}

# finds WORDS FILE...: verify fails with 4, reports in full, and says WORDS in its report and on stderr.
finds() {
    local words=$1
    shift
    separately "$DP2DP" verify "$@"
    [ "$status" -eq 4 ]
    [[ "$stderr" == *"$words"* ]]
    says "$words" "FAILS" "checks FAIL"
    separately "$DP2DP" verify "$@" --json
    [ "$status" -eq 4 ]
    holds '.holds == false and ([.checks[] | select(.result == "fails")] | length) >= 1'
}

@test "documents of one history hold together" {
    answers verify pool.ledger model.json held.ledger certificate.json
    says "holds model.json against pool.ledger" "holds certificate.json against model.json" "10 checks hold"
    answers verify pool.ledger model.json held.ledger certificate.json --json
    holds '.holds and ([.checks[] | select(.result == "holds")] | length) == 10'
    holds '[.checks[].check] | unique == ["file", "ledger-entry", "model", "published", "release"]'
    answers verify model.json
    says "1 check holds; 1 more is noted above" "no ledger of people was given"
    answers verify pool.ledger held.ledger
    refuses 2 "FILE is missing" verify
}

@test "a certificate whose ledger is not among the files is noted" {
    answers verify model.json certificate.json
    says "noted certificate.json the certificate cites the ledger entry" "there is no ledger among these files. To check that the certificate was charged, give that ledger too" \
        "3 checks hold; 1 more is noted above"
    answers certify model.json held.csv "${private[@]}" --out alone.json
    answers verify alone.json
    [[ "$output" != *noted* ]]
}

@test "a rule is not missed in the ledger of the certificate's people" {
    answers verify model.json certificate.json held.ledger
    says "noted model.json against held.ledger" "is missing from the ledger, which has the charges of certificates only" \
        "also give the ledger of the people whom the rule was learned from" "holds certificate.json against held.ledger"
    finds "the rule (release" model.json held.ledger # nothing says whose ledger this is
    # A ledger that has neither fails, also beside one that has the certificate.
    fits "${private[@]}" --ledger other.ledger --out other.json
    finds "the rule (release" model.json certificate.json other.ledger
    finds "the rule (release" model.json certificate.json held.ledger other.ledger
    cut_tail pool.ledger 2
    finds "the rule (release" model.json certificate.json held.ledger pool.ledger
    finds "the rule (release" other.json certificate.json held.ledger # the certificate of another model
    cut_tail held.ledger 2
    finds "the rule (release" model.json certificate.json held.ledger
    # A ledger that lost the rule before the certificate was charged to it.
    fits "${private[@]}" --ledger both.ledger --out first.json
    cp both.ledger earlier
    fits "${private[@]}" --ledger both.ledger --out second.json
    cp earlier both.ledger
    rm both.ledger.lock
    answers certify second.json held.csv "${private[@]}" --ledger both.ledger --out late.json
    finds "the rule (release" second.json late.json both.ledger
    # With --same-people the rule is charged to the certificate's ledger, so it must be there.
    answers certify model.json pool.csv --same-people "${private[@]}" --ledger same.ledger --out same.json
    answers verify model.json same.json same.ledger
    says "holds model.json against same.ledger"
}

@test "a cut tail passes account if its lock file is gone too, and verify says which release is missing" {
    local release
    release=$(jq -r '.ledger.entries[-1].release_id' model.json)
    cut_tail pool.ledger 1
    refuses 4 "charges are missing from the ledger or were changed" account pool.ledger --delta 1e-5
    rm pool.ledger.lock held.ledger.lock
    answers account pool.ledger --delta 1e-5
    answers verify pool.ledger model.json # only the note on the published file is gone
    says "no ledger says in which file this release was published"
    cut_tail pool.ledger 1
    answers account pool.ledger --delta 1e-5
    answers verify pool.ledger
    finds "the rule (release $release) is missing" pool.ledger model.json
    cut_tail held.ledger 2
    answers account held.ledger --delta 1e-5
    finds "the certificate (release $(jq -r .release_id certificate.json)) is missing" held.ledger certificate.json
    says "$(jq -r .ledger_hash certificate.json)"
}

@test "another model in place of the right one is found" {
    cp model.json first.json
    fits "${private[@]}" --ledger pool.ledger --out model.json
    answers verify pool.ledger model.json # charged too
    finds "the certificate is about another model" model.json certificate.json
    answers verify first.json model.json certificate.json
    fits "${private[@]}" --out uncharged.json
    finds "the rule (release" pool.ledger uncharged.json
    answers verify uncharged.json
}

@test "a model with a new checksum is not the published file" {
    sed 's/"rho": 0.0/"rho": 0.5/' model.json | grep -v '^  "checksum"' >rest
    jq -e '.options.rho == 0' model.json
    sed "\$s/}/  \"checksum\": \"$(sha256sum rest | cut -c 1-64)\"\n}/" rest >model.json
    answers verify model.json
    finds "the ledger says that this release was published as" pool.ledger model.json
}

@test "an edited ledger, model or certificate fails alone" {
    local file
    sed -i 's/"count":1,/"count":2,/' pool.ledger
    finds "not the hash of this entry" pool.ledger
    sed -i 's/"records": 2000/"records": 2001/' model.json certificate.json
    for file in model.json certificate.json; do
        finds "checksum: wrong" "$file"
    done
    finds "No such file" none.json
    finds "held.csv" held.csv
    synthetic 10 1 >raw.csv
    finds "this file is a schema: give models, ledgers and certificates" s.json
}

@test "a claim beyond what the table gives is found behind a right checksum" {
    sed 's/"unfairness_upper_strict": 0\./"unfairness_upper_strict": 0.0/' certificate.json | grep -v '^  "checksum"' >rest
    sed "\$s/}/  \"checksum\": \"$(sha256sum rest | cut -c 1-64)\"\n}/" rest >certificate.json
    finds "unfairness_upper_strict: must be at least the bound that follows from the table, and at most 1" certificate.json
}

@test "training in no ledger is noted, and found in its own" {
    synthetic 3000 1 >raw.csv
    synthetic 3000 2 >other.csv
    answers train raw.csv --schema s.json "${private[@]}" --ledger train.ledger --out base.json
    answers verify train.ledger base.json
    finds "the training (release" pool.ledger base.json
    answers fit other.csv --model base.json "${private[@]}" --ledger other.ledger --out both.json
    answers verify other.ledger both.json
    says "noted both.json against other.ledger" "the training (release" "is missing from the ledger"
    answers verify other.ledger train.ledger both.json base.json --json
    holds '[.checks[] | select(.result != "holds")] == []'
}

@test "records that may be left out do not stand in the way" {
    synthetic 3000 1 >raw.csv
    synthetic 3000 2 >other.csv
    jq '(.columns[0].missing) = "drop"' s.json >drops.json
    answers train raw.csv --schema drops.json "${private[@]}" --ledger a.ledger --out base.json
    answers fit other.csv --model base.json "${private[@]}" --ledger b.ledger --out both.json
    synthetic 3000 3 >held.csv
    answers certify both.json held.csv "${private[@]}" --ledger c.ledger --out c.json
    jq -e '.leaves_out and .ledger.entries[0].coordinates == 7' c.json
    answers verify a.ledger b.ledger c.ledger base.json both.json c.json --json
    holds '[.checks[] | select(.result != "holds")] == []'
}

@test "two certificates with one seed cite an entry each" {
    local seeded=("${private[@]}" --insecure-seed 3 --ledger seeded.ledger)
    answers certify model.json held.csv "${seeded[@]}" --out a.json
    answers certify model.json pool.csv "${seeded[@]}" --out b.json
    [ "$(jq .release_id a.json)" = "$(jq .release_id b.json)" ]
    [ "$(jq .ledger_hash a.json)" != "$(jq .ledger_hash b.json)" ]
    answers verify seeded.ledger a.json b.json
    cut_tail seeded.ledger 2
    finds "an older copy was restored" seeded.ledger a.json
    rm seeded.ledger.lock
    answers verify seeded.ledger a.json
    finds "that the certificate cites is missing" seeded.ledger b.json
}

# charged LEDGER NAME EPSILON [OPTION...]: fits NAME.json with a ledger.
charged() {
    local ledger=$1 name=$2 epsilon=$3
    shift 3
    fits --epsilon "$epsilon" --delta 1e-5 --ledger "$ledger" --out "$name.json" "$@"
}

@test "two copies of a ledger that were both charged fail, and an older copy is noted" {
    local joint
    charged a.ledger a 0.7 --people pool26 --budget 1
    cp a.ledger old.ledger
    cp a.ledger b.ledger
    answers verify a.ledger old.ledger a.json
    says "noted old.ledger against a.ledger" "these two ledgers are copies of one ledger" "1 more is noted above"
    charged a.ledger b 0.6 --people pool26
    charged b.ledger c 0.6 --people pool26
    finds "these ledgers are copies of one ledger that went on in two places: they begin with the same 4 entries" \
        a.ledger b.ledger a.json b.json c.json
    joint=$(jq -r '[.checks[] | select(.check == "copy")] | first | .message | capture("epsilon (?<e>[0-9.]+) at").e' <<<"$output")
    # The same three releases in one ledger cost as much.
    charged j.ledger j 0.7
    charged j.ledger k 0.6
    charged j.ledger l 0.6
    answers account j.ledger --delta 1e-5 --json
    holds "($joint >= .epsilon) and ($joint < .epsilon + 0.001)"
    answers verify old.ledger b.ledger a.json c.json
    says "noted old.ledger against b.ledger" "this ledger is an older copy of the other one" "use only the other one"
    [[ "$output" != *"people called"* ]]
}

@test "ledgers with charges for people of one name are noted with their joint epsilon" {
    charged a.ledger a 1 --people customers26 --budget 1
    charged b.ledger b 1 --people customers26 --budget 1
    charged c.ledger c 1 --people others
    answers verify a.ledger b.ledger c.ledger a.json b.json c.json
    says "noted a.ledger" "2 ledgers have charges for the people called customers26. If these are the same people, the costs add up" \
        "Together they cost epsilon 1.4" "at delta 1e-05"
    [[ "$output" != *"called others"* ]]
    answers verify a.ledger b.ledger --json
    holds '[.checks[] | select(.check == "people") | .result] == ["noted"] and .holds'
    charged d.ledger d 1 --people customers26 --solver exact
    answers verify a.ledger d.ledger
    says "Together they have no finite epsilon"
}

@test "several certificates of one model are noted" {
    local said="2 certificates are about the same model. The confidence of a bound holds only if its certificate was chosen before the bounds were known: do not quote the smallest bound with its confidence"
    answers certify model.json held.csv "${private[@]}" --ledger held.ledger --out second.json
    answers verify certificate.json second.json
    says "noted certificate.json" "$said"
    cp certificate.json copy.json
    answers verify model.json certificate.json copy.json second.json --json
    holds "[.checks[] | select(.check == \"certificates\")] | length == 1 and (.[0].message | startswith(\"2 cert\"))"
    answers verify certificate.json copy.json
    [[ "$output" != *"same model"* ]]
}
