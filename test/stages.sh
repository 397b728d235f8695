# Sourced by run.sh: the stages of `check` and `long`, and the count of what ran.
#
# A stage is a command that exits 0 (passed), 77 (skipped; the reason is the last line it printed) or
# otherwise (failed). Stages of meson count each of meson's tests.

passed=0 failed=0 skipped=0 summary=

# stage NAME COMMAND...
stage() {
  stage_name=$1
  shift
  log=$BUILD/logs/$stage_name.log
  mkdir -p "$BUILD/logs"
  from=$(date +%s)
  "$@" >"$log" 2>&1 </dev/null
  code=$?
  took=$(($(date +%s) - from))
  case $code in
    0) passed=$((passed + 1)); verdict=passed ;;
    77) skipped=$((skipped + 1)); verdict="skipped: $(tail -n 1 "$log")" ;;
    *) failed=$((failed + 1)); verdict="FAILED ($code)"; tail -n 60 "$log" ;;
  esac
  line="$stage_name: $verdict (${took} s)"
  echo "$line"
  grep -E '^(ran|skipped|note):' "$log" | sed 's/^/    /'
  summary="$summary
  $line"
}

# meson_stage NAME FOLDER [arguments of meson test]: counts and prints each test.
meson_stage() {
  stage_name=$1 folder=$2
  shift 2
  log=$BUILD/logs/$stage_name.log
  mkdir -p "$BUILD/logs"
  from=$(date +%s)
  meson test -C "$folder" --no-rebuild --print-errorlogs "$@" >"$log" 2>&1 </dev/null
  code=$?
  took=$(($(date +%s) - from))
  ok=$(sed -n 's/^Ok: *\([0-9]*\).*/\1/p' "$log")
  bad=$(sed -n 's/^\(Fail\|Timeout\|Unexpected Pass\): *\([0-9]*\).*/\2/p' "$log" | awk '{n += $1} END {print n + 0}')
  skip=$(sed -n 's/^Skipped: *\([0-9]*\).*/\1/p' "$log")
  passed=$((passed + ${ok:-0})) skipped=$((skipped + ${skip:-0}))
  failed=$((failed + ${bad:-0}))
  [ $code -ne 0 ] && [ "${bad:-0}" -eq 0 ] && failed=$((failed + 1))
  [ $code -ne 0 ] && tail -n 80 "$log"
  grep -E '^ *[0-9]+/[0-9]+ ' "$log" | sed 's/^ */    /'
  line="$stage_name: ${ok:-0} passed, ${bad:-0} failed, ${skip:-0} skipped (${took} s)"
  echo "$line"
  summary="$summary
  $line"
}

# build_and_test NAME SUITES [meson options]: stages for building and for running the tests; SUITES are
# arguments of meson test.
build_and_test() {
  build_name=$1 suites=$2 folder=$BUILD/$1
  shift 2
  stage "build-$build_name" build_in "$folder" "$@"
  [ -f "$folder/build.ninja" ] && meson_stage "test-$build_name" "$folder" $suites
}

# The self tests with portable kernels under MemorySanitizer: they use no library that is not instrumented.
uninitialised_memory() {
  command -v clang >/dev/null || { echo "clang is not installed"; return 77; }
  folder=$BUILD/uninitialised
  [ -f "$folder/build.ninja" ] ||
    CC=clang meson setup "$folder" "$top" -Db_sanitize=memory -Db_lundef=false -Dasm=disabled || return 1
  ninja -C "$folder" test/test_self_test && "$folder/test/test_self_test"
}

finish() {
  echo
  echo "summary:$summary"
  echo
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
}

# The stages of both commands; `depth` is quick or full.
all_stages() {
  depth=$1
  case $depth in
    quick) fuzz_runs=150000 suites_gcc="--no-suite long" ;;
    full) fuzz_runs=100000000 suites_gcc="--timeout-multiplier 10" ;;
  esac
  build_and_test gcc "$suites_gcc" --werror
  if command -v clang >/dev/null; then
    CC=clang build_and_test clang "--no-suite slow --no-suite long" --werror
  else
    stage test-clang sh -c 'echo "clang is not installed"; exit 77'
  fi
  build_and_test no-assembly "--no-suite slow --no-suite long" --werror -Dasm=disabled
  build_and_test sanitizers "--no-suite slow --no-suite long" -Db_sanitize=address,undefined -Db_lundef=false
  stage x86-processors sh test/qemu_cpus.sh "$BUILD/gcc"
  build_and_test threads "provider_life provider_load" -Db_sanitize=thread -Db_lundef=false
  stage uninitialised-memory uninitialised_memory
  stage other-processors sh test/run_cross.sh "$BUILD"
  stage arm64-constant-time sh test/trace_arm64.sh "$BUILD" "$depth"
  stage arm64-instructions sh test/count_arm64.sh "$BUILD"
  stage constant-time sh test/ct.sh "$BUILD" "$depth"
  stage fuzz sh test/fuzz.sh "$BUILD" "$fuzz_runs"
  stage wycheproof sh test/wycheproof.sh "$BUILD/gcc"
  stage cavp sh test/cavp.sh "$BUILD/gcc"
  stage openssl-evp-test sh test/evp_test.sh "$BUILD/gcc"
  stage index sh test/index.sh
}

check_stages() {
  all_stages quick
  finish
}

long_stages() {
  all_stages full
  stage address-traces "$BUILD/gcc/test/ct_trace" -s 64 -b 1024 -e 24 -n 2048
  stage faults "$BUILD/gcc/test/test_faults" 100000
  stage kernels ninja -C "$BUILD/gcc" kernels-long
  stage timing ninja -C "$BUILD/gcc" timing
  stage versions sh test/versions.sh "$BUILD/gcc"
  stage ed25519-mutations "$BUILD/gcc/test/test_ed25519" 1000000 long
  finish
}
