package io.terrace.placementctl.check;

import io.terrace.metrics.Metric;
import io.terrace.placementctl.check.CheckedBlock.Served;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the client counted while something was read or opened: its metrics, by id, before and after. */
public record ReadCounts(Map<String, Long> before, Map<String, Long> after) {

    private record Known(Metric metric, String why, String remedy) {}

    /** The first one that was counted is told: those that say more come first. */
    private static final Known[] KNOWN = {
        new Known(
                Metric.CLIENT_FALLBACK_SETTINGS,
                "a terrace.* setting of this host is wrong",
                "placementctl doctor names it"),
        new Known(
                Metric.CLIENT_FS_NOT_LINKED,
                "Hadoop's classes on this host are not those that Terrace was made for",
                "see docs/compatibility.md for the releases that fit"),
        new Known(
                Metric.CLIENT_REMOTE_ENCRYPTED,
                "data transfer is to be encrypted or protected, and the tcp channel does neither",
                "read on a host that has a copy in memory; there the Unix socket serves it"),
        new Known(
                Metric.CLIENT_REMOTE_CORRUPT,
                "bytes over tcp did not match the block's checksums, and stock HDFS read them again",
                "look at the network and at memory.scrub.failed of the DataNode"),
        new Known(
                Metric.CLIENT_FALLBACK_UNREACHABLE,
                "the DataNode granted the block, and its file cannot be opened here",
                "give this container the mount of terrace.datanode.memory.dir, or read over tcp"),
        new Known(
                Metric.CLIENT_FALLBACK_REFUSED,
                "the DataNode of this host refused the grant",
                "its log says why; channel.grants.refused counts it"),
        new Known(
                Metric.CLIENT_FALLBACK_TIMEOUT,
                "the DataNode of this host did not answer in time",
                "see whether it is overloaded; terrace.client.grant.timeout is the limit"),
        new Known(
                Metric.CLIENT_FALLBACK_LENGTH,
                "the copy in memory is shorter than the block is now",
                "nothing: the copy is renewed when the file is closed"),
        new Known(
                Metric.CLIENT_FALLBACK_UNDER_CONSTRUCTION,
                "the file is being written",
                "set fs.hdfs.impl to io.terrace.fs.TerraceFileSystem: it reads the complete blocks from memory"),
        new Known(
                Metric.CLIENT_FALLBACK_UNVERIFIED,
                "this process read it from memory without checksums before, and wants them verified now",
                "see whether its log speaks of wrong checksums; otherwise nothing"),
        new Known(
                Metric.CLIENT_FALLBACK_LIMIT,
                "a limit of the client was reached",
                "see terrace.client.grants.max and terrace.client.mapped.max"),
        new Known(
                Metric.CLIENT_FALLBACK_FAILED, "the client failed to read it from memory", "the client's log says why"),
        new Known(
                Metric.CLIENT_FS_STEPPED_DOWN,
                "a read from memory failed, and stock HDFS went on",
                "see the client's log"),
        new Known(
                Metric.CLIENT_REMOTE_UNREACHABLE,
                "a DataNode that has the block in memory does not answer on its tcp channel",
                "open the port (the DataNode's transfer port + terrace.channel.tcp.port.offset) for this host"),
        new Known(
                Metric.CLIENT_REMOTE_REFUSED,
                "a DataNode that has the block in memory refused it to this host",
                "its log says why; channel.grants.refused counts it"),
        new Known(
                Metric.CLIENT_FS_STOCK_PREFERRED,
                "another host has it in memory, and stock HDFS took less time lately or had to be tried",
                "nothing: this is terrace.client.remote.choice = cost; memory alone reads from memory always"),
    };

    private long growth(Metric metric) {
        return after.getOrDefault(metric.id(), 0L) - before.getOrDefault(metric.id(), 0L);
    }

    /** What served the bytes; where several did, the slowest of them. */
    public Served served(long bytes) {
        long remote = growth(Metric.CLIENT_REMOTE_BYTES);
        long verbs = growth(Metric.CLIENT_VERBS_BYTES);
        long here = growth(Metric.CLIENT_GRANTED_SHM_BYTES);
        if (here + remote < bytes) {
            return Served.STOCK;
        }
        if (growth(Metric.CLIENT_REMOTE_NVM_BYTES) > 0) {
            return Served.NVM;
        }
        if (remote == 0) {
            return growth(Metric.CLIENT_GRANTED_SHM_NVM_BYTES) > 0 ? Served.NVM_LOCAL : Served.MEMORY;
        }
        return verbs < remote ? Served.MEMORY_TCP : Served.MEMORY_VERBS;
    }

    /** Whether the memory of this host was wanted, and no DataNode of this host answered. */
    public boolean isWithoutDataNode() {
        return growth(Metric.CLIENT_FALLBACK_NO_DATANODE) > 0;
    }

    /** What the client counted in place of memory; null when it counted nothing that says why. */
    public @Nullable Cause cause() {
        for (Known known : KNOWN) {
            if (growth(known.metric) > 0) {
                return new Cause(known.why, known.remedy);
            }
        }
        return null;
    }
}
