# Shared by package.bats and deb.bats. VERSION, CONSUMER and WORK are set by setup_file.

# configure NAME VERSION KIND PREFIX: configures the consumer's CMake project in $WORK/NAME, which asks for that version of
# the library, shared or static, in PREFIX.
configure() {
    cmake -S "$CONSUMER/project" -B "$WORK/$1" -G Ninja -DCMAKE_C_COMPILER="$DP2DP_CC" -DCMAKE_PREFIX_PATH="$4" \
        -DWANT="$2" -DKIND="$3"
}

# works PROGRAM: app.c or app.cpp, built, prints what it should. Its releases are 80 tables with sigma 100 and
# sensitivity sqrt 2, so mu = sqrt(80 * 2) / 100. The Gaussian formula of docs/guarantee.md, solved for epsilon at
# delta = 1e-5 by bisection outside this library, gives 0.4400665.
works() {
    run "$1"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == "version $VERSION, epsilon 0.4401 at delta 1e-5" ]]
}

# has_only_public_headers FOLDER: an include folder has the headers of include/ and no others.
has_only_public_headers() {
    run diff <(cd "$1" && find . -type f | sort) \
        <(cd "$DP2DP_SOURCE_DIR/include" && find . -name '*.h' -o -name '*.def' -o -name '*.h.in' |
            sed 's/\.in$//' | sort)
    echo "$output"
    [ "$status" -eq 0 ]
}

# refuses_version VERSION PREFIX: a project that asks for this version is refused, with the version in the message.
refuses_version() {
    run configure newer "$1" shared "$2"
    echo "$output"
    [ "$status" -ne 0 ]
    [[ "$output" == *"compatible"*"requested version \"$1\""* ]]
}

# internal_does_not_link: a program that calls an internal function cannot be linked.
internal_does_not_link() {
    run "$DP2DP_CC" "$CONSUMER/uses_internal.c" -o "$WORK/internal" $(pkg-config --cflags --libs dp2dp)
    echo "$output"
    [ "$status" -ne 0 ]
    [[ "$output" == *"dp2dpi_alloc"* ]]
    [ ! -e "$WORK/internal" ]
}
