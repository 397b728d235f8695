#!/bin/sh
# NIST's RSA vectors and the Ed25519 vectors of sign.input, from Debian's python3-cryptography-vectors or
# a given folder (its `asymmetric`).
#
#   sh test/cavp.sh BUILD [FOLDER]
#
# Exit status 77 when there are no vectors.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/debian.sh"
build=$(cd "$1" && pwd) || exit 2
vectors=${2:-}
if [ -z "$vectors" ]; then
  work=$build/cavp
  find_vectors() { find "$work/root" -type d -path '*cryptography_vectors/asymmetric' 2>/dev/null | head -n 1; }
  vectors=$(find_vectors)
  if [ -z "$vectors" ]; then
    reason=$( (debian_open "$work" "$(debian_suite)" && debian_unpack "$work" python3-cryptography-vectors) 2>&1) ||
      { echo "$reason"; exit 77; }
    vectors=$(find_vectors)
  fi
fi
[ -f "$vectors/Ed25519/sign.input" ] || { echo "no vectors in ${vectors:-the package}"; exit 77; }
exec "$build/test/cavp" "$build/provider" "$vectors"
