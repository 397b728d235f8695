#!/bin/sh
# Project Wycheproof's vectors, from Debian's package of them (suite sid) or a given folder.
#
#   sh test/wycheproof.sh BUILD [FOLDER_OF_testvectors_v1]
#
# Exit status 77 when there are no vectors or no runner.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/debian.sh"
build=$(cd "$1" && pwd) || exit 2
vectors=${2:-}
[ -x "$build/test/wycheproof" ] || { echo "the runner was not built: cJSON is missing"; exit 77; }
if [ -z "$vectors" ]; then
  work=$build/wycheproof
  find_vectors() { find "$work/root" -type d -name testvectors_v1 2>/dev/null | head -n 1; }
  vectors=$(find_vectors)
  if [ -z "$vectors" ]; then
    reason=$( (debian_open "$work" sid && debian_unpack "$work" golang-github-c2sp-wycheproof-dev) 2>&1) ||
      { echo "$reason"; exit 77; }
    vectors=$(find_vectors)
  fi
fi
[ -f "$vectors/ed25519_test.json" ] || { echo "no Wycheproof vectors in ${vectors:-the package}"; exit 77; }
exec "$build/test/wycheproof" "$build/provider" "$vectors"
