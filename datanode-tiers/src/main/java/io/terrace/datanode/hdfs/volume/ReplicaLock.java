package io.terrace.datanode.hdfs.volume;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.apache.hadoop.hdfs.server.common.DataNodeLockManager;
import org.apache.hadoop.hdfs.server.common.DataNodeLockManager.LockLevel;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.util.AutoCloseableLock;
import org.jspecify.annotations.Nullable;

/**
 * The DataNode's lock for one replica. Hadoop 3.5 has a lock for each directory of a volume, Hadoop 3.4 one for the whole
 * volume. What 3.4 does not have is looked up once, when this class is loaded.
 */
public final class ReplicaLock {

    private static final @Nullable MethodHandle DIRECTORY_OF_BLOCK = directoryOfBlock();
    private static final LockLevel LEVEL = DIRECTORY_OF_BLOCK == null ? LockLevel.VOLUME : LockLevel.valueOf("DIR");

    private ReplicaLock() {}

    /** Keeps others from changing the replica; closing it releases it. */
    public static AutoCloseableLock read(FsDatasetSpi<?> dataset, String pool, String storage, long blockId) {
        DataNodeLockManager<?> locks = dataset.acquireDatasetLockManager();
        return locks.readLock(LEVEL, names(pool, storage, blockId));
    }

    /** Keeps others from using the replica; closing it releases it. */
    public static AutoCloseableLock write(FsDatasetSpi<?> dataset, String pool, String storage, long blockId) {
        DataNodeLockManager<?> locks = dataset.acquireDatasetLockManager();
        return locks.writeLock(LEVEL, names(pool, storage, blockId));
    }

    private static String[] names(String pool, String storage, long blockId) {
        MethodHandle directory = DIRECTORY_OF_BLOCK;
        if (directory == null) {
            return new String[] {pool, storage};
        }
        try {
            return new String[] {pool, storage, (String) directory.invokeExact(blockId)};
        } catch (Throwable e) {
            throw new IllegalStateException("no directory of block " + blockId, e);
        }
    }

    /** Null in Hadoop 3.4. */
    private static @Nullable MethodHandle directoryOfBlock() {
        String strategy = "org.apache.hadoop.hdfs.server.datanode.DataNodeLayoutSubLockStrategy";
        try {
            Class<?> type = Class.forName(strategy, true, DataNode.class.getClassLoader());
            return MethodHandles.publicLookup()
                    .findVirtual(type, "blockIdToSubLock", MethodType.methodType(String.class, long.class))
                    .bindTo(type.getConstructor().newInstance());
        } catch (ClassNotFoundException e) {
            return null;
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("no directory locks in this Hadoop", e);
        }
    }
}
