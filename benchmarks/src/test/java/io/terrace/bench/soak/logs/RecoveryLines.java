package io.terrace.bench.soak.logs;

/** Lines of a NameNode's log, as Hadoop 3.5.0 writes them. */
public final class RecoveryLines {
    private static final String LOGGER =
            "2026-11-28 05:57:59,819 INFO  org.apache.hadoop.hdfs.server.namenode.FSNamesystem: ";

    private RecoveryLines() {}

    public static String kept(long block, long stamp, String targets) {
        return LOGGER + "commitBlockSynchronization(oldBlock=BP-1270414235-127.0.0.1-1795845020768:blk_" + block
                + "_1001, file=/soak/c2/f4, newgenerationstamp=" + stamp + ", newlength=1373114, newtargets=[" + targets
                + "]) successful";
    }

    /** Of a file that was cut, and that a snapshot has as it was. */
    public static String copied(long block, long newBlock, long stamp, String targets) {
        return LOGGER + "commitBlockSynchronization(oldBlock=BP-1270414235-127.0.0.1-1795845020768:blk_" + block
                + "_1001, file=/soak/c1/f4, newBlock=blk_" + newBlock + "_" + stamp
                + ", newlength=1012542, newtargets=[" + targets + "]) successful";
    }

    public static String request(long block, long stamp, String targets) {
        return LOGGER + "commitBlockSynchronization(oldBlock=BP-1270414235-127.0.0.1-1795845020768:blk_" + block
                + "_1001, newgenerationstamp=" + stamp + ", newlength=1373114, newtargets=[" + targets
                + "], closeFile=true, deleteBlock=false)";
    }
}
