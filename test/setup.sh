# Sourced by run.sh: what the project needs, and how it comes onto a Debian machine.

# To build, test and measure; then what the further checks use.
packages_build='gcc libc6-dev meson ninja-build pkg-config openssl libssl-dev libcmocka-dev libgmp-dev'
packages_more='clang libclang-rt-14-dev lld valgrind qemu-user gcc-aarch64-linux-gnu
  libc6-dev-arm64-cross gcc-i686-linux-gnu libc6-dev-i386-cross libzydis-dev libcjson-dev gdb curl nginx openssh-client'

# Names of the given packages that are not installed.
missing_packages() {
  for p in "$@"; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || echo "$p"
  done
}

# As root, by sudo where there is one.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

# need_packages build|all: installs what is missing. What `build` lists must be there in the end; the
# rest may be missing: the checks that want it say so and are skipped.
need_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "This is no Debian system: nothing is installed automatically. Needed: a C compiler, meson (1.0 or"
    echo "newer), ninja, pkg-config, OpenSSL 3 with headers, CMocka, GMP. For all checks also: clang with"
    echo "its runtime, valgrind, qemu-user, cross compilers for aarch64 and i686, gdb, curl, nginx."
    return 0
  fi
  wanted=$packages_build
  [ "$1" = all ] && wanted="$wanted $packages_more"
  missing=$(missing_packages $wanted)
  [ -z "$missing" ] && return 0
  echo "installing:" $missing
  log=$(mktemp)
  as_root apt-get update -q >"$log" 2>&1
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing >>"$log" 2>&1 ||
    for p in $missing; do # one by one, so that one that cannot be had does not stop the others
      as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$p" >>"$log" 2>&1 ||
        echo "could not install $p"
    done
  missing=$(missing_packages $packages_build)
  if [ -n "$missing" ]; then
    tail -n 20 "$log"
    echo "cannot go on without:" $missing "(as root: apt-get install" $missing")"
    exit 1
  fi
  rm -f "$log"
}

# build_in FOLDER [meson options]: configures once, builds; the log is shown when it fails.
build_in() {
  folder=$1
  shift
  mkdir -p "$folder"
  if [ ! -f "$folder/build.ninja" ]; then
    meson setup "$folder" "$top" "$@" >"$folder/setup.log" 2>&1 || { tail -n 20 "$folder/setup.log"; return 1; }
  fi
  ninja -C "$folder" >"$folder/build.log" 2>&1 || { tail -n 40 "$folder/build.log"; return 1; }
}
