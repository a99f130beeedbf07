package io.terrace.conf;

import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;

/**
 * The port of a NameNode's placement service where {@link TerraceSettings#PLACEMENT_RPC_ADDRESS} is not set. The service,
 * DataNodes and tools ask the same question here, so they agree.
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
        int port = whole(conf, TerraceSettings.PLACEMENT_PORT, 0);
        int offset = whole(conf, TerraceSettings.PLACEMENT_PORT_OFFSET, -MOST);
        int sum = nameNodeRpcPort + offset;
        return offset == 0 || sum < 1 || sum > MOST ? port : sum;
    }

    private static int whole(Configuration conf, TerraceSettings key, int least) {
        String text = conf.getTrimmed(key.key(), key.defaultValue());
        try {
            int value = Integer.parseInt(text);
            if (value >= least && value <= MOST) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw refusal(key, text, least, e);
        }
        throw refusal(key, text, least, null);
    }

    private static IllegalArgumentException refusal(
            TerraceSettings key, String text, int least, @Nullable NumberFormatException cause) {
        return new IllegalArgumentException(
                key.key() + "=" + text + " must be a whole number from " + least + " to " + MOST, cause);
    }
}
