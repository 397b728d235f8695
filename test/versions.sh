#!/bin/sh
# The provider on other versions of libcrypto: Debian's packages, unpacked below BUILD/versions.
#
#   sh test/versions.sh BUILD [SUITE...]      (default suites: trixie sid experimental)
#
# On each version run, by its own loader and C library: the provider's tests, OpenSSL's evp_test data
# and the openssl command, with bigmod.so compiled against that version's headers and with the one of
# BUILD. One line a check, "ran:", "FAILED:" or "skipped:" with its reason. Exit status 1 when one
# failed, 77 when none could run.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
. "$here/debian.sh"
build=$(cd "$1" && pwd) || exit 2
shift
[ $# -gt 0 ] || set -- trixie sid experimental
ran=0 failed=0

# check WHAT COMMAND...: runs it, its output into a log; 77 is a skip with its last line as reason.
check() {
    what=$1
    shift
    log=$work/$(echo "$what" | tr -c 'a-zA-Z0-9.\n' -).log
    "$@" >"$log" 2>&1 </dev/null
    code=$?
    case $code in
    0) ran=$((ran + 1)); echo "ran: $suite ($version): $what: $(grep . "$log" | tail -n 1)" ;;
    77) echo "skipped: $suite ($version): $what: $(tail -n 1 "$log")" ;;
    *) failed=$((failed + 1)); echo "FAILED: $suite ($version): $what ($log)"; tail -n 20 "$log" ;;
    esac
    return $code
}

# fetch SUITE: unpacks its openssl with all that it needs into $work/root.
fetch() {
    [ -e "$work/unpacked" ] && return 0
    if [ "$suite" = experimental ]; then
        debian_open "$work" sid experimental || return 1
    else
        debian_open "$work" "$suite" || return 1
    fi
    library=$(APT_CONFIG=$work/apt.conf apt-cache show openssl 2>/dev/null |
        sed -n 's/^Depends:.*\(libssl[0-9][0-9t]*\).*/\1/p' | head -n 1)
    [ -n "$library" ] || { echo "suite $suite has no openssl" >&2; return 1; }
    rm -f "$work"/deb/*.deb
    debian_unpack "$work" openssl "$library" libssl-dev libc6 zlib1g libzstd1 || return 1
    : >"$work/unpacked"
}

# Writes $work/run: puts a program on that version's loader and libraries; scripts run as they are,
# with that version's openssl first in PATH. MODULES overrides the folder that bigmod.so comes from.
write_runner() {
    loader=$(ls "$root"/usr/lib*/ld-linux-* "$root"/lib*/ld-linux-* 2>/dev/null | head -n 1)
    lib=$(dirname "$(ls "$root"/usr/lib/*/libcrypto.so.[0-9]* 2>/dev/null | head -n 1)")
    [ -n "$loader" ] && [ -n "$lib" ] || { echo "no loader or libcrypto in $root" >&2; return 1; }
    host=/usr/lib/$(basename "$lib")
    mkdir -p "$work/bin"
    cat >"$work/run" <<EOF
#!/bin/sh
export PATH="$work/bin:\$PATH"
[ -z "\${MODULES:-}" ] || export OPENSSL_MODULES="\$MODULES"
case \$(dd if="\$1" bs=4 count=1 2>/dev/null | tr -d '\\000') in
*ELF) exec "$loader" --library-path "$lib:$host" "\$@" ;;
*) exec "\$@" ;;
esac
EOF
    chmod +x "$work/run"
    # Static, so that an LD_PRELOAD that is meant for openssl does not meet this machine's C library.
    cat >"$work/openssl.c" <<EOF
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char **all = calloc((size_t)argc + 4, sizeof(*all));
    const char *modules = getenv("MODULES");
    if (all == NULL)
        return 126;
    if (modules != NULL && *modules != '\0')
        setenv("OPENSSL_MODULES", modules, 1);
    all[0] = "$loader";
    all[1] = "--library-path";
    all[2] = "$lib:$host";
    all[3] = "$root/usr/bin/openssl";
    memcpy(all + 4, argv + 1, (size_t)argc * sizeof(*all));
    execv(all[0], all);
    return 127;
}
EOF
    ${CC:-cc} -static -o "$work/bin/openssl" "$work/openssl.c"
}

