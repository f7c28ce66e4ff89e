#!/usr/bin/env bash
# `make demo` and `make test` on a bare Debian or Ubuntu: only python3, python3-venv, make and git.
#
# Usage, as root, on a machine with debootstrap:  [WHO=somebody] [RELEASE=bookworm]
#   [TARGETS="demo test"] checks/bare_debian.sh [FOLDER]
# Ubuntu:  RELEASE=noble MIRROR=http://archive.ubuntu.com/ubuntu KEYRING=ubuntu-archive-keyring.gpg
#   (out of Ubuntu's package ubuntu-keyring)
#
# Builds the system in FOLDER (a new temporary one by default; an existing one is used again),
# clones the last commit into it and runs both commands there as root, or as an ordinary user
# (WHO=somebody), with an empty environment, without /sys and with a plain folder for /dev/shm. The
# certificates and the name server of this machine are lent to it, as packages come over the
# network. The logs stay in FOLDER.
set -euo pipefail

project=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$(mktemp -d -t howgood-bare-XXXXXX)}
release=${RELEASE:-bookworm}
root=$folder/root
mkdir -p "$folder"

if [ ! -e "$root/usr/bin/git" ]; then
    echo "bare: building $release in $root"
    # Ubuntu keeps python3-venv in universe; its releases are all built alike (the script "gutsy").
    debootstrap --variant=minbase --include=python3,python3-venv,make,git,ca-certificates \
        ${KEYRING:+--components=main,universe --keyring="$KEYRING"} \
        "$release" "$root" ${MIRROR:+"$MIRROR"} ${KEYRING:+gutsy} > "$folder/debootstrap.log"
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
# An installer writes this; Spark looks its own machine up in it.
[ -e "$root/etc/hosts" ] || echo "127.0.0.1 localhost $(hostname)" > "$root/etc/hosts"

who=${WHO:-root}
[ "$who" = root ] || chroot "$root" id "$who" > /dev/null 2>&1 || chroot "$root" useradd "$who"

inside() {
    unshare --mount --pid --fork --mount-proc="$root/proc" chroot --userspec="$who" "$root" \
        /usr/bin/env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME="/srv/$who" LANG=C.UTF-8 \
        PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
        NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt bash -c "$1"
}

rm -rf "$root/srv/$who"
mkdir -p "$root/dev/shm" && chmod 1777 "$root/dev/shm"
mkdir -m 700 "$root/srv/$who" # a home, where PostgreSQL's user may not look
git clone --quiet "$project" "$root/srv/$who/howgood"
chroot "$root" chown -R "$who" "/srv/$who"

status=0
for target in ${TARGETS:-demo test}; do
    echo "bare: make $target as $who ($(git -C "$project" rev-parse --short HEAD))"
    start=$SECONDS
    if inside "cd ~/howgood && make $target" > "$folder/$target.log" 2>&1; then
        result=passed
    else
        result=FAILED status=1
    fi
    tail -n 3 "$folder/$target.log"
    echo "bare: make $target $result after $((SECONDS - start)) s, $(du -sh "$root" | cut -f1)" \
        "in all; $folder/$target.log"
done
exit $status
