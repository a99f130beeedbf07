package io.terrace.bench.cluster;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/** A cluster on this host, with one NameNode or two, whose daemons a test may kill and start again. */
public interface HdfsCluster {
    ClusterSpec spec();

    ClusterLayout layout();

    String fileSystemUri();

    /** Client configuration with Terrace off in the client. */
    Configuration confStock();

    /** All daemons that were started. */
    List<Daemon> daemons();

    /** The NameNode that serves. */
    Daemon namenode();

    /** One DataNode, counted from 1. */
    default Daemon datanode(int number) {
        return new Daemon(ClusterLayout.datanode(number), layout());
    }

    /** Port of file system calls of {@link #namenode}. */
    int namenodePort();

    /** Port of the placement service of {@link #namenode}. */
    int placementPort();

    /** Port of data transfer of a DataNode, counted from 1. */
    int transferPort(int datanode);

    /** Port of calls to a DataNode, as those of a recovery. */
    int ipcPort(int datanode);

    /** Starts one daemon again, without waiting until it serves. */
    void start(Daemon daemon) throws IOException;

    /** Starts every daemon that does not run and waits until the cluster serves. */
    void start() throws IOException;
}
