#!/bin/sh
# OpenSSL's own RSA and Ed25519 test data through the runner, with bigmod preferred.
#
#   sh test/evp_test.sh BUILD [FOLDER]
#
# FOLDER (or EVP_TEST_DATA) holds evppkey_rsa.txt and its like: test/recipes/30-test_evp_data of an
# OpenSSL source tree. Without one they come from Debian's source package of the libcrypto in use,
# kept in BUILD/evp_test. Exit status 77 when they cannot be had. RUN is put before the runner,
# which is that of BIGMOD_BUILD if that is set.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/debian.sh"
build=$(cd "$1" && pwd)
data=${2:-${EVP_TEST_DATA:-}}

if [ -z "$data" ]; then
    work=$build/evp_test
    data=$work/data
    if ! ls "$data"/evppkey_rsa*.txt >/dev/null 2>&1; then
        suite=$(debian_suite) || exit 77
        debian_open "$work" "$suite" || exit 77
        tarball=$(debian_source "$work" openssl) || exit 77
        mkdir -p "$data"
        tar -xf "$tarball" -C "$data" --strip-components=4 \
            --wildcards '*/test/recipes/30-test_evp_data/evppkey_*.txt' || exit 77
        rm -f "$tarball"
    fi
fi
set -- # the files that exist in this version
for name in evppkey_rsa evppkey_rsa_common evppkey_rsa_sigalg evppkey_rsa_kem evppkey_ecx \
    evppkey_ecx_sigalg; do
    [ ! -r "$data/$name.txt" ] || set -- "$@" "$data/$name.txt"
done
[ $# -gt 0 ] || { echo "no evp_test data in $data" >&2; exit 77; }
OPENSSL_MODULES=${OPENSSL_MODULES:-$build/provider} ${RUN:-} \
    "${BIGMOD_BUILD:-$build}/test/evp_test_runner" "$@"
