package io.terrace.bench.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The TCP ports of one local cluster, all on loopback and all different.
 *
 * <p>They lie below the range from which the kernel draws the ports of outgoing connections (32768 and up unless
 * changed), so that no connection takes one between the choice and the daemon's bind, nor while a daemon is being
 * restarted on the same port.
 *
 * @param namenodeRpc the file system's address
 * @param namenodeHttp the NameNode's web pages
 * @param placementRpc the placement service in the NameNode
 * @param datanodes three ports for each DataNode
 */
public record Ports(int namenodeRpc, int namenodeHttp, int placementRpc, List<DataNodePorts> datanodes) {
    private static final int LOWEST = 20_000;
    private static final int HIGHEST = 31_999;
    private static final int MAX_TRIES_PER_PORT = 1_000;

    /** Data transfer, web pages and RPC of one DataNode. */
    public record DataNodePorts(int transfer, int http, int ipc) {}

    public Ports {
        datanodes = List.copyOf(datanodes);
    }

    /** Draws more ports that are free at this moment, for processes beside the cluster. */
    public static List<Integer> free(int count, RandomGenerator random) throws IOException {
        List<ServerSocket> held = new ArrayList<>();
        try {
            List<Integer> ports = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                ports.add(hold(held, random));
            }
            return ports;
        } finally {
            for (ServerSocket socket : held) {
                socket.close();
            }
        }
    }

    /**
     * Draws ports that are free at this moment. Another process may still be faster with its bind; the caller notices
     * when a daemon fails, and draws again.
     */
    public static Ports choose(int datanodes, RandomGenerator random) throws IOException {
        List<ServerSocket> held = new ArrayList<>();
        try {
            int namenodeRpc = hold(held, random);
            int namenodeHttp = hold(held, random);
            int placementRpc = hold(held, random);
            List<DataNodePorts> ports = new ArrayList<>();
            for (int i = 0; i < datanodes; i++) {
                ports.add(new DataNodePorts(hold(held, random), hold(held, random), hold(held, random)));
            }
            return new Ports(namenodeRpc, namenodeHttp, placementRpc, ports);
        } finally {
            for (ServerSocket socket : held) {
                socket.close();
            }
        }
    }

    /** Binds a free port and keeps it bound, so that the next draw differs. */
    private static int hold(List<ServerSocket> held, RandomGenerator random) throws IOException {
        IOException inUse = new IOException("no try");
        for (int i = 0; i < MAX_TRIES_PER_PORT; i++) {
            int port = random.nextInt(LOWEST, HIGHEST + 1);
            try {
                held.add(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
                return port;
            } catch (IOException e) {
                inUse = e;
            }
        }
        throw new ClusterException("no free TCP port between " + LOWEST + " and " + HIGHEST + " on loopback", inUse);
    }
}
