#!/bin/sh
# The constant-time run over compilers and optimisation levels (FAILURES.md rows 23, 54, 58).
#
#   sh test/ct.sh BUILD quick|full
#
# quick: gcc and clang at O2, and gcc at O0; full: both at O0, O1, O2, O3, Os and O2 with LTO. Each build runs
# with every kernel set that the processor has as valgrind shows it.
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
build=$(cd "$1" && pwd) || exit 2
command -v valgrind >/dev/null || { echo "valgrind is not installed"; exit 77; }
failed=0

run() { valgrind -q --error-exitcode=9 --undef-value-errors=yes --track-origins=no "$@"; }

# one COMPILER LEVEL
one() {
  compiler=$1 level=$2
  command -v "$compiler" >/dev/null || { echo "skipped: $compiler is not installed"; return; }
  folder=$build/ct-$compiler-$level
  case $level in
    lto) options="-Doptimization=2 -Db_lto=true" ;;
    *) options="-Doptimization=$level" ;;
  esac
  [ -f "$folder/build.ninja" ] ||
    CC=$compiler meson setup "$folder" "$top" -Dct=true -Dc_args=-gdwarf-4 $options >"$folder.log" 2>&1 ||
    { tail -n 5 "$folder.log"; failed=1; return; }
  ninja -C "$folder" test/ct_secrets >"$folder.log" 2>&1 || { tail -n 20 "$folder.log"; failed=1; return; }
  program=$folder/test/ct_secrets
  for leak in planted-branch planted-address; do
    run "$program" $leak >/dev/null 2>&1
    [ $? -eq 9 ] || { echo "FAILED: $compiler $level: $leak was not caught"; failed=1; }
  done
  for kernels in portable amd64 adx; do
    run "$program" $kernels >"$folder-$kernels.log" 2>&1
    case $? in
      0) echo "ran: $compiler $level, kernels $kernels: no report" ;;
      77) tail -n 1 "$folder-$kernels.log" ;;
      *) echo "FAILED: $compiler $level, kernels $kernels"; head -n 40 "$folder-$kernels.log"; failed=1 ;;
    esac
  done
}

case ${2:-quick} in
  quick) one gcc 2; one clang 2; one gcc 0 ;;
  *) for compiler in gcc clang; do for level in 0 1 2 3 s lto; do one $compiler $level; done; done ;;
esac
exit $failed
