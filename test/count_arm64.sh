#!/bin/sh
# Counts the instructions that arm64 executes for an operation under qemu-user, bigmod beside the
# default provider of the same libcrypto, both through EVP.
#
#   test/count_arm64.sh [FOLDER [rsa2048] [rsa3072] [rsa4096] [ed25519]]
#
# FOLDER (default: build) is the one that test/run_cross.sh made its arm64 build in. The count of
# one operation is the difference between a run of many and a run of few, so that what starts and
# ends a program cancels out. Exit status 1 when RSA-2048 signing needs more than 0.90 of
# libcrypto's instructions, or Ed25519 signing more than 0.50; 77 when nothing could be counted.
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${1:-$PWD/build}/cross
[ $# -gt 0 ] && shift
build=$BUILD/arm64
work=$BUILD/count
plugin=$work/count_plugin.so

skip() {
  echo "skipped: $1"
  exit 77
}

command -v qemu-aarch64 >/dev/null || skip "qemu-aarch64 is not installed"
[ -x "$build/test/count_ops" ] ||
  skip "there is no arm64 build in $build (test/run_cross.sh makes it)"
mkdir -p "$work"
${CC:-cc} -O2 -shared -fPIC -fvisibility=hidden -o "$plugin" test/count_plugin.c || exit 1

# run TIMES PROVIDER KEY OPERATION: the instructions of that many operations
run() {
  qemu-aarch64 -L /usr/aarch64-linux-gnu -plugin "$plugin" "$build/test/count_ops" \
    "$build/provider" "$2" "$3" "$4" "$work/$3.pem" "$1" 2>"$work/log" || return 1
  sed -n 's/^instructions //p' "$work/log"
}

# one PROVIDER KEY OPERATION: the instructions of one, averaged over 32 (the default provider renews
# its RSA blinding that often)
one() {
  few=$(run 1 "$@") && many=$(run 33 "$@") && echo $(((many - few) / 32))
}

: | qemu-aarch64 -L /usr/aarch64-linux-gnu -plugin "$plugin" "$build/test/count_ops" 2>&1 |
  grep -q ^instructions || skip "this qemu-aarch64 takes no plugins"

bad=0 rows=0
printf '%-16s %12s %12s %7s\n' 'instructions' default bigmod ratio
for key in ${*:-rsa2048 rsa3072 rsa4096 ed25519}; do
  case $key in
    rsa*) [ -s "$work/$key.pem" ] ||
      openssl genpkey -algorithm RSA -pkeyopt "rsa_keygen_bits:${key#rsa}" \
        -out "$work/$key.pem" 2>/dev/null ;;
    ed25519) [ -s "$work/$key.pem" ] || openssl genpkey -algorithm ed25519 -out "$work/$key.pem" ;;
  esac
  for operation in sign verify; do
    theirs=$(one default "$key" "$operation") || { cat "$work/log"; bad=1; continue; }
    if ! ours=$(one bigmod "$key" "$operation"); then
      printf '%-16s %12d %12s\n' "$key $operation" "$theirs" '-'
      sed 's/^/    /' "$work/log"
      bad=1
      continue
    fi
    rows=$((rows + 1))
    awk -v name="$key $operation" -v theirs="$theirs" -v ours="$ours" 'BEGIN {
      ratio = ours / theirs
      goal = name == "rsa2048 sign" ? 0.90 : name == "ed25519 sign" ? 0.50 : 0
      verdict = goal == 0 ? "" : ratio <= goal ? "  (goal: " goal ")" : "  MISSED (goal: " goal ")"
      printf "%-16s %12d %12d %7.3f%s\n", name, theirs, ours, ratio, verdict
      exit goal > 0 && ratio > goal
    }' || bad=1
  done
done
[ $bad -eq 0 ] || exit 1
[ $rows -gt 0 ] || skip "nothing was counted"
