#!/bin/sh
# The project's commands, each from nothing: installs what is missing, builds, runs.
#
#   sh test/run.sh speed [ROW...]   openssl speed and the bench, bigmod beside the default provider
#   sh test/run.sh check            every test in its quick form
#   sh test/run.sh long             the full figures: takes hours
#   sh test/run.sh versions         the provider on other versions of libcrypto
#   sh test/run.sh setup            only installs what is missing
#
# BUILD names the build folder (default: build).
set -u
cd "$(dirname "$0")/.." || exit 1
top=$PWD
BUILD=${BUILD:-$top/build}
. test/setup.sh
. test/stages.sh

speed() {
  need_packages build
  build_in "$BUILD" || exit 1
  echo
  for provider in default bigmod default bigmod; do
    echo "== openssl speed, $provider"
    conf=/dev/null
    [ $provider = bigmod ] && conf=$top/bigmod.cnf
    OPENSSL_MODULES=$BUILD/provider OPENSSL_CONF=$conf \
      openssl speed -seconds 1 rsa2048 rsa3072 rsa4096 ed25519 2>/dev/null | grep -E '^(rsa|  *[0-9]|  *sign)|Ed25519'
  done
  echo
  echo "== the bench, interleaved through EVP"
  "$BUILD/test/bench" -m "$BUILD/provider" -s "${SECONDS_A_ROW:-2}" "$@"
}

command=${1:-}
[ $# -gt 0 ] && shift
case $command in
  speed) speed "$@" ;;
  setup) need_packages all ;;
  check) need_packages all; BUILD=$BUILD/check; check_stages ;;
  long) need_packages all; BUILD=$BUILD/long; long_stages ;;
  versions) need_packages all; build_in "$BUILD" && sh test/versions.sh "$BUILD" ;;
  *) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
