#!/usr/bin/env bats
# The Debian packages have the right contents, and work on a system without this tree.
load helpers

setup_file() {
    export WORK PATH=$PATH:/usr/sbin:/sbin
    WORK=$(mktemp -d)
    command -v dpkg-shlibdeps >/dev/null || return 0
    "$DP2DP_SOURCE_DIR/packaging/deb" "$DP2DP_BUILD_DIR" "$WORK/packages" >"$WORK/list"
    export TOOL LIBRARY DEV ROOT=$WORK/root LIBDIR
    { read -r TOOL && read -r LIBRARY && read -r DEV; } <"$WORK/list"
    for package in "$TOOL" "$LIBRARY" "$DEV"; do
        dpkg-deb -x "$package" "$ROOT"
    done
    LIBDIR=$ROOT/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
    export PKG_CONFIG_PATH=$LIBDIR/pkgconfig CONSUMER=$DP2DP_SOURCE_DIR/tests/consumer
    VERSION=$(sed -n 's/^project(dp2dp VERSION \([0-9.]*\).*/\1/p' "$DP2DP_SOURCE_DIR/CMakeLists.txt")
    export VERSION
}

setup() {
    command -v dpkg-shlibdeps >/dev/null || skip "no dpkg-dev: not a Debian system"
}

teardown_file() {
    rm -rf "$WORK"
}

field() { # package name
    dpkg-deb -f "$1" "$2"
}

contents() { # package: the paths of its files and links
    dpkg-deb --fsys-tarfile "$1" | tar -t | grep -v '/$' | sed 's/^\.//' | sort
}

scratch() { # argument...: runs dpkg on an empty system, without the libraries that the packages depend on
    mkdir -p "$WORK/system/var/lib/dpkg"/{info,updates}
    touch "$WORK/system/var/lib/dpkg/status"
    # Users other than root may install too; they then own the files.
    local who=()
    [ "$(id -u)" -eq 0 ] || who=(--force-not-root)
    dpkg "${who[@]}" --root="$WORK/system" --log=/dev/null \
        --ignore-depends=libc6,libjansson4,libsodium23,libzstd1,zlib1g \
        --ignore-depends=libjansson-dev,libsodium-dev,libzstd-dev,zlib1g-dev "$@"
}

@test "there is a package for the program, one for the soname and one to build with" {
    soname=$(readelf -d "$DP2DP_LIBRARY" | sed -n 's/.*SONAME.*\[libdp2dp\.so\.\(.*\)\]/\1/p')
    [ "$(field "$TOOL" Package)" = dp2dp ]
    [ "$(field "$LIBRARY" Package)" = "libdp2dp$soname" ]
    [ "$(field "$DEV" Package)" = libdp2dp-dev ]
    for package in "$TOOL" "$LIBRARY" "$DEV"; do
        [ "$(field "$package" Version)" = "$VERSION" ]
        [ "$(field "$package" Architecture)" = "$(dpkg --print-architecture)" ]
        contents "$package" | grep "^/usr/share/doc/$(field "$package" Package)/copyright$"
    done
    grep -q 'Permission is hereby granted' "$ROOT"/usr/share/doc/dp2dp/copyright
}

# A package needs a maintainer with a mail address. The project has none, so it gives one that cannot exist: RFC 2606
# reserves the domain .invalid for that.
@test "the maintainer's address is nobody's, and the changelog's the same" {
    for package in "$TOOL" "$LIBRARY" "$DEV"; do
        [[ "$(field "$package" Maintainer)" =~ ^dp2dp\ contributors\ \<[a-z]+@[a-z0-9]+\.invalid\>$ ]]
        gzip -dc "$ROOT/usr/share/doc/$(field "$package" Package)/changelog.gz" |
            grep -F -- " -- $(field "$package" Maintainer)  "
    done
}

@test "dependencies are those that the binaries load" {
    for package in "$TOOL" "$LIBRARY"; do
        depends=$(field "$package" Depends)
        for name in libc6 libjansson4 libsodium23 libzstd1 zlib1g; do
            [[ "$depends" == *"$name (>= "* ]]
        done
        [ "$(tr -cd , <<<"$depends" | wc -c)" -eq 4 ]
    done
    [[ "$(field "$DEV" Depends)" == "$(field "$LIBRARY" Package) (= $VERSION), "*"libsodium-dev"* ]]
    dpkg-deb -I "$LIBRARY" shlibs | grep -F "$(field "$LIBRARY" Package) (>= $VERSION)"
    dpkg-deb -I "$LIBRARY" triggers | grep -F ldconfig
}

