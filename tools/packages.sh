#!/usr/bin/env bash
# packages.sh GROUP...: installs the system packages of these groups of packages.txt that are missing, on Debian and
# Ubuntu, as root or with a sudo that asks for no password. Everybody else is told the command, and it stops. Does nothing
# when all are there, or with GAIT_PACKAGES=skip. OS_RELEASE names another file than /etc/os-release, for tests.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[[ ${GAIT_PACKAGES:-} != skip ]] || exit 0

if [[ $(uname -s) != Linux ]]; then
  echo "gait is built on Linux. On $(uname -s), use a container or a virtual machine with Debian 12 or newer, for example:" >&2
  echo "  docker run --rm -it -v \"\$PWD:/gait\" -w /gait debian:12 sh -c 'apt-get update && apt-get install -y make git && make build && exec bash'" >&2
  echo "The viewer of a container is seen outside with -p 7424:7424 and gait view --bind 0.0.0.0." >&2
  exit 1
fi

field() { sed -n "s/^$1=//p" "${OS_RELEASE:-/etc/os-release}" 2>/dev/null | tr -d '"'; }
has_debian() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }
has_fedora() { rpm -q --quiet --whatprovides "$1" 2>/dev/null; }
has_arch() { pacman -Qq "$1" >/dev/null 2>&1; }

update=()
system=
case " $(field ID) $(field ID_LIKE) " in
  *" debian "* | *" ubuntu "*)
    system=$(field ID)-$(field VERSION_ID)
    kind=debian
    case $(field UBUNTU_CODENAME) in # those that are made of Ubuntu count their versions otherwise
      jammy) system=ubuntu-22.04 ;;
      noble) system=ubuntu-24.04 ;;
    esac
    update=(apt-get update)
    install=(apt-get install --no-install-recommends -y)
    ;;
  *" fedora "* | *" rhel "*) system=fedora kind=fedora install=(dnf install) ;;
  *" arch "*) system=arch kind=arch install=(pacman -S --needed) ;;
esac

wanted() { # GROUP...: the packages of these groups, by the names of this system
  local group='' name others other
  while read -r name others; do
    case $name in
      '' | '#'*) continue ;;
      @*) group=${name#@} && continue ;;
    esac
    [[ " $* " == *" $group "* ]] || continue
    for other in $others; do
      [[ $other != "$system":* ]] || name=${other#*:}
    done
    [[ $name == - ]] || echo "$name"
  done <"$here/packages.txt"
}

if [[ -z $system ]]; then
  echo "This Linux is not known here. What is needed, by Debian's names: $(wanted "$@" | xargs)" >&2
  exit 0 # CMake and the scripts name what they do not find
fi

missing() { for package in $(wanted "$@"); do "has_$kind" "$package" || echo "$package"; done; }
mapfile -t packages < <(missing "$@")
[[ ${#packages[@]} -gt 0 ]] || exit 0

as_root=()
[[ $(id -u) -eq 0 ]] || as_root=(sudo -n)
if [[ $kind != debian ]] || ! "${as_root[@]}" true 2>/dev/null; then
  sudo= who= enough=
  [[ $system != debian-* ]] || enough='; make run and make test ask for nothing more then'
  if [[ $(id -u) -ne 0 ]]; then
    if command -v sudo >/dev/null; then sudo='sudo '; else who='As root, please'; fi
  fi
  command="${update:+$sudo${update[*]} && }$sudo${install[*]}"
  {
    echo "System packages are missing. ${who:-Please} run this$enough:"
    echo "  $command $(missing build clang browser "$@" | xargs)"
    if [[ $system == ubuntu-* ]]; then
      echo "(make test also needs Chromium, which Ubuntu has as a snap, and clang 19, which 22.04 does not have.)"
    fi
    if [[ $* == build ]]; then printf 'Enough for make run:\n  %s\n' "$command ${packages[*]}"; fi
    echo "Where the libraries came in another way, GAIT_PACKAGES=skip make run does not look for packages."
  } >&2
  exit 1
fi

"$here/step.sh" "package lists" apt-update "${as_root[@]}" "${update[@]}"
"$here/step.sh" "${#packages[@]} system packages" apt-install \
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}" "${packages[@]}"
