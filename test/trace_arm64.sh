#!/bin/sh
# Constant time of the arm64 kernels, and of the C around them as the arm64 compiler made it: the
# address traces of each secret operation are equal for different secrets (FAILURES.md rows 56, 57),
# and no division runs in between but
# those of lengths, which are public. qemu-user executes, a plugin of its code generator traces.
#
#   test/trace_arm64.sh [FOLDER [quick|full]]
#
# FOLDER (default: build) is the one that test/run_cross.sh made its arm64 build in. Exit status 77:
# cannot run here; 1: traces differ, or a planted leak was not caught.
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${1:-$PWD/build}/cross
driver=$BUILD/arm64/test/trace_driver
work=$BUILD/trace
failed=0

skip() {
  echo "skipped: $1"
  exit 77
}

command -v qemu-aarch64 >/dev/null || skip "qemu-aarch64 is not installed"
[ -x "$driver" ] || skip "there is no arm64 build in $BUILD (test/run_cross.sh makes it)"
mkdir -p "$work"
plugin=$work/trace_plugin.so
${CC:-cc} -O2 -shared -fPIC -fvisibility=hidden -o "$plugin" test/trace_plugin.c || exit 1

# traces KERNELS BITS E_BITS SECRETS
traces() {
  qemu-aarch64 -plugin "$plugin" "$driver" "$@" 2>"$work/trace.log" ||
    { tail -n 3 "$work/trace.log"; echo "FAILED: the program did not run"; failed=1; return; }
  awk -v what="kernels $1, $2-bit moduli" '
    function verdict(    good) {
      if (name == "") return
      good = name ~ /^planted/ ? different && num > 1 : !different && num > 1 && !divisions
      if (name ~ /^planted/)
        print (good ? "ran: " : "FAILED: ") what ", " name ": " (good ? "caught" : "NOT CAUGHT")
      else
        print (good ? "ran: " : "FAILED: ") what ", " name ": " num " secrets, " steps " steps: " \
          (different ? "DIFFERENT" : divisions ? "DIVISIONS" : "equal")
      if (!good) bad = 1
    }
    /^operation / { verdict(); name = substr($0, 11); num = different = divisions = 0; next }
    /^trace / { if (num++ == 0) first = $2; else if ($2 != first) different = 1; steps = $3 }
    $1 == "division" && $2 != "bm_exp" && $2 != "bm_reduce" { divisions = 1 } # these divide lengths
    END { verdict(); if (name == "") { print "FAILED: nothing was traced"; bad = 1 } exit bad }' \
    "$work/trace.log" || failed=1
}

traces arm64 1024 64 4
traces arm64 1088 64 4
if [ "${2:-quick}" = full ]; then
  for bits in 256 320 512 576 1536 2048; do
    traces arm64 $bits 64 8
  done
  traces arm64 1024 1024 100
  traces portable 1024 1024 8
fi
exit $failed
