package io.terrace.placement.explain;

import io.terrace.common.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A file that is open for write.
 *
 * @param writer null for a caller who is not the superuser: HDFS tells nobody else who holds a lease
 * @param openBlocks those that are not complete
 * @param speeds of what clients of the writer's host wrote over the channel lately, the fastest first
 */
public record OpenFile(@Nullable Writer writer, int completeBlocks, int openBlocks, List<Speed> speeds) {

    private static final int MOST_SPEEDS = 5;

    /**
     * Who writes a file.
     *
     * @param client the holder of its lease
     * @param host from which that one created the file or appended to it
     */
    public record Writer(String client, String host) {}

    /** How fast a DataNode took what clients of the host wrote. */
    public record Speed(String datanode, long bytesPerSecond, long toldAgoMs) {}

    public OpenFile {
        speeds = List.copyOf(speeds);
    }

    /** What people are told of it. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        String by = writer == null ? "" : " by " + Words.name(writer.client) + " on " + Words.name(writer.host);
        String host = writer == null ? "the host that writes it" : Words.name(writer.host);
        lines.add("OPEN FOR WRITE" + by + ": "
                + (completeBlocks == 1 ? "1 block is" : completeBlocks + " blocks are") + " complete, " + openBlocks
                + (openBlocks == 1 ? " is" : " are") + " being written. Its length is that of the last flush.");
        lines.add("Blocks that are being written are neither copied into memory nor moved between tiers, as their bytes"
                + " still change. They can be as soon as they are complete.");
        if (speeds.isEmpty()) {
            lines.add("No DataNode told of writes over the channel from " + host
                    + " in the last 5 min: it is stock's stream, or it wrote less than can be measured.");
        } else {
            String more = speeds.size() > MOST_SPEEDS ? ", and " + (speeds.size() - MOST_SPEEDS) + " more" : "";
            lines.add("Clients of " + host + " write over the channel, measured by the DataNodes: "
                    + speeds.stream()
                            .limit(MOST_SPEEDS)
                            .map(speed -> Words.name(speed.datanode) + " "
                                    + Quantity.bytes(speed.bytesPerSecond) + "/s (" + Words.ago(speed.toldAgoMs)
                                    + ")")
                            .collect(Collectors.joining(", "))
                    + more + ".");
        }
        return lines;
    }
}
