package io.terrace.datanode.hdfs;

import io.terrace.conf.PlacementPort;
import io.terrace.conf.TerraceSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSUtil;
import org.apache.hadoop.net.NetUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the placement service of a NameNode listens: as configured for that name service and NameNode, for the name
 * service, or for all; else the NameNode's host and {@link PlacementPort}.
 */
final class PlacementAddresses {

    private static final Logger LOG = LoggerFactory.getLogger(PlacementAddresses.class);

    private final Configuration conf;

    PlacementAddresses(Configuration conf) {
        this.conf = conf;
    }

    /**
     * The service's address, by the RPC address that the DataNode uses for the NameNode.
     *
     * @throws IllegalArgumentException if what is configured is no address; it names key and value
     */
    InetSocketAddress of(String nameNode) {
        InetSocketAddress rpc = NetUtils.createSocketAddr(nameNode);
        int port = PlacementPort.of(conf, rpc.getPort());
        String key = key(nameNode);
        String configured = conf.getTrimmed(key, "");
        if (configured.isEmpty()) {
            return NetUtils.createSocketAddrForHost(rpc.getHostString(), port);
        }
        try {
            return NetUtils.createSocketAddr(configured, port, key);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(key + " is " + configured + ", which is no host:port", e);
        }
    }

    /** The most specific one that is set; the general one if none is. */
    private String key(String nameNode) {
        String key = TerraceSettings.PLACEMENT_RPC_ADDRESS.key();
        try {
            for (Map.Entry<String, Map<String, InetSocketAddress>> service :
                    DFSUtil.getNNServiceRpcAddressesForCluster(conf).entrySet()) {
                for (Map.Entry<String, InetSocketAddress> entry :
                        service.getValue().entrySet()) {
                    InetSocketAddress address = entry.getValue();
                    if (service.getKey() != null
                            && address != null
                            && NetUtils.getHostPortString(address).equals(nameNode)) {
                        String ofService = key + "." + service.getKey();
                        String ofNameNode = ofService + "." + entry.getKey();
                        if (entry.getKey() != null && conf.get(ofNameNode) != null) {
                            return ofNameNode;
                        }
                        return conf.get(ofService) != null ? ofService : key;
                    }
                }
            }
        } catch (IOException e) {
            LOG.debug("No NameNode is configured by name", e);
        }
        return key;
    }
}
