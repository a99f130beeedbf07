#!/usr/bin/env bash
# Adds Terrace's jar to the class path of Hadoop's commands: lib/server for NameNodes, DataNodes and the commands that load the
# NameNode's block placement (SecondaryNameNode, Balancer, Mover), lib/client for the others. NameNodes get the journal's, lib/journal, too; without it they keep no journal.
#
# Link this file into libexec/shellprofile.d of Hadoop, or into shellprofile.d of HADOOP_CONF_DIR. Set TERRACE_HOME in
# hadoop-env.sh if the file is copied instead.

TERRACE_HOME=${TERRACE_HOME:-$(cd -P -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.." && pwd -P)}

hadoop_add_profile terrace

## @description  Called when the command is known, which it is not yet for _terrace_hadoop_classpath.
function _terrace_hadoop_finalize
{
  local part=client
  local found=
  local jar

  case "${HADOOP_SUBCMD:-}" in
    namenode | secondarynamenode | datanode | balancer | mover) part=server ;;
  esac
  # Two releases are both added: the daemon then says so in its log and is stock.
  for jar in "${TERRACE_HOME}/lib/${part}/terrace-${part}-"*.jar; do
    if [[ -f "${jar}" ]]; then
      hadoop_add_classpath "${jar}"
      found=true
    fi
  done
  if [[ "${HADOOP_SUBCMD:-}" == namenode ]]; then
    for jar in "${TERRACE_HOME}/lib/journal/terrace-journal-"*.jar; do
      if [[ -f "${jar}" ]]; then
        hadoop_add_classpath "${jar}"
      fi
    done
  fi
  if [[ -z "${found}" ]]; then
    hadoop_error "ERROR: Terrace has no jar in ${TERRACE_HOME}/lib/${part}. Unpack its tarball again or correct TERRACE_HOME."
  fi
}
