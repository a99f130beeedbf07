#!/usr/bin/env bash
# bin/terrace dist [--out DIR]: makes terrace-VERSION.tar.gz and its .sha256, in benchmarks/target/dist or DIR.
#
# Builds a copy of the sources, so that nothing of an earlier build gets in. The same sources and the same JDK give the same
# bytes, wherever they are built. A change that is not committed is built too; the commit in the manifests then ends in -dirty.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.." && pwd)

fail() {
  printf 'terrace dist: %s\n' "$1" >&2
  exit "${2:-1}"
}

out=$root/benchmarks/target/dist
while (($#)); do
  case $1 in
    --out)
      [[ -n ${2-} ]] || fail "--out needs a directory" 2
      out=$2
      shift
      ;;
    -h | --help)
      echo "Usage: terrace dist [--out DIR]"
      echo "Make terrace-VERSION.tar.gz and its .sha256, in benchmarks/target/dist or DIR. bin/terrace test dist tests it."
      exit
      ;;
    *) fail "unknown argument $1; the only option is --out DIR" 2 ;;
  esac
  shift
done
command -v mvn >/dev/null || fail "no mvn on the PATH: install Maven 3.8 or newer"
tar --version 2>/dev/null | grep -q GNU || fail "GNU tar is needed"
mkdir -p -- "$out" || fail "$out cannot be made: choose another directory with --out"
out=$(cd -- "$out" && pwd)

value() { sed -n "s#^ *<$1>\(.*\)</$1>#\1#p" "$root/pom.xml" | head -n 1; }
version=$(value version)
seconds=$(date -u -d "$(value project.build.outputTimestamp)" +%s)
# As in pom.xml, which has no repository in the copy.
commit=$(cd -- "$root" && GIT_CEILING_DIRECTORIES=${root%/*} git describe --always '--exclude=*' --abbrev=12 --dirty 2>/dev/null) ||
  commit=unknown

umask 022
work=$(mktemp -d "${TMPDIR:-/tmp}/terrace-dist.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
mkdir "$work/source"
tar -C "$root" --exclude=target -cf - pom.xml .mvn policies rdma-channel datanode-tiers placement-service benchmarks/pom.xml |
  tar -C "$work/source" -xf -
(cd -- "$work/source" && mvn -B -q -ntp -Pdist "-Dgit.commit=$commit" -Dmaven.test.skip=true -pl placement-service -am package) >&2 ||
  fail "the build failed: run 'mvn -B -Pdist -DskipTests package' in $root to see why"

name=terrace-$version
tree=$work/$name
built=$work/source/placement-service/target/dist
mkdir -p "$tree"/lib/{server,journal,client,ctl}
for part in server journal client ctl; do
  cp -- "$built/terrace-$part-$version.jar" "$tree/lib/$part/"
done
cp -- "$built/sbom.json" "$root"/{LICENSE,SECURITY.md,CHANGELOG.md} "$tree/"
cp -R -- "$root"/{conf,docs,monitoring} "$tree/"
cp -R -- "$root"/bin/dist/files/. "$tree/"
cp -- "$root"/bin/{placementctl,terrace-host,launch.sh} "$tree/bin/"
mkdir -p "$tree"/share/{man/man1,bash-completion/completions}
gzip -9n -- "$built"/man/*.1
cp -- "$built"/man/*.1.gz "$tree/share/man/man1/"
cp -- "$built"/completion/* "$tree/share/bash-completion/completions/"
chmod -R u=rwX,go=rX "$tree"

tar -C "$work" --format=gnu --sort=name "--mtime=@$seconds" --owner=0 --group=0 --numeric-owner -cf - "$name" |
  gzip -9n >"$work/$name.tar.gz"
mv -- "$work/$name.tar.gz" "$out/"
(cd -- "$out" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256" && printf '%s\n%s bytes, commit %s, sha256 ' "$out/$name.tar.gz" \
  "$(stat -c %s "$name.tar.gz")" "$commit" && cut -d' ' -f1 "$name.tar.gz.sha256")
