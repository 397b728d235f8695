#!/bin/sh
# Installs into a scratch folder, then compiles and runs the example with nothing but what was
# installed and pkg-config's answers. Exit status 77: a tool is missing.
#
#   test/example_core.sh BUILD_FOLDER COMPILER
set -eu
build=$1
cc=$2
here=$(cd "$(dirname "$0")" && pwd)
for tool in meson pkg-config; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

DESTDIR=$work/root meson install -C "$build" --no-rebuild --quiet >"$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
pc=$(find "$work/root" -name bigmod-core.pc)
PKG_CONFIG_LIBDIR=$(dirname "$pc")
PKG_CONFIG_SYSROOT_DIR=$work/root
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR

# shellcheck disable=SC2046 # the answer is several words
$cc -std=gnu11 -Wall -Wextra -Wpedantic -Werror "$here/example_core.c" -o "$work/example" \
  $(pkg-config --cflags --libs bigmod-core)
"$work/example" >"$work/out"
cat "$work/out"
grep -qx '3^1000 mod 10^6 = 220001' "$work/out"
grep -qx '1/3 mod 10^6 = 666667' "$work/out"
grep -qx 'a 2048-bit key signed and verified' "$work/out"

# The program needs no libcrypto, and each installed header stands alone.
if command -v readelf >/dev/null; then
  if readelf -d "$work/example" | grep 'NEEDED.*crypto'; then
    echo "libcrypto is needed"
    exit 1
  fi
fi
for header in "$(pkg-config --variable=includedir bigmod-core)"/bigmod/*.h; do
  echo "#include <bigmod/$(basename "$header")>" >"$work/header.c"
  # shellcheck disable=SC2046
  $cc -std=c11 -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags bigmod-core) "$work/header.c"
done

# The lines of C in the README are lines of this program.
awk '/^```c$/ { c = 1; next } /^```$/ { c = 0 } c' "$here/../README.md" >"$work/lines"
[ -s "$work/lines" ] || { echo "README.md shows no C"; exit 1; }
while IFS= read -r line; do
  grep -qxF -- "$line" "$here/example_core.c" || { echo "README.md: not in the example: $line"; exit 1; }
done <"$work/lines"
