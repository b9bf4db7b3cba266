#!/usr/bin/env bats
# What the scripts of this folder count on: a test ends, whether it succeeds or fails.
load helpers

# fails_alone LINE...: a test of these lines, run by a bats of its own, is reported as failed, and bats ends.
fails_alone() {
    local code=0 path=${PATH//"$BATS_LIBEXEC:"/} # where its parts are, of the same names
    printf '%s\n' "load $BATS_TEST_DIRNAME/helpers" '@test "inner" {' "$@" '}' >inner.bats
    timeout 100 env -i PATH="$path" DP2DP="$DP2DP" bats inner.bats >said 3>&- || code=$?
    cat said
    [ "$code" -eq 1 ]
    grep -q "^not ok 1 inner" said
}

@test "a test that fails takes along what it has left behind" {
    fails_alone 'mkfifo pipe' 'echo rows >pipe &' false
    fails_alone 'sleep 1000 &' 'kill -STOP $!' false
}

@test "who waits for a program that has ended waits no longer" {
    fails_alone '"$DP2DP" --version &' 'waits_for $! has_begun data.csv'
}

@test "an interrupt that is answered with other words is found" {
    fails_alone 'interrupted "dp2dp fit: interrupted" account --mechanism nosuch'
}
