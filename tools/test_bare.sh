#!/usr/bin/env bash
# test_bare.sh "SUITE..." "USER...": tries README's two commands on machines that have nothing. For each Debian release
# (bookworm, trixie) and each kind of user (root; sudo: with sudo; plain: without) it makes a root with debootstrap,
# clones the commit, runs `make run` and `make test` inside, and prints what each took and said.
#
# CACHE=DIR puts ccache into the roots, with what it keeps in DIR, by release: the second user compiles nothing again.
#
# The mirror, certificates and settings of the package clients are the host's. Roots lie below WORK (/var/tmp) and are
# removed at the end, whatever happens; mounts live in a namespace that ends with the processes inside. Needs root.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
suites=$1
users=$2

stop() { echo "$1" >&2; exit 1; }

only() { # NAME WORDS ALLOWED
  [[ -n $2 ]] || stop "$1: one of $3 at least."
  for word in $2; do
    [[ " $3 " == *" $word "* ]] || stop "$1: one of $3, not $word."
  done
}

[[ $(id -u) -eq 0 ]] || stop "make test-bare makes whole systems and mounts: it needs root."
only SUITES "$suites" "bookworm trixie"
only USERS "$users" "root sudo plain"
commit=$(git rev-parse HEAD) ||
  stop "The clone belongs to $(stat -c %U .). Use sudo make test-bare, or let root's git trust the folder."
"$here/packages.sh" bare

work=$(mktemp -d "${WORK:-/var/tmp}/gait-bare.XXXXXX")
log=$PWD/build/log/bare
rm -rf "$log"
mkdir -p "$log"
child=
finish() {
  trap "" INT TERM HUP
  { [[ -z $child ]] || kill -KILL "$child" || true; wait; } 2>/dev/null
  rm -rf --one-file-system "$work"
  chown --reference=. build build/log
  chown -R --reference=. "$log"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# The archive that the host's apt has for Debian; debootstrap knows one too.
mirror=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
  sed -n 's/^Debian|Debian|//p' | head -n 1) || true
settings=$(compgen -e | grep -E '^(PIP_|NODE_EXTRA_CA_CERTS|SSL_CERT_|REQUESTS_CA_|CURL_CA_)|_(PROXY|proxy)$' || true)

make_base() { # SUITE
  "$here/step.sh" "debootstrap $1" "bare/debootstrap-$1" \
    unshare --mount --propagation=private debootstrap --variant=minbase --include=ca-certificates,make,git "$1" "$work/$1" ${mirror:+"$mirror"}
}

# The network as the host has it: names, certificates, settings of apt, pip and npm.
give_network() { # ROOT HOME
  local file
  for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
    [[ ! -e $file ]] || install -D -m 644 "$(readlink -f "$file")" "$1$file"
  done
  [[ ! -e ~/.npmrc ]] || install -D -m 644 ~/.npmrc "$1$2/.npmrc"
  apt-config dump | grep -E '^Acquire::(http|https|Check)' >"$1/etc/apt/apt.conf.d/99host" || true
}

# The compilers' results of this release; for whoever builds in this root.
give_cache() {
  cache=$CACHE/$suite
  chroot "$root" sh -c 'apt-get update && apt-get install -y --no-install-recommends ccache' >"$log/$suite-$kind-ccache.log" 2>&1
  mkdir -p "$cache" "$root/var/cache/ccache"
  chown -R "$(chroot "$root" id -u "$account")" "$cache"
  exports+="export CCACHE_DIR=/var/cache/ccache; "
}

