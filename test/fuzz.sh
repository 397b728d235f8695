#!/bin/sh
# The libFuzzer targets, each for a number of runs over its corpus in test/corpus (where it has one).
#
#   sh test/fuzz.sh BUILD RUNS_A_TARGET
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
build=$(cd "$1" && pwd) runs=$2
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d == 0 && n > 9; }' >"$build/fuzz-probe.c"
clang -fsanitize=fuzzer,address "$build/fuzz-probe.c" -o "$build/fuzz-probe" 2>/dev/null ||
  { echo "clang has no libFuzzer runtime here"; exit 77; }
folder=$build/fuzz
[ -f "$folder/build.ninja" ] ||
  CC=clang meson setup "$folder" "$top" -Dfuzz=enabled >"$folder.log" 2>&1 || { tail -n 5 "$folder.log"; exit 1; }
ninja -C "$folder" >"$folder.log" 2>&1 || { tail -n 30 "$folder.log"; exit 1; }

# one PROGRAM: runs it; its verdict is its last line of output and its exit status.
one() {
  name=$(basename "$1")
  work=$build/corpus-$name
  mkdir -p "$work"
  seeds=$here/corpus/$name
  [ -d "$seeds" ] || seeds=
  if (cd "$build" && "$1" -runs="$runs" -seed=1 -max_len=400 -verbosity=0 -print_final_stats=1 "$work" $seeds) \
    >"$build/$name.log" 2>&1; then
    echo "ran: $name, $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log") runs"
  else
    echo "FAILED: $name"
    grep -vE '^(INFO|#)' "$build/$name.log" | head -n 40
    : >"$build/fuzz-failed"
  fi
}

# Two at a time.
rm -f "$build/fuzz-failed"
waiting=0
for program in "$folder"/test/fuzz_*; do
  [ -x "$program" ] && [ -f "$program" ] || continue
  one "$program" &
  waiting=$((waiting + 1))
  [ $((waiting % 2)) -eq 0 ] && wait
done
wait
[ ! -e "$build/fuzz-failed" ]
