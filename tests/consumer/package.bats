#!/usr/bin/env bats
# A program outside this tree can use what is installed, and nothing else.
load helpers

setup_file() {
    export WORK
    WORK=$(mktemp -d)
    env -u DESTDIR cmake --install "$DP2DP_BUILD_DIR" --prefix "$WORK/built" >"$WORK/install.log"
    # The installed files are moved: nothing may depend on the folder that they were installed to.
    mv "$WORK/built" "$WORK/prefix"
    export PREFIX=$WORK/prefix
    export CONSUMER=$DP2DP_SOURCE_DIR/tests/consumer
    PKG_CONFIG_PATH=$(dirname "$(find "$PREFIX" -name dp2dp.pc)")
    export PKG_CONFIG_PATH
    LIBDIR=$(dirname "$PKG_CONFIG_PATH")
    export LIBDIR
    # From the header, to compare with what pkg-config and CMake say.
    VERSION=$(sed -n 's/^#define DP2DP_VERSION "\(.*\)"$/\1/p' "$PREFIX/include/dp2dp/version.h")
    export VERSION
}

teardown_file() {
    rm -rf "$WORK"
}

next_minor() { # the next minor version
    awk -v v="$VERSION" 'BEGIN { split(v, p, "."); print p[1] "." p[2] + 1 }'
}

@test "a CMake project finds and runs the shared library" {
    configure shared "${VERSION%.*}" shared "$PREFIX"
    cmake --build "$WORK/shared"
    works "$WORK/shared/app"
    readelf -d "$WORK/shared/app" | grep -F "libdp2dp.so.${VERSION%.*}"
}

@test "a CMake project finds and runs the static library" {
    configure static "${VERSION%.*}" static "$PREFIX"
    cmake --build "$WORK/static"
    works "$WORK/static/app"
    ! readelf -d "$WORK/static/app" | grep -F libdp2dp.so
}

@test "a pkg-config build links and runs" {
    "$DP2DP_CC" -std=c17 -Wall -Wextra -Werror -pedantic "$CONSUMER/app.c" -o "$WORK/plain" \
        $(pkg-config --cflags --libs dp2dp) -Wl,-rpath,"$LIBDIR"
    works "$WORK/plain"
}

@test "the installed program runs" {
    [ -x "$DP2DP" ] || skip "no program yet"
    run "$PREFIX/bin/dp2dp" --version
    [ "$status" -eq 0 ]
    [[ "$output" == *"$VERSION"* ]]
}

@test "the headers compile as C++" {
    command -v g++ >/dev/null || skip "no C++ compiler"
    echo '#include <dp2dp/dp2dp.h>' | g++ -std=c++11 -Wall -Wextra -Werror -pedantic \
        $(pkg-config --cflags dp2dp) -x c++ -fsyntax-only -
}

@test "a C++ program starts every struct from its macro and runs" {
    command -v g++ >/dev/null || skip "no C++ compiler"
    g++ -std=c++17 -pedantic-errors -Wall -Wextra -Werror "$CONSUMER/app.cpp" -o "$WORK/plus" \
        $(pkg-config --cflags --libs dp2dp) -Wl,-rpath,"$LIBDIR"
    works "$WORK/plus"
}

# calls HEADERS: prints the output of caller.c, compiled with these headers and linked with the installed library.
calls() {
    "$DP2DP_CC" -std=c17 -Wall -Wextra -Werror -pedantic -fsanitize=address -I "$1" "$CONSUMER/caller.c" \
        -o "$WORK/caller" -L "$LIBDIR" -ldp2dp -Wl,-rpath,"$LIBDIR"
    ASAN_OPTIONS=detect_leaks=0 "$WORK/caller"
}

# as_today HEADERS TEST COUNT: caller.c computes the same with these headers as with the installed ones. COUNT of its
# struct sizes are smaller (TEST -lt) or larger (-gt) than the installed ones.
as_today() {
    local were=0 size then now
    calls "$PREFIX/include" >"$WORK/today"
    calls "$1" >"$WORK/other"
    diff <(tail -n +2 "$WORK/today") <(tail -n +2 "$WORK/other")
    [ "$(wc -l <"$WORK/today")" -eq 8 ]
    grep -q 'guards 123$' "$WORK/other"
    read -ra now < <(head -n 1 "$WORK/today")
    read -ra then < <(head -n 1 "$WORK/other")
    for size in {1..8}; do
        if [ "${then[size]}" "$2" "${now[size]}" ]; then were=$((were + 1)); fi
    done
    [ "$were" -eq "$3" ]
}

# without HEADER STRUCT FIELD: removes the field, and all that follow it, from a struct.
without() {
    awk -v end="^} $2;" -v field="^    $3" '
        { line[NR] = $0 }
        $0 ~ field { first = NR }
        $0 ~ end { if (first) for (i = first; i < NR; i++) line[i] = "\001" }
        /^}/ { first = 0 }
        END { for (i = 1; i <= NR; i++) if (line[i] != "\001") print line[i] }' "$1" >"$1.new"
    run cmp -s "$1" "$1.new"
    [ "$status" -eq 1 ] # something was removed
    mv "$1.new" "$1"
}

@test "a program compiled for an older library, whose structs were shorter, works as before" {
    cp -R "$PREFIX/include" "$WORK/older"
    cd "$WORK/older/dp2dp"
    without accountant.h dp2dp_event 'const char \*set; '
    without pool.h dp2dp_pool_options 'unsigned threads; '
    without pool.h dp2dp_source 'int leaves_out; '
    without model.h dp2dp_predict_options 'unsigned threads; '
    without fit.h dp2dp_fit_options 'dp2dp_progress progress; '
    without metrics.h dp2dp_certificate 'int group_too_small; '
    without metrics.h dp2dp_certify_options 'const char \*people_name; '
    as_today "$WORK/older" -lt 7
}

@test "a program compiled for a newer library, whose structs are longer, works where it sets nothing new" {
    cp -R "$PREFIX/include" "$WORK/newer"
    sed -i -E 's/^\} dp2dp_(event|last_iterate|source|certificate|[a-z]+_options);/double newer[3];\n&/' \
        "$WORK/newer"/dp2dp/*.h
    as_today "$WORK/newer" -gt 8
}

@test "each public header compiles on its own" {
    for header in "$PREFIX"/include/dp2dp/*.h; do
        echo "#include <dp2dp/${header##*/}>" | "$DP2DP_CC" -std=c17 -Wall -Wextra -Werror \
            -pedantic $(pkg-config --cflags dp2dp) -x c -fsyntax-only -
    done
}

@test "only the public headers are installed" {
    has_only_public_headers "$PREFIX/include"
}

@test "nothing installed remembers where it was built or first installed" {
    run grep -rIlF -e "$WORK/built" -e "$DP2DP_BUILD_DIR" -e "$DP2DP_SOURCE_DIR" "$PREFIX"
    echo "$output"
    [ "$status" -eq 1 ]
}

@test "a project that asks for a newer version is refused, with both versions in the message" {
    refuses_version "$(next_minor)" "$PREFIX"
    [[ "$output" == *"version: $VERSION"* ]]
}

@test "pkg-config refuses a newer version" {
    pkg-config --exists "dp2dp = $VERSION"
    run pkg-config --exists "dp2dp >= $(next_minor)"
    [ "$status" -ne 0 ]
}

@test "an internal function does not link" {
    internal_does_not_link
}
