package io.terrace.placement.hdfs.namesystem;

import io.terrace.common.DaemonThreads;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.EnumSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.fs.XAttr;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.hdfs.XAttrHelper;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.XAttrStorage;
import org.apache.hadoop.hdfs.server.namenode.snapshot.Snapshot;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;

/**
 * The extended attributes of the root directory: what is in them outlives restarts and failovers. Thread-safe.
 *
 * <p>Values are stored by one thread, in the NameNode's own name. On a thread that answers a user's RPC it would be done in
 * the user's name. That thread waits for the NameNode alone, never for a caller or the placement loop.
 */
public final class XAttrStore implements AutoCloseable {

    private static final String ROOT = "/";

    private final NameNode nameNode;
    private final ExecutorService writer = Executors.newSingleThreadExecutor(DaemonThreads.named("terrace-store"));

    public XAttrStore(NameNode nameNode) {
        this.nameNode = nameNode;
    }

    /** @param name in {@code trusted.}, which only the superuser sees */
    public OperatorStateStore.Attribute attribute(String name) {
        return new OperatorStateStore.Attribute() {
            @Override
            public byte @Nullable [] load() {
                return XAttrStore.this.load(name);
            }

            @Override
            public void save(byte[] value) throws IOException, InterruptedException {
                XAttrStore.this.save(name, value);
            }
        };
    }

    /** Past {@code dfs.namenode.xattrs.enabled}: what was stored before that was set to false still holds. */
    private byte @Nullable [] load(String name) {
        FSNamesystem namesystem = nameNode.getNamesystem();
        NamesystemLock.FS.readLock(namesystem);
        try {
            XAttr found = XAttrStorage.readINodeXAttrByPrefixedName(
                    namesystem.getFSDirectory().getRoot(), Snapshot.CURRENT_STATE_ID, name);
            byte[] value = found == null ? null : found.getValue();
            return found != null && value == null ? new byte[0] : value;
        } finally {
            NamesystemLock.FS.readUnlock(namesystem, "terraceAttribute");
        }
    }

    private void save(String name, byte[] value) throws IOException, InterruptedException {
        Future<Void> stored =
                writer.submit(() -> UserGroupInformation.getLoginUser().doAs((PrivilegedExceptionAction<Void>) () -> {
                    nameNode.getRpcServer()
                            .setXAttr(
                                    ROOT,
                                    XAttrHelper.buildXAttr(name, value),
                                    EnumSet.of(XAttrSetFlag.CREATE, XAttrSetFlag.REPLACE));
                    return null;
                }));
        try {
            stored.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw cause instanceof IOException failure ? failure : new IOException(cause.toString(), cause);
        }
    }

    @Override
    public void close() {
        writer.shutdownNow();
    }
}
