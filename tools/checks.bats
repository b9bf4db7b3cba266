#!/usr/bin/env bats
# Each check of the tree can fail: a violation planted in a copy turns it red, for the stated reason.

setup() {
    root=${DP2DP_SOURCE_DIR:-$BATS_TEST_DIRNAME/..}
    copy=$(mktemp -d)
    mkdir -p "$copy"/{include/dp2dp,cli/args,cli/input,cli/cmd,python/src,src/base,src/rng,src/num,src/accountant,src/noise} \
        "$copy"/src/mechanism "$copy"/src/phase2
    echo '#include <dp2dp/status.h>' >"$copy/src/base/error.h"
    printf '#include "base/error.h"\n#include "rng/rng.h"\n' >"$copy/src/rng/rng.c"
    printf '#include "noise/noise.h"\n#include "rng/rng.h"\n' >"$copy/src/mechanism/mechanism.c"
    printf '#include <dp2dp/dp2dp.h>\n#include "args/args.h"\n' >"$copy/cli/main.c"
    echo '#include <dp2dp/dp2dp.h>' >"$copy/cli/args/args.h"
    printf '#include "cmd/fit.def"\n#include "input/table.h"\n' >"$copy/cli/cmd/fit.c"
    echo '#include "args/args.h"' >"$copy/cli/input/table.h"
    printf '#include "core.h"\n#include <dp2dp/dp2dp.h>\n' >"$copy/python/src/core.c"
    echo 'DP2DP_API int dp2dp_one(void);' >"$copy/include/dp2dp/one.h"
    echo '#define A 1' >"$copy/include/dp2dp/version.h.in"
    printf 'DP2DP_WORD(ONE, 1, "one")\nDP2DP_WORD(TWO, 2, "two")\nDP2DP_OTHER(ONE, 1, "one")\n' \
        >"$copy/include/dp2dp/word.def"
}

teardown() {
    rm -rf "$copy"
}

layers_refuse() { # words of the reason
    run "$root/tools/check_layers" "$copy"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"$1"* ]]
    [[ "$output" == *" 1 violations" ]]
}

sizes_refuse() { # words of the reason
    run "$root/tools/check_sizes" "$copy"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"$1"* ]]
}

pinned_refuses() { # words of the reason
    run "$root/tools/check_pinned" "$copy"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"$1"* ]]
    [[ "$output" == *" 1 violations" ]]
}

text_refuses() { # words of the reason
    run "$root/tools/check_text" "$copy"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"$1"* ]]
}

function_of() { # lines
    echo 'int f(void) {'
    seq -f '    g(%g);' "$(($1 - 2))"
    echo '}'
}

columns() { # count, character
    printf '/* %*s */\n' "$(($1 - 6))" '' | sed "s/  /$2$2/g"
}

@test "a clean tree passes every check" {
    "$root/tools/check_layers" "$copy"
    "$root/tools/check_pinned" "$copy"
    "$root/tools/check_sizes" "$copy"
    "$root/tools/check_text" "$copy"
}

@test "an include that points up is refused" {
    echo '#include "rng/rng.h"' >>"$copy/src/base/error.h"
    layers_refuse "base (layer 0) includes rng (layer 1) above it"
}

@test "a sibling's header is refused" {
    echo '#  include "num/fft.h"' >>"$copy/src/rng/rng.c"
    layers_refuse "rng includes its sibling num"
}

@test "noise is for mechanism alone, though phase2 lies above it" {
    echo '#include "noise/noise.h"' >"$copy/src/phase2/counts.c"
    layers_refuse "only mechanism may"
}

@test "a path that climbs out of its module is refused" {
    echo '#include "../noise/noise.h"' >"$copy/src/phase2/counts.c"
    layers_refuse "write includes as"
}

@test "angle brackets do not hide an internal include" {
    echo '#include <noise/noise.h>' >"$copy/src/phase2/counts.c"
    layers_refuse "with quotes"
}

@test "a module without a layer is refused" {
    mkdir "$copy/src/misc"
    echo '#include <stdio.h>' >"$copy/src/misc/misc.c"
    layers_refuse "no layer is called misc"
}

