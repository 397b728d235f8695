#!/bin/sh
# The commands that users of bigmod run, on keys that the default provider made, each shown to run in
# bigmod by its counters (witness.c).
#
#     test_commands.sh MODULE_DIR BIGMOD_CNF WITNESS
set -eu
modules=$1 conf=$2 witness=$3
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || :; rm -rf "$dir"' EXIT
cd "$dir"

fail() {
    echo "test_commands: $*" >&2
    exit 1
}

# openssl without bigmod, and with it
plain() { OPENSSL_CONF=/dev/null openssl "$@"; }
bigmod() {
    rm -f counters
    OPENSSL_CONF=$conf OPENSSL_MODULES=$modules LD_PRELOAD=$witness BIGMOD_WITNESS=$dir/counters \
        openssl "$@"
}

# ran COUNTER AT_LEAST [FILE]: the operation ran in bigmod
ran() {
    seen=$(awk -v name="$1" '$1 == name { n += $2 } END { print n + 0 }' "${3:-counters}" 2>/dev/null || echo 0)
    [ "$seen" -ge "$2" ] || fail "$step: $1 is $seen, not $2 or more"
    echo "ok: $step: $1 = $seen"
}

step="the module exports one symbol"
symbols=$(nm -D --defined-only "$modules/bigmod.so" | awk '{ print $3 }')
[ "$symbols" = OSSL_provider_init ] || fail "$step: $symbols"

step="openssl list"
bigmod list -providers -verbose >list
grep -q 'build info:.*kernels=' list || fail "$step"

plain genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key.pem 2>/dev/null
plain pkey -in key.pem -pubout -out pub.pem
plain genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out ca.pem 2>/dev/null
echo "some message" >message

step="openssl speed rsa2048"
bigmod speed -seconds 1 rsa2048 >speed 2>&1 || fail "$step"
ran bigmod-rsa-sign 2
ran bigmod-rsa-verify 2

step="openssl dgst -sign"
for pad in pkcs1 pss; do
    bigmod dgst -sha256 -sign key.pem -sigopt rsa_padding_mode:$pad -out sig message
    ran bigmod-rsa-sign 1
    plain dgst -sha256 -verify pub.pem -sigopt rsa_padding_mode:$pad -signature sig message >/dev/null
    step="openssl dgst -verify"
    bigmod dgst -sha256 -verify pub.pem -sigopt rsa_padding_mode:$pad -signature sig message >/dev/null
    ran bigmod-rsa-verify 1
    if bigmod dgst -sha256 -verify pub.pem -sigopt rsa_padding_mode:$pad -signature sig "$conf" >/dev/null 2>&1
    then
        fail "$step takes another message"
    fi
done

step="openssl genrsa"
bigmod genrsa -verbose -out made.pem 2048 2>dots
ran bigmod-rsa-keygen 1
grep -q '[.+]' dots || fail "$step shows no progress"
plain pkey -in made.pem -check -noout >/dev/null || fail "$step"
plain pkey -in made.pem >/dev/null

step="openssl req -x509"
bigmod req -x509 -key ca.pem -subj /CN=root -days 2 -out root.crt
ran bigmod-rsa-sign 1
plain verify -CAfile root.crt root.crt >/dev/null

step="openssl req and x509: a certificate for the server"
bigmod req -new -key key.pem -subj /CN=localhost -out server.csr
ran bigmod-rsa-sign 1
bigmod x509 -req -in server.csr -CA root.crt -CAkey ca.pem -CAcreateserial -days 2 -out server.crt 2>/dev/null
ran bigmod-rsa-sign 1
ran bigmod-rsa-verify 1

step="openssl verify of a chain"
bigmod verify -CAfile root.crt server.crt >/dev/null
ran bigmod-rsa-verify 1
plain verify -CAfile root.crt server.crt >/dev/null

step="openssl cms"
bigmod cms -sign -nodetach -in message -signer server.crt -inkey key.pem -outform DER -out cms
ran bigmod-rsa-sign 1
bigmod cms -verify -in cms -inform DER -CAfile root.crt -purpose any -out back 2>/dev/null
ran bigmod-rsa-verify 2
plain cms -verify -in cms -inform DER -CAfile root.crt -purpose any -out back 2>/dev/null

# tls VERSION SERVER CLIENT [NAME]: a handshake of `plain` or `bigmod` programs, with NAME.crt of NAME.pem
# under NAME.root
cp server.crt rsa.crt
cp key.pem rsa.pem
cp root.crt rsa.root
tls() {
    name=${4:-rsa}
    : >log
    if [ "$2" = bigmod ]; then
        OPENSSL_CONF=$conf OPENSSL_MODULES=$modules LD_PRELOAD=$witness BIGMOD_WITNESS=$dir/server.counters \
            openssl s_server -www -accept 127.0.0.1:0 -naccept 1 -cert $name.crt -key $name.pem "-$1" \
            >log 2>&1 </dev/null &
    else
        OPENSSL_CONF=/dev/null openssl s_server -www -accept 127.0.0.1:0 -naccept 1 -cert $name.crt \
            -key $name.pem "-$1" >log 2>&1 </dev/null &
    fi
    server=$!
    port= tries=0
    while [ -z "$port" ]; do
        port=$(sed -n 's/^ACCEPT 127\.0\.0\.1:\([0-9]*\).*/\1/p' log 2>/dev/null || :)
        tries=$((tries + 1))
        [ $tries -lt 200 ] || fail "$step: s_server does not start: $(cat log)"
        [ -n "$port" ] || sleep 0.05
    done
    $3 s_client -connect "127.0.0.1:$port" "-$1" -CAfile $name.root -verify_return_error -msg \
        </dev/null >client 2>&1 || :
    wait "$server" || :
    server=
    grep -q 'Verify return code: 0' client || fail "$step: $(tail -5 client)"
}

