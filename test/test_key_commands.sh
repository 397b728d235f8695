#!/bin/sh
# Commands of openssl with bigmod preferred, each answered by the same command without it.
#
#   sh test/test_key_commands.sh BIGMOD.CNF       (OPENSSL_MODULES: the folder with bigmod.so)
#
# And the command after an installation on a stock configuration: openssl speed with bigmod alone.
set -u
conf=$1
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
failed=0

# ours COMMAND...: openssl with bigmod preferred; theirs: with the default provider.
ours() { OPENSSL_CONF=$conf openssl "$@" 2>>log; }
theirs() { OPENSSL_CONF=/dev/null openssl "$@" 2>>log; }

# try WHAT COMMAND...: says so when the command fails.
try() {
    what=$1
    shift
    if "$@"; then
        echo "ok: $what"
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
        tail -n 5 log
    fi
    : >log
}

same() { cmp -s "$1" "$2"; }
is_loaded() { ours list -providers | grep -q bigmod; }

echo "a message of no length to speak of" >message
printf '[req]\ndistinguished_name=dn\n[dn]\n' >req.cnf
certificate() { # NAME: a key and a certificate, made by bigmod
    ours genrsa -out "$1.key" 2048 &&
        OPENSSL_CONF=$conf openssl req -x509 -new -key "$1.key" -subj "/CN=$1" -days 2 -out "$1.crt" 2>>log
}
decrypts() { # WITH-WHAT NAME: cms reads what was written
    "$1" cms -decrypt -in cms.txt -inkey "$2.key" -recip "$2.crt" -out back && same back message
}
encrypts() { # BY PADDING-OPTIONS...: cms writes to alice and bob
    by=$1
    shift
    "$by" cms -encrypt -binary -in message -out cms.txt -aes128 -recip alice.crt "$@" -recip bob.crt "$@"
}
asymmetric() { # BY READER OPTIONS...: pkeyutl there and back
    by=$1 reader=$2
    shift 2
    "$by" pkeyutl -encrypt -inkey alice.key -in message -out c "$@" &&
        "$reader" pkeyutl -decrypt -inkey alice.key -in c -out back "$@" && same back message
}
signs() { # BY READER OPTIONS...: pkeyutl signs a digest
    by=$1 reader=$2
    shift 2
    theirs dgst -sha256 -binary -out digest message &&
        "$by" pkeyutl -sign -inkey alice.key -in digest -out sig -pkeyopt digest:sha256 "$@" &&
        "$reader" pkeyutl -verify -inkey alice.key -in digest -sigfile sig -pkeyopt digest:sha256 "$@" >/dev/null
}
speaks() { # the key printed and converted alike
    for form in "-text -noout" "-outform DER" "-traditional" "-pubout" "-pubout -outform DER"; do
        ours pkey -in alice.key $form -out a && theirs pkey -in alice.key $form -out b && same a b || return 1
    done
    ours pkey -in alice.key -aes128 -passout pass:word -out a &&
        ours pkey -in a -passin pass:word -out b && theirs pkey -in alice.key -out a && same a b
}
checks() { ours pkey -in alice.key -check -noout | grep -q valid; }
speed_alone() {
    OPENSSL_CONF=/dev/null openssl speed -seconds 1 -provider bigmod "$@" >speed 2>>log &&
        ! grep -qE ' infs?( |$)|failure' speed && cat speed >>log
}
nothing_alone() { OPENSSL_CONF=/dev/null openssl rand -provider bigmod -hex 16 2>>log | grep -q '^[0-9a-f]\{32\}'; }

try "bigmod is loaded by its configuration" is_loaded
try "genrsa, req -x509: alice" certificate alice
try "genrsa, req -x509: bob" certificate bob
try "verify a certificate" theirs verify -CAfile alice.crt alice.crt >/dev/null
for by in ours theirs; do
    for options in "" "-keyopt rsa_padding_mode:oaep" \
        "-keyopt rsa_padding_mode:oaep -keyopt rsa_oaep_md:sha256 -keyopt rsa_mgf1_md:sha1"; do
        try "cms -encrypt $options by $by" encrypts $by $options
        try "cms -decrypt by bigmod: alice" decrypts ours alice
        try "cms -decrypt by bigmod: bob" decrypts ours bob
        try "cms -decrypt by default: bob" decrypts theirs bob
    done
done
for options in "" "-pkeyopt rsa_padding_mode:oaep" \
    "-pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha512 -pkeyopt rsa_mgf1_md:sha256"; do
    try "pkeyutl to default $options" asymmetric ours theirs $options
    try "pkeyutl from default $options" asymmetric theirs ours $options
done
for options in "" "-pkeyopt rsa_padding_mode:pss" "-pkeyopt rsa_padding_mode:pss -pkeyopt rsa_pss_saltlen:max" \
    "-pkeyopt rsa_padding_mode:x931"; do
    try "pkeyutl -sign to default $options" signs ours theirs $options
    try "pkeyutl -verify from default $options" signs theirs ours $options
done
try "pkey converts alike" speaks
try "pkey -check" checks
try "rand with bigmod alone" nothing_alone
try "speed with bigmod alone: rsa2048" speed_alone rsa2048
if OPENSSL_CONF=/dev/null openssl list -provider bigmod -key-managers 2>/dev/null | grep -q ED25519; then
    try "speed with bigmod alone: ed25519" speed_alone ed25519
else
    echo "skipped: speed with bigmod alone: ed25519: bigmod has no such keys yet"
fi
echo "$failed failed"
[ $failed -eq 0 ]