@test "the accountant knows no randomness" {
    echo '#include "rng/rng.h"' >"$copy/src/accountant/pld.c"
    layers_refuse "accountant includes rng"
}

@test "the program sees no internal header" {
    echo '#include "base/alloc.h"' >>"$copy/cli/main.c"
    layers_refuse "public headers"
}

@test "a folder of the program includes none above it" {
    echo '#include "cmd/cmd.h"' >>"$copy/cli/input/table.h"
    layers_refuse "cli/input includes cli/cmd, which is above it"
}

@test "a file of the program is included with its folder" {
    echo '#include "table.h"' >>"$copy/cli/cmd/fit.c"
    layers_refuse "as \"folder/file.h\""
    sed -i '$d' "$copy/cli/cmd/fit.c"
    echo '#include <input/table.h>' >>"$copy/cli/cmd/fit.c"
    layers_refuse "with quotes"
}

@test "a file of the program has a folder that has a place in the order" {
    mkdir "$copy/cli/misc"
    echo '#include <stdio.h>' >"$copy/cli/misc/misc.c"
    layers_refuse "none is called misc"
}

@test "an include cycle of the program is refused, be it through sources" {
    echo '#include "input/rows.h"' >"$copy/cli/input/table.c"
    echo '#include "input/codes.h"' >"$copy/cli/input/rows.h"
    "$root/tools/check_layers" "$copy"
    echo '#include "input/table.h"' >"$copy/cli/input/codes.c"
    layers_refuse "an include cycle"
}

@test "the Python module sees no internal header" {
    echo '#include "base/alloc.h"' >>"$copy/python/src/core.c"
    layers_refuse "python/src sees public headers"
}

@test "the real tree with one violation is refused" {
    rm -r "$copy/cli"
    cp -r "$root"/{src,include,cli} "$copy"
    echo '#include "mechanism/mechanism.h"' >>"$copy/src/base/error.h"
    run "$root/tools/check_layers" "$copy"
    [ "$status" -eq 1 ]
    [[ "$output" == *"base (layer 0) includes mechanism (layer 3) above it"* ]]
    function_of 81 >"$copy/src/base/long.c"
    sizes_refuse "src/base/long.c:1: function of 81 lines"
}

@test "two rows of a table with the same pinned value are refused" {
    printf 'DP2DP_WORD(THREE, 2, "three",\n           "an explanation")\n' >>"$copy/include/dp2dp/word.def"
    pinned_refuses "word.def:4: THREE has the value 2 of TWO"
}

@test "two rows of a table with the same word are refused" {
    echo 'DP2DP_WORD(THREE, 3, "two")' >>"$copy/include/dp2dp/word.def"
    pinned_refuses 'THREE has the word "two" of TWO'
}

@test "a pinned bit is one bit" {
    printf '/* Columns: name, pinned bit, word. */\nDP2DP_BIT(ONE, 1, "one")\nDP2DP_BIT(THREE, 3, "three")\n' \
        >"$copy/include/dp2dp/bit.def"
    pinned_refuses "bit.def:3: THREE has the value 3, which is not one bit"
}

@test "a pinned value that the check cannot read is refused" {
    echo 'DP2DP_WORD(THREE, 0x3, "three")' >"$copy/include/dp2dp/more.def"
    pinned_refuses "THREE must have its value, a decimal number, in its first line"
    printf 'DP2DP_WORD(THREE,\n           3, "three")\n' >"$copy/include/dp2dp/more.def"
    pinned_refuses "THREE must have its value, a decimal number, in its first line"
}

@test "each table of the real tree is read, and a value that is taken there is refused" {
    local table row value
    cp "$root"/include/dp2dp/*.def "$copy/include/dp2dp"
    "$root/tools/check_pinned" "$copy"
    for table in "$root"/include/dp2dp/*.def; do
        row=$(grep -m 1 -E '^[A-Z0-9_]+\([A-Z0-9_]+, [0-9]+, ' "$table")
        value=${row#*, }
        value=${value%%,*}
        { cat "$table"; echo "${row%%(*}(PLANTED, $value, \"planted\")"; } >"$copy/include/dp2dp/${table##*/}"
        pinned_refuses "PLANTED has the value $value of"
        cp "$table" "$copy/include/dp2dp"
    done
}

