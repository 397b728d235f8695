#!/bin/sh
# Runs the checks of kernels on old and new x86-64 processors, as qemu-user shows them: an instruction
# that its processor lacks would end the program (FAILURES.md rows 18, 19, 21).
#
#   test/qemu_cpus.sh BUILD [CASES]
#
# BUILD is a build with tests and assembly. Prints a line a processor; exit status 0: all passed; 77:
# skipped, the reason in the last line; 1: something failed.
set -u
BUILD=${1:?build folder} CASES=${2:-30}
[ "$(uname -m)" = x86_64 ] || { echo "this is not an x86-64 system"; exit 77; }
command -v qemu-x86_64 >/dev/null || { echo "qemu-x86_64 is not installed"; exit 77; }
for program in test_cpu check_kernels check_abi test_modulus; do
  [ -x "$BUILD/test/$program" ] || { echo "$BUILD/test/$program is not built"; exit 77; }
done
log=$(mktemp) failed=0
trap 'rm -f "$log"' EXIT

# on PROCESSOR SET: the set that it must choose, and all checks
on() {
  qemu-x86_64 -cpu "$1" "$BUILD/test/test_cpu" >"$log" 2>&1
  chosen=$(sed -n 's/^this processor: 0x[0-9a-f]*, //p' "$log")
  if [ "$chosen" != "$2" ]; then
    echo "FAILED: $1 chooses \"$chosen\", not $2"
    failed=1
    return
  fi
  for check in "check_abi" "check_kernels $CASES"; do
    # shellcheck disable=SC2086
    if ! qemu-x86_64 -cpu "$1" "$BUILD/test/"$check >"$log" 2>&1; then
      echo "FAILED: $1: $check"
      tail -n 20 "$log"
      failed=1
      return
    fi
  done
  sets=$(sed -n 's/^kernels \(.*\) (needs.*: run$/\1/p' "$log" | tr '\n' ' ')
  echo "ran: $1: chooses $chosen, checked $sets"
}

on qemu64 amd64
on Nehalem amd64
on Haswell amd64
on Broadwell adx
on EPYC-Rome adx
on max adx
exit $failed
