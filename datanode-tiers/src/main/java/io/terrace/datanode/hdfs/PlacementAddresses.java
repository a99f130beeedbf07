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

    /** The service's address, by the RPC address that the DataNode uses for the NameNode. */
    InetSocketAddress of(String nameNode) {
        InetSocketAddress rpc = NetUtils.createSocketAddr(nameNode);
        int port = PlacementPort.of(conf, rpc.getPort());
        String configured = configured(nameNode);
        return configured.isEmpty()
                ? NetUtils.createSocketAddrForHost(rpc.getHostString(), port)
                : NetUtils.createSocketAddr(configured, port, TerraceSettings.PLACEMENT_RPC_ADDRESS.key());
    }

    private String configured(String nameNode) {
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
                        String ofService = conf.getTrimmed(key + "." + service.getKey(), conf.getTrimmed(key, ""));
                        return entry.getKey() == null
                                ? ofService
                                : conf.getTrimmed(key + "." + service.getKey() + "." + entry.getKey(), ofService);
                    }
                }
            }
        } catch (IOException e) {
            LOG.debug("No NameNode is configured by name", e);
        }
        return conf.getTrimmed(key, "");
    }
}