@test "an empty tree does not pass for a clean one" {
    find "$copy" -type f -delete
    run "$root/tools/check_layers" "$copy"
    [ "$status" -eq 1 ]
    run "$root/tools/check_pinned" "$copy"
    [ "$status" -eq 1 ]
}

@test "a file of 600 lines gets a note, one of 601 is refused" {
    yes 'int x;' | head -n 600 >"$copy/src/num/fft.c"
    run "$root/tools/check_sizes" "$copy"
    [ "$status" -eq 0 ]
    [[ "$output" == *"note: src/num/fft.c: 600 lines"* ]]
    echo 'int x;' >>"$copy/src/num/fft.c"
    sizes_refuse "src/num/fft.c: 601 lines"
}

@test "a function of 80 lines passes, one of 81 is refused" {
    function_of 80 >"$copy/src/num/fft.c"
    "$root/tools/check_sizes" "$copy"
    function_of 81 >>"$copy/src/num/fft.c"
    sizes_refuse "src/num/fft.c:81: function of 81 lines"
}

@test "the lines of a signature count" {
    function_of 80 | sed '1s/.*/int f(int a,\n      int b) {/' >"$copy/src/num/fft.c"
    sizes_refuse "src/num/fft.c:1: function of 81 lines"
}

@test "Python is measured as well: columns, lines, functions" {
    mkdir -p "$copy/python/dp2dp"
    body() { seq -f "$1    g(%g)" "$2"; }
    { echo 'class A:' && printf '    def f(\n        a,\n    ):\n' && body '    ' 77 && printf '\n\n    x = 1\n'; } \
        >"$copy/python/dp2dp/a.py"
    { echo 'def f():' && echo '    def g():' && body '    ' 78; } >"$copy/python/dp2dp/b.py"
    "$root/tools/check_sizes" "$copy"
    body '' 1 >>"$copy/python/dp2dp/b.py"
    sizes_refuse "python/dp2dp/b.py:1: function of 81 lines"
    rm "$copy/python/dp2dp/b.py"
    sed -i 's/^        a,$/&\n        b,/' "$copy/python/dp2dp/a.py"
    sizes_refuse "python/dp2dp/a.py:2: function of 81 lines"
    yes 'x = 1' | head -n 601 >"$copy/python/dp2dp/a.py"
    sizes_refuse "python/dp2dp/a.py: 601 lines"
    printf 'x = "%s"\n' "$(seq -s '' 99)" >"$copy/python/dp2dp/a.py"
    sizes_refuse "python/dp2dp/a.py:1: "
}

@test "a line of 100 columns passes, one of 101 is refused, and a Greek letter is one column" {
    columns 100 x >"$copy/src/num/fft.c"
    columns 100 ε >>"$copy/src/num/fft.c"
    "$root/tools/check_sizes" "$copy"
    columns 101 ε >>"$copy/src/num/fft.c"
    sizes_refuse "src/num/fft.c:3: 101 columns"
    rm "$copy/src/num/fft.c"
    mkdir "$copy/report"
    columns 101 x >"$copy/report/main.js"
    sizes_refuse "report/main.js:1: 101 columns"
}

@test "one public function too many is refused" {
    seq -f 'DP2DP_API DP2DP_MUST_CHECK int\ndp2dp_f%g(void);' 82 | sed 's/\\n/\n/' \
        >"$copy/include/dp2dp/many.h"
    "$root/tools/check_sizes" "$copy"
    echo 'DP2DP_API const char *dp2dp_last(void);' >>"$copy/include/dp2dp/many.h"
    sizes_refuse "84 public functions"
}

@test "unfinished work, a machine's path and a merge conflict are refused" {
    printf '/* %s: later */\n' TO''DO >"$copy/src/num/fft.c"
    text_refuses "unfinished"
    printf '/* see %s/me/notes */\n' /ho''me >"$copy/src/num/fft.c"
    text_refuses "path of one machine"
    printf '%s HEAD\n' '<<<<''<<<' >"$copy/src/num/fft.c"
    text_refuses "merge conflict"
}

