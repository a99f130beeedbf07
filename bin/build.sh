# shellcheck shell=bash disable=SC2154
# Sourced by terrace and placementctl: builds the jars of this source tree when they are missing or older than the sources.
# Expects $root, and fail, which says why and ends the command.

jars_file=$root/benchmarks/target/classpath.txt

own_jar() { # the benchmarks jar, or nothing
  local jar
  for jar in "$root"/benchmarks/target/benchmarks-*.jar; do
    case $jar in *-sources.jar | *-tests.jar | *-javadoc.jar) ;; *) [[ -f $jar ]] && printf '%s' "$jar" && return ;; esac
  done
}

built() { # true when every jar that the build resolved is there
  [[ -n $(own_jar) && -s $jars_file ]] || return 1
  local jar jars
  IFS=: read -r -a jars <"$jars_file" || true
  for jar in "${jars[@]}"; do [[ -e $jar ]] || return 1; done
}

sources_changed() { # since the start of the last build, whose time the stamp has
  local stamp=$root/benchmarks/target/built
  [[ ! -e $stamp ]] || [[ -n $(find "$root"/pom.xml "$root"/*/pom.xml "$root"/*/src/main -newer "$stamp" -print -quit) ]]
}

say() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
}

build() {
  local jar
  # Daemons of a local cluster may run from these jars. They keep the old files; Maven overwrites the copies.
  for jar in "$root"/*/target/*.jar; do
    [[ ! -f $jar ]] || { cp -p -- "$jar" "$jar.new" && mv -- "$jar.new" "$jar"; }
  done
  (cd -- "$root" && mvn -B -q -Dmaven.test.skip=true package) >&2 ||
    fail "the build failed: run 'mvn -B -DskipTests package' in $root"
  built || fail "the build left no $jars_file: run 'mvn -B -DskipTests package' in $root"
}

build_if_needed() {
  if built && ! sources_changed; then return; fi
  if ! command -v mvn >/dev/null; then
    built || fail "not built yet and no mvn on the PATH: install Maven 3.8 or newer"
    say "sources changed, but there is no mvn on the PATH: using the jars built before"
  elif built && [[ ! -w $root/benchmarks/target ]]; then
    say "sources changed, but $root/benchmarks/target cannot be written: using the jars built before"
  else
    mkdir -p -- "$root/benchmarks/target"
    ( # One build at a time; whoever waited finds it done.
      ! command -v flock >/dev/null || flock 9
      if ! built; then
        say "building (once) ..."
        build
      elif sources_changed; then
        say "sources changed, building ..."
        build
      fi
    ) 9>"$root/benchmarks/target/build.lock" || exit
  fi
}
