package io.terrace.host;

import io.terrace.conf.Setting;
import io.terrace.conf.TerraceSettings;
import io.terrace.placement.heartbeat.HealthFinding.Severity;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Whether the ports of the tcp and the RDMA channel are free. */
final class PortCheck {

    private static final String LISTENING = "0A";
    private static final String RESERVED = "/proc/sys/net/ipv4/ip_local_reserved_ports";

    private PortCheck() {}

    static void run(DataNodeHost host, List<HostFinding> found) {
        look(host, host.settings().tcpPort(), TerraceSettings.CHANNEL_TCP_PORT_OFFSET, found);
        look(host, host.settings().verbsPort(), TerraceSettings.CHANNEL_VERBS_PORT_OFFSET, found);
    }

    private static void look(DataNodeHost host, int port, Setting<Integer> setting, List<HostFinding> found) {
        if (port == 0) {
            return;
        }
        listeners(host.files(), port)
                .filter(uid -> uid != host.owner().uid())
                .findFirst()
                .ifPresent(uid -> found.add(HostFinding.other(
                        "port-taken",
                        Severity.ERROR,
                        "port " + port + " is used by a process of user " + uid,
                        "stop that process, or change " + setting.key() + " on all DataNodes and clients")));
        int[] range = numbers(host.files().text("/proc/sys/net/ipv4/ip_local_port_range"));
        if (range.length == 2 && port >= range[0] && port <= range[1] && !isReserved(host.files(), port)) {
            found.add(HostFinding.other(
                    "port-ephemeral",
                    Severity.WARNING,
                    "port " + port
                            + " is one that the kernel gives to outgoing connections, and may be taken when the DataNode"
                            + " starts",
                    "add it to the sysctl net.ipv4.ip_local_reserved_ports, or change " + setting.key()));
        }
    }

    /** The users of the sockets that listen there. */
    private static Stream<Integer> listeners(HostFiles files, int port) {
        String hex = String.format(":%04X", port);
        return Stream.of("/proc/net/tcp", "/proc/net/tcp6")
                .flatMap(file -> files.lines(file).stream())
                .map(line -> line.strip().split("\\s+"))
                .filter(words -> words.length > 7 && words[1].endsWith(hex) && words[3].equals(LISTENING))
                .map(words -> Integer.parseInt(words[7]));
    }

    /** Written as {@code 8080,9900-9999}. */
    private static boolean isReserved(HostFiles files, int port) {
        return Arrays.stream(files.text(RESERVED).strip().split(","))
                .map(range -> numbers(range.replace('-', ' ')))
                .anyMatch(range -> range.length > 0 && port >= range[0] && port <= range[range.length - 1]);
    }

    private static int[] numbers(String text) {
        return Arrays.stream(text.strip().split("\\s+"))
                .filter(word -> !word.isEmpty())
                .mapToInt(Integer::parseInt)
                .toArray();
    }
}
