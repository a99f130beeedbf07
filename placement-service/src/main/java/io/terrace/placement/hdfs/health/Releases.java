package io.terrace.placement.hdfs.health;

import io.terrace.compat.Release;
import io.terrace.placement.report.NodeReport;
import io.terrace.protocol.proto.AdminProtos.ReleaseUseProto;
import io.terrace.protocol.proto.AdminProtos.StatusResponseProto;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which releases of Terrace the daemons of a cluster have. */
public final class Releases {

    /** The NameNode's. */
    static final String OWN = Release.of(Releases.class).toString();

    private static final int NAMED = 5;

    private Releases() {}

    /** Adds the NameNode's and those of DataNodes. */
    public static void add(StatusResponseProto.Builder status, Map<String, Integer> datanodes) {
        status.setRelease(OWN);
        datanodes.forEach((release, count) -> status.addDatanodeReleases(
                ReleaseUseProto.newBuilder().setRelease(release).setDatanodes(count)));
    }

    /** Says which live DataNodes have another release than the NameNode; null if none has. */
    static @Nullable String mix(String own, List<NodeReport> nodes) {
        SortedMap<String, List<String>> others = nodes.stream()
                .filter(node -> node.live() && !node.release().equals(own))
                .collect(Collectors.groupingBy(
                        NodeReport::release, TreeMap::new, Collectors.mapping(NodeReport::name, Collectors.toList())));
        return others.isEmpty()
                ? null
                : others.entrySet().stream()
                        .map(other -> (other.getKey().isEmpty() ? "an older release" : other.getKey()) + " on "
                                + named(other.getValue()))
                        .collect(Collectors.joining(", ", "the NameNode has Terrace " + own + "; DataNodes have ", ""));
    }

    private static String named(List<String> nodes) {
        String first = nodes.stream().sorted().limit(NAMED).collect(Collectors.joining(" "));
        return nodes.size() <= NAMED ? first : first + " and " + (nodes.size() - NAMED) + " more";
    }
}
