# shellcheck shell=bash
# Makes, breaks and mends a real mount by terrace-host. Run as root by `bin/terrace test host`, in a mount namespace of its
# own in which /mnt and systemd's directories are empty.
#   $1   terrace-host
#   $2   directory for hdfs-site.xml
set -eu
terrace_host=$1
conf=$2
memory=/mnt/terrace-memory

mount -t tmpfs -o mode=0755 none /mnt
mount -t tmpfs none /etc/systemd
if [[ -d /run/systemd ]]; then mount -t tmpfs none /run/systemd; fi
mkdir -p "$conf"
cat > "$conf/hdfs-site.xml" << EOF
<configuration>
<property><name>terrace.datanode.memory.dir</name><value>$memory</value></property>
<property><name>terrace.datanode.memory.capacity</name><value>64m</value></property>
<property><name>terrace.channel.dir</name><value>/mnt/terrace-channel</value></property>
</configuration>
EOF

step() { # EXIT_CODE COMMAND...
  local want=$1 code=0
  shift
  echo "== $*"
  "$terrace_host" "$@" --conf "$conf" --user root --unit none || code=$?
  if ((code != want)); then
    echo "exit code $code instead of $want"
    exit 1
  fi
}

step 1 check
step 0 prepare
step 0 check
step 0 prepare
echo kept > "$memory/file"
mount -o remount,ro "$memory"
step 1 check
step 0 prepare
step 0 check
mount -o remount,size=16m "$memory"
step 1 check
step 0 prepare
step 0 check
chmod 0777 "$memory"
step 1 check
step 0 prepare
step 0 check
[[ $(cat "$memory/file") == kept ]]
umount "$memory"
echo other > "$memory/file"
step 1 prepare
[[ $(cat "$memory/file") == other ]]
rm "$memory/file"
rmdir "$memory"
echo file > "$memory"
step 1 prepare
echo "mended"