for version in tls1_2 tls1_3; do
    step="openssl s_server -$version"
    rm -f server.counters
    tls $version bigmod plain
    ran bigmod-rsa-sign 1 server.counters
    step="openssl s_client -$version"
    tls $version plain bigmod
    ran bigmod-rsa-verify 2
done

# Ed25519: the same, with keys that the default provider made
plain genpkey -algorithm ed25519 -out edca.pem
plain genpkey -algorithm ed25519 -out ed.pem
plain pkey -in ed.pem -pubout -out edpub.pem

step="openssl speed ed25519"
bigmod speed -seconds 1 ed25519 >speed 2>&1 || fail "$step"
ran bigmod-ed25519-sign 2
ran bigmod-ed25519-verify 2

step="openssl pkeyutl with ed25519"
bigmod pkeyutl -sign -rawin -inkey ed.pem -in message -out sig
ran bigmod-ed25519-sign 1
plain pkeyutl -verify -rawin -pubin -inkey edpub.pem -in message -sigfile sig >/dev/null
bigmod pkeyutl -verify -rawin -pubin -inkey edpub.pem -in message -sigfile sig >/dev/null
ran bigmod-ed25519-verify 1

step="openssl genpkey ed25519"
bigmod genpkey -algorithm ed25519 -out made.pem
ran bigmod-ed25519-keygen 1
plain pkey -in made.pem -noout

step="openssl req, x509 and verify with ed25519"
bigmod req -x509 -key edca.pem -subj /CN=root -days 2 -out ed.root
ran bigmod-ed25519-sign 1
bigmod req -new -key ed.pem -subj /CN=localhost -out ed.csr
ran bigmod-ed25519-sign 1
bigmod x509 -req -in ed.csr -CA ed.root -CAkey edca.pem -CAcreateserial -days 2 -out ed.crt 2>/dev/null
ran bigmod-ed25519-sign 1
ran bigmod-ed25519-verify 1
bigmod verify -CAfile ed.root ed.crt >/dev/null
ran bigmod-ed25519-verify 1
plain verify -CAfile ed.root ed.crt >/dev/null

step="openssl cms with ed25519"
if plain cms -sign -nodetach -in message -signer ed.crt -inkey ed.pem -outform DER -out cms 2>/dev/null; then
    bigmod cms -sign -nodetach -in message -signer ed.crt -inkey ed.pem -outform DER -out cms
    ran bigmod-ed25519-sign 1
    bigmod cms -verify -in cms -inform DER -CAfile ed.root -purpose any -out back 2>/dev/null
    ran bigmod-ed25519-verify 2
    plain cms -verify -in cms -inform DER -CAfile ed.root -purpose any -out back 2>/dev/null
else
    echo "skipped: $step: this libcrypto's default provider cannot do it"
fi

for version in tls1_2 tls1_3; do
    step="openssl s_server -$version with ed25519"
    rm -f server.counters
    tls $version bigmod plain ed
    ran bigmod-ed25519-sign 1 server.counters
    step="openssl s_client -$version with ed25519"
    tls $version plain bigmod ed
    ran bigmod-ed25519-verify 2
done

# FAILURES.md row 77: the first flight has the same bytes with and without bigmod, but for what is random:
# 32 bytes of random, the session id, and the keys in the key_share extension (RFC 8446 4.1.2, 4.2.8).
hello() {
    awk 'function value(at) { # of two bytes
             return 256 * number[byte[at]] + number[byte[at + 1]]
         }
         function hide(from, len) {
             while (len-- > 0)
                 byte[from++] = "--"
         }
         BEGIN { for (i = 0; i < 256; i++) number[sprintf("%02x", i)] = i }
         /ClientHello$/ && !seen { seen = 1; reading = 1; next }
         reading && /^    / { for (i = 1; i <= NF; i++) byte[n++] = $i; next }
         { reading = 0 }
         END {
             hide(6, 32)
             at = 39 + number[byte[38]]
             hide(39, number[byte[38]])
             at += 2 + value(at)              # cipher suites
             at += 1 + number[byte[at]]       # compression methods
             for (at += 2; at < n; at += 4 + len) {
                 len = value(at + 2)
                 if (value(at) == 51)
                     for (share = at + 6; share < at + 4 + len; share += 4 + size) {
                         size = value(share + 2)
                         hide(share + 4, size)
                     }
             }
             for (i = 0; i < n; i++)
                 printf "%s ", byte[i]
         }' client
}
for version in tls1_2 tls1_3; do
    step="ClientHello of $version"
    tls $version plain plain
    hello >hello.plain
    tls $version plain bigmod
    hello >hello.bigmod
    [ "$(wc -c <hello.plain)" -gt 300 ] || fail "$step was not found"
    cmp -s hello.plain hello.bigmod || fail "$step differs"
    echo "ok: $step is the same"
done
