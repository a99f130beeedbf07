package org.apache.hadoop.hdfs.server.datanode;

import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.net.NetUtils;

/** The NameNodes that a DataNode serves, which Hadoop keeps to this package. Only forwards. */
public final class TerraceNameNodes {

    /**
     * One of them.
     *
     * @param address of its RPC, as host and port
     * @param pool of its name service
     */
    public record NameNode(String address, String pool) {}

    private TerraceNameNodes() {}

    /** Whether each name service has told the DataNode which block pool is its own. */
    public static boolean allKnown(DataNode datanode) {
        return datanode.getAllBpOs().stream().allMatch(BPOfferService::hasBlockPoolId);
    }

    /** Those whose name service has told the DataNode which block pool is its own. */
    public static Set<NameNode> of(DataNode datanode) {
        Set<NameNode> nameNodes = new HashSet<>();
        for (BPOfferService service : datanode.getAllBpOs()) {
            // To ask for the pool of another logs a warning with a trace.
            if (service.hasBlockPoolId()) {
                for (BPServiceActor actor : service.getBPServiceActors()) {
                    String address = NetUtils.getHostPortString(actor.getNNSocketAddress());
                    nameNodes.add(new NameNode(address, service.getBlockPoolId()));
                }
            }
        }
        return nameNodes;
    }
}