# Builds the project against the headers of that version, in $work/build.
build_newer() {
    mkdir -p "$work/pkgconfig"
    for pc in "$lib"/pkgconfig/*.pc; do
        sed "s|^prefix=.*|prefix=$root/usr|" "$pc" >"$work/pkgconfig/$(basename "$pc")"
    done
    # --allow-shlib-undefined: that libcrypto wants a newer C library than the linker finds here.
    [ -f "$work/build/build.ninja" ] ||
        PKG_CONFIG_PATH=$work/pkgconfig meson setup "$work/build" "$top" \
            -Dc_link_args=-Wl,--allow-shlib-undefined || return 1
    ninja -C "$work/build" || return 1
    grep -E 'warning:' "$work/build/meson-logs/"* | head -n 1
    echo "built"
}

tests() {
    other= # whether that module is linked with another libcrypto than the programs: tests may ask
    ldd "$1/bigmod.so" | grep -q "$soname" || other=1
    OTHER_LIBCRYPTO=$other MODULES=$1 meson test -C "$2" --no-rebuild --suite provider --wrapper "$work/run" \
        --print-errorlogs --timeout-multiplier 3 || return 1
    results=$(ls "$2"/meson-logs/testlog-*.json 2>/dev/null | head -n 1)
    [ -n "$results" ] || { echo "no tests in suite provider"; return 1; }
    grep -c '"result": "OK"' "$results" | sed 's/$/ programs passed/'
}

evp_test() {
    OPENSSL_MODULES=$1 RUN=$work/run BIGMOD_BUILD=$2 sh "$here/evp_test.sh" "$build"
}

# The command of the README, with bigmod alone: needs the lent RAND and decoders.
speed() {
    out=$(OPENSSL_CONF=/dev/null "$work/bin/openssl" speed -seconds 1 -provider-path "$1" \
        -provider bigmod rsa2048 ed25519 2>&1) || { echo "$out"; return 1; }
    echo "$out"
    ! echo "$out" | grep -qE ' infs?( |$)|failure' && echo "$out" | grep -q 'rsa  *2048' &&
        echo "$out" | grep -q Ed25519
}

for suite in "$@"; do
    work=$build/versions/$suite
    root=$work/root
    version=?
    mkdir -p "$work"
    if ! reason=$( (fetch && write_runner) 2>&1); then
        echo "skipped: $suite: $(echo "$reason" | tail -n 1)"
        continue
    fi
    write_runner
    version=$("$work/bin/openssl" version 2>&1 | awk '{ print $2 }')
    soname=$(basename "$(ls "$lib"/libcrypto.so.[0-9]* | head -n 1)")
    if check "build with its headers" build_newer; then
        newer=$work/build
        check "tests, module of its own headers" tests "$newer/provider" "$newer"
        check "tests, module of the build" tests "$build/provider" "$newer"
        check "evp_test, module of its own headers" evp_test "$newer/provider" "$newer"
        check "evp_test, module of the build" evp_test "$build/provider" "$newer"
        check "openssl speed, module of its own headers" speed "$newer/provider"
    elif ldd "$build/provider/bigmod.so" | grep -q "$soname"; then
        check "tests, programs of the build" tests "$build/provider" "$build"
        check "evp_test, programs of the build" evp_test "$build/provider" "$build"
    else
        echo "skipped: $suite ($version): programs of the build: they are not linked with $soname"
    fi
    check "openssl speed, module of the build" speed "$build/provider"
done
echo "versions: $ran checks ran, $failed failed"
[ "$failed" -eq 0 ] || exit 1
[ "$ran" -gt 0 ] || exit 77
