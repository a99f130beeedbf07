package io.terrace.datanode.hdfs.dataset;

import org.apache.hadoop.hdfs.server.datanode.VolumeScanner;

/** For whom the calling thread opens a block. */
public enum ReaderKind {
    /** A client reads over the DataNode's socket. */
    CLIENT,
    /** A client is passed the file's descriptor and reads by itself. */
    PASSED_DESCRIPTOR,
    /** The volume scanner, a balancer, a re-replication: they are about the disk and not about heat. */
    OTHER;

    /** By the name that DataXceiver gives its thread for every operation; the volume scanner is never a client. */
    public static ReaderKind ofCurrentThread() {
        Thread thread = Thread.currentThread();
        if (thread instanceof VolumeScanner) {
            return OTHER;
        }
        String name = thread.getName();
        int status = name.lastIndexOf(" [");
        if (status < 0 || !name.startsWith("DataXceiver for client ")) {
            return OTHER;
        }
        if (name.startsWith("Sending block ", status + 2)) {
            return CLIENT;
        }
        return name.startsWith("Passing file descriptors for block ", status + 2) ? PASSED_DESCRIPTOR : OTHER;
    }
}