@test "every file is in one package, owned by root, with its checksum" {
    [ -z "$(for p in "$TOOL" "$LIBRARY" "$DEV"; do contents "$p"; done | sort | uniq -d)" ]
    for package in "$TOOL" "$LIBRARY" "$DEV"; do
        run awk '$1 !~ /^l/ && ($2 != "root/root" || $1 ~ /^.....w|^........w/)' <(dpkg-deb -c "$package")
        [ -z "$output" ]
        dpkg-deb -I "$package" md5sums >"$WORK/sums"
        [ "$(wc -l <"$WORK/sums")" -eq "$(dpkg-deb -c "$package" | grep -c '^-')" ]
        (cd "$ROOT" && md5sum --check --quiet "$WORK/sums")
    done
}

@test "the program has a manual page for every verb" {
    contents "$TOOL" | grep '^/usr/bin/dp2dp$'
    contents "$TOOL" | sed -n 's,^/usr/share/man/man1/dp2dp-\(.*\)\.1\.gz$,\1,p' >"$WORK/pages"
    sed -n 's/^CLI_VERB(\([a-z]*\),.*/\1/p' "$DP2DP_SOURCE_DIR/cli/cmd/verbs.def" | sort | diff - "$WORK/pages"
    gzip -dc "$ROOT/usr/share/man/man1/dp2dp-fit.1.gz" | grep -q epsilon
}

@test "the headers are those of the tree" {
    has_only_public_headers "$ROOT/usr/include"
}

@test "the unpacked program runs" {
    run "$ROOT/usr/bin/dp2dp" --version
    [ "$status" -eq 0 ]
    [ "$output" = "dp2dp $VERSION" ]
}

@test "a program is built through pkg-config and runs" {
    "$DP2DP_CC" -std=c17 -Wall -Wextra -Werror "$CONSUMER/app.c" -o "$WORK/plain" \
        $(pkg-config --cflags --libs dp2dp) -Wl,-rpath,"$LIBDIR"
    works "$WORK/plain"
    readelf -d "$WORK/plain" | grep -F "libdp2dp.so.${VERSION%.*}"
}

@test "a project is built through find_package, shared and static, and runs" {
    for kind in shared static; do
        configure $kind "${VERSION%.*}" $kind "$ROOT/usr"
        cmake --build "$WORK/$kind"
        works "$WORK/$kind/app"
    done
}

@test "a newer version and an internal function are refused" {
    pkg-config --exists "dp2dp = $VERSION"
    run pkg-config --exists "dp2dp > $VERSION"
    [ "$status" -ne 0 ]
    refuses_version 99.0 "$ROOT/usr"
    internal_does_not_link
}

@test "dpkg installs them, insists on the library, and takes everything away again" {
    run scratch -i "$DEV"
    echo "$output"
    [ "$status" -ne 0 ]
    [[ "$output" == *"depends on $(field "$LIBRARY" Package)"* ]]
    scratch -i "$LIBRARY" "$DEV" "$TOOL"
    [ "$("$WORK/system/usr/bin/dp2dp" --version)" = "dp2dp $VERSION" ]
    scratch --verify dp2dp libdp2dp-dev
    scratch -P dp2dp libdp2dp-dev "$(field "$LIBRARY" Package)"
    [ ! -e "$WORK/system/usr" ]
}

@test "packed twice they are the same, to the byte" {
    "$DP2DP_SOURCE_DIR/packaging/deb" "$DP2DP_BUILD_DIR" "$WORK/again"
    diff -r "$WORK/packages" "$WORK/again"
}

@test "a file that belongs to no package stops the packing" {
    cp -R "$DP2DP_SOURCE_DIR"/{CMakeLists.txt,cmake,include,src,cli,bench,fuzz,schemas,packaging,LICENSE,CHANGELOG.md} \
        "$(mkdir -p "$WORK/tree" && echo "$WORK/tree")"
    echo 'install(FILES LICENSE DESTINATION share/stray)' >>"$WORK/tree/CMakeLists.txt"
    run "$WORK/tree/packaging/deb" "$DP2DP_BUILD_DIR" "$WORK/stray"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"in no package"*"/usr/share/stray/LICENSE"* ]]
}
