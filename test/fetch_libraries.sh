#!/bin/sh
# Unpacks Debian's libraries of another architecture (CMocka, GMP, libcrypto) into a folder, for
# cross builds. The system stays as it is: apt works on a state of its own below that folder.
#
#   test/fetch_libraries.sh arm64|i386 FOLDER
#
# Leaves FOLDER/usr and FOLDER/libraries.ini, the second meson cross file, which says where they
# are. Exit status 77, with the reason as the last line on stderr, when they cannot be had.
set -eu

arch=$1
mkdir -p "$2"
root=$(cd "$2" && pwd)
case $arch in
arm64) triplet=aarch64-linux-gnu loader=ld-linux-aarch64.so.1 ;;
i386) triplet=i386-linux-gnu loader=ld-linux.so.2 ;;
*) echo "$0: unknown architecture: $arch" >&2; exit 2 ;;
esac
cross=/usr/${triplet%%-*}-linux-gnu
[ "$arch" != i386 ] || cross=/usr/i686-linux-gnu

skip()
{
    echo "$1" >&2
    exit 77
}

[ -e "$root/libraries.ini" ] && exit 0
command -v apt-get >/dev/null || skip "no apt-get here to fetch $arch libraries with"
command -v dpkg-deb >/dev/null || skip "no dpkg-deb here to unpack $arch libraries with"

apt=$root/apt
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/debs"
: >"$apt/state/status"
cat >"$apt/apt.conf" <<EOF
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Sandbox::User "";
Dir::State "$apt/state";
Dir::State::status "$apt/state/status";
Dir::Cache "$apt/cache";
Acquire::Languages "none";
EOF
(
    cd "$apt/debs"
    APT_CONFIG=$apt/apt.conf
    export APT_CONFIG
    apt-get -qq update # a source of which this fails may be one that is not wanted
    apt-get -qq download libcmocka0 libcmocka-dev libgmp10 libgmp-dev \
        libssl3 libssl-dev
) >"$apt/log" 2>&1 || skip "Debian's $arch libraries could not be fetched: $(tail -n 1 "$apt/log")"

for deb in "$apt"/debs/*.deb; do
    dpkg-deb -x "$deb" "$root"
done
rm -rf "$apt"

# Programs find the libraries by rpath: with qemu-user and natively alike.
lib=$root/usr/lib/$triplet
flags="'-L$lib', '-Wl,-rpath,$lib', '-Wl,-rpath,$cross/lib', '-Wl,-rpath-link,$lib'"
[ "$arch" != i386 ] || flags="$flags, '-Wl,--dynamic-linker=$cross/lib/$loader'"
cat >"$root/libraries.ini.new" <<EOF
[properties]
sys_root = '$root'
pkg_config_libdir = '$lib/pkgconfig:$root/usr/share/pkgconfig'

[built-in options]
c_args = ['-isystem', '$root/usr/include', '-isystem', '$root/usr/include/$triplet']
c_link_args = [$flags]
EOF
mv "$root/libraries.ini.new" "$root/libraries.ini"
