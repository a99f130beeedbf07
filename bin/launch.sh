# shellcheck shell=bash disable=SC2154
# Sourced by placementctl and terrace-host: starts a class of Terrace's tools with the jars of this tree or installation.
# Expects $root, and fail, which says why and ends the command.

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
command -v "$java" >/dev/null || fail "no $java: install a JDK 17 or newer, or set JAVA_HOME"
# A java that does not run says why: a wrong JAVA_TOOL_OPTIONS, or no memory.
settings=$("$java" -XshowSettings:properties -version 2>&1) || fail "$java does not run: $settings"
property() { sed -n "s/^ *$1 = //p" <<<"$settings"; }
version=$(property java.specification.version)
[[ ${version%%.*} -ge 17 ]] || fail "$java is version ${version:-unknown}, 17 or newer is needed: set JAVA_HOME"

options=(-Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Djava.net.preferIPv4Stack=true
  -Dlog4j.configuration=placementctl-log4j.properties)
# Where no locale is set, as by cron and systemd, java takes names that are not ASCII for question marks, in arguments and output.
case ${LC_ALL:-${LC_CTYPE:-${LANG-}}} in
  '' | C | POSIX)
    export LC_ALL=C.UTF-8
    options+=(-Dfile.encoding=UTF-8 -Dstdout.encoding=UTF-8 -Dstderr.encoding=UTF-8)
    ;;
esac
if [[ -n ${TERRACE_CLASSPATH-} ]]; then
  classpath=$TERRACE_CLASSPATH
elif [[ -s $root/benchmarks/target/classpath.txt ]]; then
  . "$root/bin/build.sh"
  build_if_needed
  # What this tree built comes first; the list has the rest, and where the reactor built it these as well.
  classpath=
  for jar in "$root"/{placement-service,rdma-channel,policies}/target/*-SNAPSHOT.jar; do
    [[ -f $jar ]] && classpath+=$jar:
  done
  classpath+=$(<"$root/benchmarks/target/classpath.txt")
elif compgen -G "$root/lib/ctl/terrace-ctl-*.jar" >/dev/null; then
  hadoop=${HADOOP_HOME:+$HADOOP_HOME/bin/}hadoop
  command -v "$hadoop" >/dev/null || fail "no $hadoop: set HADOOP_HOME, or TERRACE_CLASSPATH to Terrace's and Hadoop's jars"
  hadoop_classpath=$(JAVA_HOME=${JAVA_HOME:-$(property java.home)} "$hadoop" classpath) ||
    fail "'$hadoop classpath' failed: correct what it says, or set TERRACE_CLASSPATH to Terrace's and Hadoop's jars"
  classpath="$root/lib/ctl/*:$root/lib/server/*:$hadoop_classpath"
  # doctor looks there for what clients of this host load.
  options+=("-Dterrace.hadoop.classpath=$hadoop_classpath")
else
  fail "not built: run 'mvn -B -DskipTests package' in $root, or set TERRACE_CLASSPATH"
fi

[[ -t 1 && -t 2 ]] && options+=(-Dterrace.terminal=true)
[[ ${version%%.*} -ge 24 ]] && options+=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow)

launch() { # CLASS ARGUMENT...
  # shellcheck disable=SC2086
  exec "$java" "${options[@]}" ${PLACEMENTCTL_OPTS-} -cp "$classpath" "$@"
}
