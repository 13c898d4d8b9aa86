#!/usr/bin/env bash
# Runs every test. Installs the peers that the tests need where it can, and says what to install where it cannot.
#
#   tests/run.sh              everything
#   tests/run.sh FILTER…      only tests whose name contains a filter (passed to the test runner)
set -euo pipefail
cd "$(dirname "$0")/.."

# Program → Debian package that has it.
peers=(iperf:iperf iperf3:iperf3 sshd:openssh-server ssh:openssh-client ip:iproute2 tc:iproute2 nft:nftables
       xmllint:libxml2-utils gcc:gcc)
# Administration programs live in sbin, which is not on every user's path.
export PATH="$PATH:/usr/sbin:/sbin"

missing_packages() {
    local entry
    for entry in "${peers[@]}"; do
        command -v "${entry%%:*}" >/dev/null 2>&1 || echo "${entry##*:}"
    done | sort -u
}

missing=$(missing_packages | tr '\n' ' ')
if [ -n "${missing// /}" ]; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        echo "installing: $missing"
        apt-get update -qq
        # shellcheck disable=SC2086
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
    fi
    missing=$(missing_packages | tr '\n' ' ')
    if [ -n "${missing// /}" ]; then
        echo "The tests need programs from these packages: $missing" >&2
        echo "Install them, on Debian or Ubuntu with:  sudo apt-get install $missing" >&2
        exit 1
    fi
fi
if [ "$(id -u)" != 0 ]; then
    echo "note: not root, so the tests in network namespaces will fail; run as root for all of them" >&2
fi

# The end-to-end tests start the program itself, which `cargo test` alone would not build.
cargo build --workspace --all-targets --quiet
if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run --workspace "$@"
else
    cargo test --workspace --quiet "$@"
fi
cargo test --workspace --doc --quiet
