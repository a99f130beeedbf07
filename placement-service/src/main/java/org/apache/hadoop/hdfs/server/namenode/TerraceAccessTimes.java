package org.apache.hadoop.hdfs.server.namenode;

import org.apache.hadoop.util.Time;

/** What the access times say that HDFS keeps of files, unless {@code dfs.namenode.accesstime.precision} is 0. */
public final class TerraceAccessTimes {

    private TerraceAccessTimes() {}

    /**
     * For so long at least nobody has opened the file; -1 where HDFS keeps no access times. HDFS notes a read only if the last
     * one that it noted is older than the precision, so the last read may be younger than the access time by as much.
     */
    public static long unreadMs(FSNamesystem namesystem, INode file) {
        FSDirectory directory = namesystem.getFSDirectory();
        return directory.isAccessTimeSupported()
                ? Math.max(0, Time.now() - file.getAccessTime() - directory.getAccessTimePrecision())
                : -1;
    }
}
