package io.terrace.bench.write;

import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.cluster.ClusterLayout;
import io.terrace.bench.cluster.LocalCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Nine DataNodes, each in a network namespace of its own, and the NameNode and client in this process's, all on one bridge
 * and with links of a set speed. Two racks: hosts whose address is odd, and even.
 *
 * <p>This process must be in namespaces of its own ({@link #enter}): all ends with them, even when processes are killed. Where the
 * one that entered ends, this one is told to end, and removes the cluster.
 */
final class ShapedNetwork {
    private static final String INSIDE = "terrace.bench.shaped";
    private static final String BRIDGE = "terrace-br";
    private static final String CLIENT = "terrace-cl";
    private static final String PREFIX = "terrace-dn";
    private static final int CLIENT_NUMBER = 101;

    /** Of the same host and rack. */
    private static final int OTHER_CLIENT_NUMBER = 103;

    private ShapedNetwork() {}

    /** Whether this process is in namespaces of its own. */
    static boolean isInside() {
        return Boolean.getBoolean(INSIDE);
    }

    /**
     * Runs a command line of this program in namespaces of its own.
     *
     * @param arguments of {@code bin/terrace}
     * @param heapBytes of that program, at least
     * @return its exit code
     */
    static int enter(List<String> arguments, long heapBytes) throws IOException {
        if (!"root".equals(System.getProperty("user.name"))) {
            throw new ClusterException("part SHAPED makes network namespaces: run it as root, on Linux");
        }
        for (String program : new String[] {"unshare", "ip", "tc"}) {
            if (!succeeds(List.of("sh", "-c", "command -v " + program))) {
                throw new ClusterException("part SHAPED needs the program " + program + " (util-linux, iproute2)");
            }
        }
        List<String> words = new ArrayList<>(
                List.of("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child=TERM", "--mount-proc"));
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String name : new String[] {
            "java.net.preferIPv4Stack", "log4j.configuration", "terrace.root", "java.library.path", "terrace.trace"
        }) {
            words.add("-D" + name + "=" + System.getProperty(name, ""));
        }
        words.add("-Xmx" + (Math.max(Runtime.getRuntime().maxMemory(), heapBytes) >> 20) + "m");
        words.add("-D" + INSIDE + "=true");
        // The NameNode's directory is made by this process, from properties that name the daemon.
        words.add("-D" + LocalCluster.NUMBER_PROPERTY + "=0");
        words.add("-cp");
        words.add(System.getProperty("java.class.path"));
        words.add("io.terrace.bench.cli.TerraceCommand");
        words.addAll(arguments);
        Process process = new ProcessBuilder(words).inheritIO().start();
        Thread atExit = new Thread(process::destroyForcibly, "stop-shaped");
        Runtime.getRuntime().addShutdownHook(atExit);
        int code = await(process);
        Runtime.getRuntime().removeShutdownHook(atExit);
        return code;
    }

    /** Makes bridge and namespaces, with links as fast as they get. */
    static void make() throws IOException {
        Files.createDirectories(Path.of("/run/netns"));
        run("mount -t tmpfs terrace /run/netns");
        run("ip link set lo up");
        run("ip link add " + BRIDGE + " type bridge");
        run("ip link set " + BRIDGE + " up");
        run("ip link add " + CLIENT + " type veth peer name " + CLIENT + "b");
        run("ip link set " + CLIENT + "b master " + BRIDGE + " up");
        run("ip addr add " + clientAddress() + "/24 dev " + CLIENT);
        run("ip addr add " + otherClientAddress() + "/32 dev " + CLIENT);
        run("ip link set " + CLIENT + " up");
        for (int i = 1; i <= ShapedLinks.DATANODES; i++) {
            String name = PREFIX + i;
            run("ip netns add " + name);
            run("ip link add " + name + " type veth peer name eth0 netns " + name);
            run("ip link set " + name + " master " + BRIDGE + " up");
            run("ip -n " + name + " addr add " + address(Integer.toString(i)) + "/24 dev eth0");
            run("ip -n " + name + " link set eth0 up");
            run("ip -n " + name + " link set lo up");
        }
    }

    /** @param number of a DataNode, or what stands for it */
    static String address(String number) {
        return "10.213.0." + number;
    }

    /** Of the client's host, and what DataNodes see of all that it writes. */
    static String clientAddress() {
        return address(Integer.toString(CLIENT_NUMBER));
    }

    /** A second one: the NameNode takes who connects to that for a client on another host, of which no speed is known. */
    static String otherClientAddress() {
        return address(Integer.toString(OTHER_CLIENT_NUMBER));
    }

    /** Lines of Hadoop's table of racks. */
    static List<String> racks() {
        List<String> lines = new ArrayList<>();
        for (int i = 1; i <= ShapedLinks.DATANODES; i++) {
            lines.add(address(Integer.toString(i)) + " " + rack(i));
        }
        lines.add(clientAddress() + " " + rack(CLIENT_NUMBER));
        lines.add(otherClientAddress() + " " + rack(OTHER_CLIENT_NUMBER));
        return lines;
    }

    private static String rack(int number) {
        return number % 2 == 0 ? "/even" : "/odd";
    }

    /** What starts a daemon where it belongs. */
    static List<String> launcher(String daemon) {
        for (int i = 1; i <= ShapedLinks.DATANODES; i++) {
            if (daemon.equals(ClusterLayout.datanode(i))) {
                return List.of("ip", "netns", "exec", PREFIX + i);
            }
        }
        return List.of();
    }

    /** The kernel's congestion control of tcp. */
    static String congestionControl() throws IOException {
        return Files.readString(Path.of("/proc/sys/net/ipv4/tcp_congestion_control"))
                .strip();
    }

    /** Makes all links so fast, both ways. */
    static void shape(ShapedLinks links) throws IOException {
        for (int i = 1; i <= ShapedLinks.DATANODES; i++) {
            int mbit = links.mbit(i);
            shape("tc -n " + PREFIX + i, "eth0", mbit, links.acrossMbit(), i, "dst");
            shape("tc", PREFIX + i, mbit, links.acrossMbit(), i, "src");
        }
        shape("tc", CLIENT, links.clientMbit(), links.acrossMbit(), CLIENT_NUMBER, "dst");
        shape("tc", CLIENT + "b", links.clientMbit(), links.acrossMbit(), CLIENT_NUMBER, "src");
    }

    /** Links are as fast as they get again. */
    static void unshape() throws IOException {
        for (int i = 1; i <= ShapedLinks.DATANODES; i++) {
            run("tc -n " + PREFIX + i + " qdisc del dev eth0 root");
            run("tc qdisc del dev " + PREFIX + i + " root");
        }
        run("tc qdisc del dev " + CLIENT + " root");
        run("tc qdisc del dev " + CLIENT + "b root");
    }

    /** @param other which address of a packet is the other host's */
    private static void shape(String tc, String device, int mbit, int acrossMbit, int number, String other)
            throws IOException {
        run(tc + " qdisc add dev " + device + " root handle 1: htb default 10");
        limit(tc, device, "parent 1: classid 1:1", mbit);
        limit(tc, device, "parent 1:1 classid 1:10", mbit);
        run(tc + " qdisc add dev " + device + " parent 1:10 handle 10: bfifo limit 512k");
        if (acrossMbit > 0) {
            limit(tc, device, "parent 1:1 classid 1:20", Math.min(mbit, acrossMbit));
            run(tc + " qdisc add dev " + device + " parent 1:20 handle 20: bfifo limit 512k");
            // The last bit of the other host's address is that of the other rack.
            int at = other.equals("dst") ? 16 : 12;
            run(tc + " filter add dev " + device + " parent 1: protocol ip prio 1 u32 match u32 " + (1 - number % 2)
                    + " 0x1 at " + at + " flowid 1:20");
        }
    }

    private static void limit(String tc, String device, String where, int mbit) throws IOException {
        run(tc + " class add dev " + device + " " + where + " htb rate " + mbit + "mbit ceil " + mbit
                + "mbit quantum 60000 burst 128k cburst 128k");
    }

    private static void run(String command) throws IOException {
        Process process = new ProcessBuilder(command.split(" ", -1))
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (await(process) != 0) {
            throw new ClusterException(command + " failed: " + said.strip());
        }
    }

    private static boolean succeeds(List<String> words) throws IOException {
        return await(new ProcessBuilder(words)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start())
                == 0;
    }

    private static int await(Process process) throws IOException {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted", e);
        }
    }
}
