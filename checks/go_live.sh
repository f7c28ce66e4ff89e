#!/usr/bin/env bash
# The page "Go live in 15 minutes", without containers, step by step on a bare Debian.
#
# Usage, as root, on a machine with debootstrap:  checks/go_live.sh [FOLDER]
#
# Builds the system in FOLDER (a new temporary one by default; an existing one is used again) and
# types what the page says. No systemd runs in there, so the commands of the units are run by hand,
# with their settings file and as a user of their own; the name leads to this machine, so Caddy makes
# its own certificate. Ends with what `howgood doctor` says.
set -euo pipefail

project=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$(mktemp -d -t howgood-live-XXXXXX)}
root=$folder/root
if [ ! -e "$root/bin/bash" ]; then
    debootstrap --variant=minbase --include=ca-certificates bookworm "$root" > "$folder/debootstrap.log"
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
rm -rf "$root/srv/howgood" "$root/opt/howgood" "$root/var/lib/howgood" "$root/var/backups/howgood" "$root/etc/howgood"
git clone --quiet "$project" "$root/srv/howgood"

inside() {
    unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" /usr/bin/env -i \
        PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/srv LANG=C.UTF-8 \
        PIP_CERT=/etc/ssl/certs/ca-certificates.crt bash -euo pipefail -c "$1"
}

echo "go live: installing"
inside 'cd ~/howgood
apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv caddy
python3 -m venv /opt/howgood && /opt/howgood/bin/pip install -q "$PWD[accounts,encryption]"
ln -sf /opt/howgood/bin/howgood /usr/local/bin/
mkdir -m 700 -p /etc/howgood /var/backups/howgood
cp deploy/howgood.env /etc/howgood/
mkdir -p /etc/systemd/system
cp deploy/howgood.service deploy/howgood-backup.service deploy/howgood-backup.timer /etc/systemd/system/' \
    > "$folder/install.log" 2>&1

echo "go live: running"
inside '
id howgood > /dev/null 2>&1 || useradd --system --shell /usr/sbin/nologin howgood
install -d -m 700 -o howgood -g howgood /var/lib/howgood
set -a; . /etc/howgood/howgood.env; set +a
start=$(sed -n "s/^ExecStart=//p" /etc/systemd/system/howgood.service)
(cd /var/lib/howgood; umask 077; MPLCONFIGDIR=/tmp/matplotlib exec setpriv --reuid=howgood \
    --regid=howgood --clear-groups --no-new-privs $start) > /tmp/journal 2>&1 &
server=$!
until grep -q "stop with" /tmp/journal; do kill -0 $server; sleep 1; done
grep -o "https://.*/setup/" /tmp/journal
grep -q studies.example.org /etc/hosts || echo "127.0.0.1 studies.example.org" >> /etc/hosts
printf "{\nskip_install_trust\nadmin off\n}\nstudies.example.org {\ntls internal\nreverse_proxy 127.0.0.1:8000\n}\n" \
    > /etc/caddy/Caddyfile
export XDG_DATA_HOME=/tmp/caddy XDG_CONFIG_HOME=/tmp/caddy
caddy run --config /etc/caddy/Caddyfile > /tmp/caddy.log 2>&1 &
proxy=$!
until [ -n "$(find /tmp/caddy -name root.crt 2> /dev/null)" ]; do kill -0 $proxy; sleep 1; done
rm -f "/var/backups/howgood/$(date +%F).sqlite"
(umask 077; sh -c "$(sed -n "s/^ExecStart=.bin.sh -c .\(.*\).$/\1/p" \
    /etc/systemd/system/howgood-backup.service | sed s/%%/%/g)")
SSL_CERT_FILE=$(find /tmp/caddy -name root.crt) howgood doctor --backups /var/backups/howgood
kill $proxy $server
wait $server || [ $? = 143 ] || [ $? = 0 ]'
echo "go live: all of it works"
