#!/bin/sh
# Builds and tests for other processors: arm64, run by qemu-user, and 32-bit x86, run as it is.
#
#   test/run_cross.sh [FOLDER [arm64] [i686] [-- arguments of meson test]]
#
# Works in FOLDER/cross (default: build/cross). Prints one line a target: `ran: ...`, `skipped: ...`
# with the reason, or `failed: ...`. Exit status 0: all that could run passed; 77: nothing could
# run; 1: something failed.
set -u
cd "$(dirname "$0")/.." || exit 1
top=$PWD
BUILD=${1:-$top/build}
[ $# -gt 0 ] && shift
mkdir -p "$BUILD/cross"
BUILD=$(cd "$BUILD/cross" && pwd)
ran=0 failed=0 reason=

skip() {
  reason="$1: $2"
  echo "skipped: $reason"
}

fail() {
  failed=1
  echo "failed: $1: $2"
  tail -n 60 "$3"
}

# target NAME DEBIAN_ARCHITECTURE COMPILER [EMULATOR] -- [arguments of meson test]
target() {
  name=$1 arch=$2 compiler=$3 emulator=$4
  shift 4
  log=$BUILD/$name.log
  for tool in meson ninja pkg-config "$compiler" $emulator; do
    command -v "$tool" >/dev/null || { skip "$name" "$tool is not installed"; return; }
  done
  sh test/fetch_libraries.sh "$arch" "$BUILD/$name-libraries" >"$log" 2>&1
  case $? in
    0) ;;
    77) skip "$name" "$(tail -n 1 "$log")"; return ;;
    *) fail "$name" "no libraries" "$log"; return ;;
  esac
  if [ ! -f "$BUILD/$name/build.ninja" ]; then
    meson setup --werror --cross-file "test/cross/$name.ini" \
      --cross-file "$BUILD/$name-libraries/libraries.ini" "$BUILD/$name" >"$log" 2>&1 ||
      { rm -rf "$BUILD/$name"; fail "$name" "meson setup" "$log"; return; }
  fi
  ninja -C "$BUILD/$name" >"$log" 2>&1 || { fail "$name" "the build" "$log"; return; }
  if [ -z "$emulator" ]; then
    "$BUILD/$name/test/test_modulus" >"$log" 2>&1
    case $? in 126 | 127) skip "$name" "this system does not run $name programs"; return ;; esac
  fi
  if meson test -C "$BUILD/$name" --no-rebuild --print-errorlogs --timeout-multiplier 10 "$@" \
    >"$log" 2>&1; then
    ran=1
    passed=$(sed -n 's/^Ok: *\([0-9]*\).*/\1/p' "$log")
    skipped=$(sed -n 's/^Skipped: *\([0-9]*\).*/\1/p' "$log")
    echo "ran: $name: $passed tests passed, $skipped skipped"
  else
    fail "$name" "the tests" "$log"
  fi
}

targets=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  targets="$targets $1"
  shift
done
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- --no-suite slow

for t in ${targets:-arm64 i686}; do
  case $t in
    arm64) target arm64 arm64 aarch64-linux-gnu-gcc qemu-aarch64 "$@" ;;
    i686) target i686 i386 i686-linux-gnu-gcc '' "$@" ;;
    *) echo "failed: unknown target: $t"; failed=1 ;;
  esac
done

[ $failed -eq 0 ] || exit 1
[ $ran -eq 1 ] && exit 0
echo "$reason"
exit 77