@test "a link to a file that is not there is refused" {
    echo 'see [the web](https://example.org/x) and [the header](include/dp2dp/one.h#top)' >"$copy/A.md"
    "$root/tools/check_text" "$copy"
    echo 'see [the proof](docs/proof.md)' >>"$copy/A.md"
    text_refuses "no such file: docs/proof.md"
}

@test "an exported symbol that is not on the list is refused, and so is one that is missing" {
    command -v gcc >/dev/null || skip "no gcc"
    mkdir "$copy/tools"
    echo dp2dp_one >"$copy/tools/symbols.txt"
    echo 'int dp2dp_one(void) { return 1; }' >"$copy/one.c"
    gcc -shared -fPIC "$copy/one.c" -o "$copy/libone.so"
    "$root/tools/check_symbols" "$copy/libone.so" "$copy"
    echo 'int dp2dpi_leak(void) { return 1; }' >>"$copy/one.c"
    gcc -shared -fPIC "$copy/one.c" -o "$copy/libone.so"
    run "$root/tools/check_symbols" "$copy/libone.so" "$copy"
    [ "$status" -eq 1 ]
    [[ "$output" == *"+dp2dpi_leak"* ]]
    echo 'int dp2dp_two(void) { return 1; }' >"$copy/one.c"
    gcc -shared -fPIC "$copy/one.c" -o "$copy/libone.so"
    run "$root/tools/check_symbols" "$copy/libone.so" "$copy"
    [ "$status" -eq 1 ]
    [[ "$output" == *"-dp2dp_one"* ]]
}

@test "setup says what to install when it may not install it" {
    bare=$copy/bin
    mkdir "$bare"
    for tool in bash env cat id cut grep sed sort head mktemp rm; do
        ln -s "$(command -v $tool)" "$bare/$tool"
    done
    DP2DP_SETUP_OFFLINE=1 PATH=$bare run "$root/tools/setup" build
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"apt-get install -y --no-install-recommends gcc"*"libsodium-dev"* ]]
    # pip runs this task. It never installs anything, and needs no cmake.
    DP2DP_SETUP_PYTHON=$(command -v true) PATH=$bare run "$root/tools/setup" wheel
    echo "$output"
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 2 ]
    [[ "${lines[1]}" == *"apt-get install -y --no-install-recommends gcc"*"libsodium-dev"* ]]
    [[ "$output" != *cmake* ]]
}

# A Python whose package index has all but one package.
python_stub() {
    mkdir -p "$copy"/{bin,tools,tests/python}
    cat >"$copy/bin/python3" <<'END'
#!/bin/sh
for last; do :; done
case "$*" in
"-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
"-m pip install "*) ! grep -q no-such-package "$last" ;;
--version) echo "Python ${STUB_VERSION:-3.11.7}" ;;
esac
END
    chmod +x "$copy/bin/python3"
    cp "$root/tools/setup" "$copy/tools"
    echo no-such-package >"$copy/tests/python/requirements.txt"
    echo package >"$copy/tests/python/requirements-oldest.txt"
}

sets_up_python() { # STATUS VARIABLE=VALUE...
    local wanted=$1
    shift
    run env -u CI -u DP2DP_SETUP_OFFLINE PATH="$copy/bin:$PATH" "$@" "$copy/tools/setup" python
    echo "$output"
    [ "$status" -eq "$wanted" ]
}

@test "without the package index tests of Python are left out, and where CI=true that is a failure" {
    python_stub
    sets_up_python 0
    [[ "$output" == *"did not answer"*": no tests of the Python package" ]]
    [ ! -e "$copy/build/venv/ready" ]
    [ -e "$copy/build/venv-oldest/ready" ]
    sets_up_python 1 CI=true
    [ ! -e "$copy/build/venv/ready" ]
    echo package >"$copy/tests/python/requirements.txt"
    sets_up_python 0 CI=true
    [ -z "$output" ]
    [ -e "$copy/build/venv/ready" ]
}

