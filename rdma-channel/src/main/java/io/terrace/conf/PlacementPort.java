package io.terrace.conf;

import org.apache.hadoop.conf.Configuration;

/**
 * The port of a NameNode's placement service where {@link TerraceSettings#PLACEMENT_RPC_ADDRESS} is not set. The service,
 * DataNodes and tools all ask here, so they agree.
 */
public final class PlacementPort {
    private static final int MOST = 65_535;

    private PlacementPort() {}

    /**
     * The port, by the NameNode's RPC port: that plus {@code terrace.placement.port.offset} where an offset is set and the
     * sum is a port; {@code terrace.placement.port} otherwise.
     *
     * @throws IllegalArgumentException for a setting out of range, with its key
     */
    public static int of(Configuration conf, int nameNodeRpcPort) {
        int port = TerraceSettings.PLACEMENT_PORT.get(conf);
        int offset = TerraceSettings.PLACEMENT_PORT_OFFSET.get(conf);
        int sum = nameNodeRpcPort + offset;
        return offset == 0 || sum < 1 || sum > MOST ? port : sum;
    }
}
