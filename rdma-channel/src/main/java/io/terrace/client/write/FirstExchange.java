package io.terrace.client.write;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.net.NetUtils;

/**
 * Exchanges the first DataNode of a new block's pipeline with another one of it that this process writes to faster. After
 * SMARTH's second algorithm. The NameNode does not care for their order, nor does a block token. Thread-safe.
 */
final class FirstExchange {
    /** By how much the other one has to be faster; less may be chance. */
    private static final double CLEARLY_FASTER = 4.0 / 3;

    private final NodeSpeeds speeds;
    private final int percent;
    private final IntSupplier randomPercent;
    private final Predicate<DatanodeInfo> isLocal;

    /**
     * With its probability.
     *
     * @param percent of the pipelines that could begin faster; 0: none
     * @param randomPercent a number of 0 to 99
     */
    FirstExchange(NodeSpeeds speeds, int percent, IntSupplier randomPercent) {
        this(speeds, percent, randomPercent, FirstExchange::isLocal);
    }

    FirstExchange(NodeSpeeds speeds, int percent, IntSupplier randomPercent, Predicate<DatanodeInfo> isLocal) {
        this.speeds = speeds;
        this.percent = percent;
        this.randomPercent = randomPercent;
        this.isLocal = isLocal;
    }

    static boolean isLocal(DatanodeInfo node) {
        InetSocketAddress address = NetUtils.createSocketAddrForHost(node.getIpAddr(), node.getXferPort());
        try {
            return DFSUtilClient.isLocalAddress(address);
        } catch (IOException e) {
            // Nobody knows: it stays where it is.
            return true;
        }
    }

    /**
     * Changes the order of a pipeline, in all its arrays alike, or nothing.
     *
     * @return whether it did
     */
    boolean exchange(DatanodeInfo[] nodes, StorageType[] types, String[] storages, long nowNs) {
        if (percent == 0 || nodes.length < 2 || types.length != nodes.length || storages.length != nodes.length) {
            return false;
        }
        double first = speeds.of(nodes[0].getDatanodeUuid(), nowNs);
        int fastest = 0;
        double most = first * CLEARLY_FASTER;
        for (int i = 1; i < nodes.length; i++) {
            double speed = speeds.of(nodes[i].getDatanodeUuid(), nowNs);
            if (speed > most) {
                most = speed;
                fastest = i;
            }
        }
        // What is not known of the first one is learned.
        if (first == 0 || fastest == 0 || isLocal.test(nodes[0]) || randomPercent.getAsInt() >= percent) {
            return false;
        }
        swap(nodes, fastest);
        swap(types, fastest);
        swap(storages, fastest);
        return true;
    }

    private static <T> void swap(T[] all, int with) {
        T first = all[0];
        all[0] = all[with];
        all[with] = first;
    }
}
