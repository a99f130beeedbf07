package org.apache.hadoop.hdfs;

import java.io.Closeable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.security.token.Token;

/** Adds blocks of one file at the DataNodes that a test names, unless they are excluded. */
final class FakeNameNode implements InvocationHandler {
    private final List<DatanodeInfo> datanodes;
    private final int replication;

    /** Called for each block that is given back. */
    volatile Runnable abandoned = () -> {};

    /** Whether the file is completed when that is asked. */
    volatile BooleanSupplier completes = () -> true;

    private final List<ExtendedBlock> added = new ArrayList<>();

    FakeNameNode(int replication, DatanodeInfo... datanodes) {
        this.datanodes = List.of(datanodes);
        this.replication = replication;
    }

    ClientProtocol protocol() {
        return (ClientProtocol) Proxy.newProxyInstance(
                ClientProtocol.class.getClassLoader(), new Class<?>[] {ClientProtocol.class, Closeable.class}, this);
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) {
        switch (method.getName()) {
            case "addBlock" -> {
                DatanodeInfo[] excluded = (DatanodeInfo[]) arguments[3];
                return addBlock(excluded == null ? List.of() : Arrays.asList(excluded));
            }
            case "complete" -> {
                return completes.getAsBoolean();
            }
            case "abandonBlock" -> {
                abandoned.run();
                return null;
            }
            case "close" -> {
                return null;
            }
            default -> throw new UnsupportedOperationException(method.toString());
        }
    }

    private synchronized LocatedBlock addBlock(List<DatanodeInfo> excluded) {
        DatanodeInfo[] nodes = datanodes.stream()
                .filter(node -> !excluded.contains(node))
                .limit(replication)
                .toArray(DatanodeInfo[]::new);
        ExtendedBlock block = new ExtendedBlock("pool", added.size() + 1, 0, 1_000);
        added.add(block);
        StorageType[] types = new StorageType[nodes.length];
        Arrays.fill(types, StorageType.DISK);
        String[] storages = new String[nodes.length];
        Arrays.fill(storages, "storage");
        LocatedBlock located = new LocatedBlock(block, nodes, storages, types);
        located.setBlockToken(new Token<BlockTokenIdentifier>());
        return located;
    }
}