@test "an environment is kept, offline too, until other packages are wanted or Python is another" {
    python_stub
    echo package >"$copy/tests/python/requirements.txt"
    sets_up_python 0
    touch "$copy/build/venv/mark" "$copy/build/venv-oldest/mark"
    sets_up_python 0 CI=true DP2DP_SETUP_OFFLINE=1
    [ -z "$output" ]
    echo another >"$copy/tests/python/requirements-oldest.txt"
    sets_up_python 0 DP2DP_SETUP_OFFLINE=1
    [[ "$output" == "tools/setup: DP2DP_SETUP_OFFLINE is set: no tests with the oldest versions"* ]]
    [ ! -e "$copy/build/venv-oldest/ready" ]
    sets_up_python 0
    [ -e "$copy/build/venv-oldest/ready" ]
    [ ! -e "$copy/build/venv-oldest/mark" ]
    [ -e "$copy/build/venv/mark" ]
    sets_up_python 0 STUB_VERSION=3.13.0
    [ ! -e "$copy/build/venv/mark" ]
}

# A registry that has the packages unless one is called no-such-package.
npm_stub() {
    mkdir -p "$copy"/{bin,tools,report}
    printf '#!/bin/sh\necho "${STUB_VERSION:-v20.0.0}"\n' >"$copy/bin/node"
    printf '#!/bin/sh\n! grep -q no-such-package "$3/package-lock.json"\n' >"$copy/bin/npm"
    printf '#!/bin/sh\n' >"$copy/bin/chromium"
    chmod +x "$copy"/bin/*
    cp "$root/tools/setup" "$copy/tools"
    echo '{}' >"$copy/report/package.json"
    echo "$1" >"$copy/report/package-lock.json"
}

sets_up_browser() { # STATUS VARIABLE=VALUE...
    local wanted=$1
    shift
    run env -u CI -u DP2DP_SETUP_OFFLINE PATH="$copy/bin:$PATH" "$@" "$copy/tools/setup" browser
    echo "$output"
    [ "$status" -eq "$wanted" ]
}

@test "without the package registry tests in a browser are left out, and where CI=true that is a failure" {
    npm_stub no-such-package
    sets_up_browser 0
    [[ "$output" == *"did not answer"*": no tests of the report in a browser" ]]
    [ ! -e "$copy/build/npm/ready" ]
    sets_up_browser 1 CI=true
    echo package >"$copy/report/package-lock.json"
    sets_up_browser 0 CI=true
    [ -z "$output" ]
    [ -e "$copy/build/npm/ready" ]
}

@test "packages of the browser's tests are kept, offline too, until others are wanted or node is another" {
    npm_stub package
    sets_up_browser 0
    touch "$copy/build/npm/mark"
    sets_up_browser 0 CI=true DP2DP_SETUP_OFFLINE=1
    [ -z "$output" ]
    [ -e "$copy/build/npm/mark" ]
    sets_up_browser 0 STUB_VERSION=v22.0.0
    [ ! -e "$copy/build/npm/mark" ]
    echo another >"$copy/report/package-lock.json"
    sets_up_browser 0 DP2DP_SETUP_OFFLINE=1
    [[ "$output" == "tools/setup: DP2DP_SETUP_OFFLINE is set: no tests of the report in a browser" ]]
    [ ! -e "$copy/build/npm/ready" ]
}

skips_refuse() { # line of the log, [reason that is allowed]
    echo "$1" >"$copy/Testing/Temporary/LastTest.log"
    run "$root/tools/check_skips" "$copy" "${2:-}"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"$1"* ]]
}

@test "a test that was skipped is found, whoever reports it" {
    mkdir -p "$copy/Testing/Temporary"
    run "$root/tools/check_skips" "$copy"
    [ "$status" -ne 0 ] # no test was run
    printf 'ok 1 --skip-lines is kept\nOK\n[       OK ] skipped_frames\nok 2 x # skip no duck\n' \
        >"$copy/Testing/Temporary/LastTest.log"
    "$root/tools/check_skips" "$copy" 'no duck'
    skips_refuse 'ok 2 x # skip no duck'
    skips_refuse 'ok 2 x # skip needs zsh' 'no duck'
    skips_refuse 'OK (skipped=2)'
    skips_refuse '[  SKIPPED ] a_claim'
    echo OK >"$copy/Testing/Temporary/LastTest.log"
    echo 1:python/wheel >"$copy/Testing/Temporary/LastTestsDisabled.log"
    run "$root/tools/check_skips" "$copy"
    [ "$status" -eq 1 ]
    [[ "$output" == *"1:python/wheel"* ]]
}