# Runs a command in a root of its own: other processes, mounts, and no way out to the host's files. Ends with all that it
# started. Beside this shell, which would not hear a signal otherwise.
inside() { # LOG USER COMMAND
  # shellcheck disable=SC2016  # the inner shells expand
  unshare --mount --pid --fork --kill-child --propagation=private bash -euc '
    cd "$1"
    mount --bind . .
    cd "$1"
    mount -t proc proc proc
    mount -t sysfs -o ro sysfs sys
    mount -t tmpfs -o mode=755 tmpfs dev
    mkdir dev/pts dev/shm
    mount -t tmpfs -o mode=1777 tmpfs dev/shm
    mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
    ln -s pts/ptmx dev/ptmx
    ln -s /proc/self/fd dev/fd
    for n in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${n%:*}" "dev/${n#*:}"; done
    for device in null zero full random urandom tty; do touch "dev/$device" && mount --bind "/dev/$device" "dev/$device"; done
    mkdir -p .host
    pivot_root . .host
    if [[ -n $4 ]]; then mount --bind "/.host$4" var/cache/ccache; fi
    umount -l /.host
    exec su - "$2" -c "$3"' bash "$root" "$2" "$3" "$cache" </dev/null >"$1" 2>&1 &
  child=$!
  local status=0
  wait "$child" || status=$?
  child=
  return "$status"
}

result() { printf '%-9s %-6s %-28s %-22s %5d:%02d\n' "$suite" "$kind" "$1" "$2" $(($3 / 60)) $(($3 % 60)) | tee -a "$log/results"; }

attempt() { # COMMAND: prints what came of it; its status
  local begin=$SECONDS status=0 name said
  name=$suite-$kind-${1// /-}
  inside "$log/$name.log" "$account" "cd /srv/gait && $exports $1" || status=$?
  said=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log/$name.log" | tail -n 1) || true
  result "$1" "$([[ $status -eq 0 ]] && echo "${said:-passed}" || echo "failed ($status)")" $((SECONDS - begin))
  [[ $status -eq 0 ]] || { tail -n 40 "$log/$name.log"; echo "The whole output is in build/log/bare/$name.log"; }
  return "$status"
}

try_commands() { # in the root: both commands
  # Without rights the first says what to install. That, once, is enough.
  if [[ $kind == plain ]]; then
    local printed
    inside "$log/$suite-$kind-asks.log" "$account" "cd /srv/gait && $exports make run" || true
    printed=$(sed -n 's/^  \(apt-get .*\)/\1/p' "$log/$suite-$kind-asks.log" | head -n 1)
    [[ -n $printed ]] || { result "make run, without packages" "printed no command" 0; return 1; }
    local begin=$SECONDS
    inside "$log/$suite-$kind-packages.log" root "export DEBIAN_FRONTEND=noninteractive; $printed" ||
      { result "the command that it printed" "failed ($?)" $((SECONDS - begin)); return 1; }
    result "the command that it printed" passed $((SECONDS - begin))
  fi
  attempt "make run" || { result "make test" "not tried" 0; return 1; }
  attempt "make test"
}

failed=0
[[ -z $(git status --porcelain) ]] || echo "Changes that are not committed are not tried."
for suite in $suites; do
  make_base "$suite" || { failed=1; continue; }
  for kind in $users; do
    root=$work/$suite-$kind
    cp -a "$work/$suite" "$root"
    account=root
    if [[ $kind != root ]]; then
      account=dev
      chroot "$root" useradd --create-home --shell /bin/bash dev
    fi
    home=$(chroot "$root" sh -c "echo ~$account")
    give_network "$root" "$home"
    if [[ $kind == sudo ]]; then
      chroot "$root" sh -c 'apt-get update && apt-get install -y --no-install-recommends sudo' >"$log/$suite-sudo.log" 2>&1
      echo 'dev ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/dev"
    fi
    git clone -q --no-local "$PWD" "$root/srv/gait"
    git -C "$root/srv/gait" checkout -q --detach "$commit"
    chroot "$root" chown -R "$account:" "$home" /srv/gait
    exports=$(for name in $settings; do printf 'export %s=%q; ' "$name" "${!name}"; done)
    cache=
    if [[ -n ${CACHE:-} ]]; then give_cache; fi
    try_commands || failed=1
    rm -rf --one-file-system "$root"
  done
  rm -rf --one-file-system "${work:?}/$suite"
done
exit "$failed"
