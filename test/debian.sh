# Debian packages of another suite, fetched by a private apt: to be sourced by other scripts.
#
# The mirror is the one that this machine's apt is set up with; its keyring judges the signatures.
# Nothing outside the given folder is written. Each function returns 1 when it cannot deliver, with
# one line on stderr that says why.

# debian_mirror: the address of the mirror that the machine's own apt uses for Debian proper.
debian_mirror() {
    command -v apt-get >/dev/null || { echo "no apt on this machine" >&2; return 1; }
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(SUITE)$(CODENAME)$(RELEASE)' \
        'Created-By: Packages' 2>/dev/null |
        awk '$1 ~ /debian\/?$/ && $2 !~ /security|backports/ { print $1; exit }')
    [ -n "$mirror" ] || { echo "apt has no Debian mirror set up" >&2; return 1; }
    echo "$mirror"
}

# debian_open DIR SUITE...: makes DIR a private apt of these suites and reads their indices. The last
# suite is the one that packages are taken from when several have them.
debian_open() {
    dir=$1
    shift
    mirror=$(debian_mirror) || return 1
    mkdir -p "$dir/state/lists/partial" "$dir/cache/archives/partial" "$dir/deb" "$dir/root"
    : >"$dir/status"
    : >"$dir/sources.list"
    for suite in "$@"; do
        echo "deb $mirror $suite main" >>"$dir/sources.list"
        echo "deb-src $mirror $suite main" >>"$dir/sources.list"
    done
    cat >"$dir/apt.conf" <<EOF
Dir::State "$dir/state";
Dir::State::status "$dir/status";
Dir::Cache "$dir/cache";
Dir::Etc::sourcelist "$dir/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
APT::Default-Release "$suite";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "2";
EOF
    APT_CONFIG=$dir/apt.conf apt-get -q update >"$dir/update.log" 2>&1 ||
        { echo "apt cannot read suite $suite ($dir/update.log)" >&2; return 1; }
}

# debian_unpack DIR PACKAGE...: downloads these packages and unpacks them into DIR/root.
debian_unpack() {
    dir=$1
    shift
    (cd "$dir/deb" && APT_CONFIG=$dir/apt.conf apt-get -q download "$@" >../download.log 2>&1) ||
        { echo "apt cannot download $* ($dir/download.log)" >&2; return 1; }
    for deb in "$dir"/deb/*.deb; do
        dpkg -x "$deb" "$dir/root" || return 1
    done
}

# debian_source DIR PACKAGE: downloads the source package into DIR/src; prints the upstream tarball.
debian_source() {
    mkdir -p "$1/src"
    (cd "$1/src" && APT_CONFIG=$1/apt.conf apt-get -q source --download-only "$2" \
        >../source.log 2>&1) || { echo "apt cannot download the source of $2" >&2; return 1; }
    ls "$1"/src/*.orig.tar.* | grep -v '\.asc$' | head -n 1
}

# debian_suite: the code name of the Debian that this machine runs.
debian_suite() {
    (. /etc/os-release 2>/dev/null && [ "${ID:-}" = debian ] && echo "$VERSION_CODENAME") ||
        { echo "this machine does not run Debian" >&2; return 1; }
}
