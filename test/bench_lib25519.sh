#!/bin/sh
# Ed25519 beside lib25519 in one run; lib25519 is Debian sid's, unpacked below BUILD/lib25519.
#
#   sh test/bench_lib25519.sh BUILD [BLOCKS]
set -u
. "$(dirname "$0")/debian.sh"
build=$(cd "$1" && pwd) || exit 2
shift
work=$build/lib25519
if [ ! -e "$work/unpacked" ]; then
    debian_open "$work" sid && debian_unpack "$work" lib25519-1 libcpucycles1 librandombytes1 || exit 77
    : >"$work/unpacked"
fi
LD_LIBRARY_PATH=$(dirname "$(find "$work/root" -name lib25519.so.1)") "$build/test/bench_ed25519" "$@"
