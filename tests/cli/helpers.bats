#!/usr/bin/env bats
# The helpers themselves: every test ends, even one that fails.
load helpers

# fails_alone LINE...: runs a test of these lines in its own bats, which reports a failure and ends.
fails_alone() {
    local code=0 path=${PATH//"$BATS_LIBEXEC:"/} # without the parts of the outer bats
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
