package io.terrace.bench.simulation.write;

import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.bench.simulation.write.WriteNameNode.FileBlock;
import io.terrace.client.ClientConfig;
import io.terrace.client.write.FileOutput;
import io.terrace.client.write.WriteClient;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.DataChecksum;

/** One file of a seed, written under faults, and what must hold of it. */
public final class WriteRun {
    private static final int FEW_DATANODES = 5;

    /** Enough for three pipelines of a file. */
    private static final int MANY_DATANODES = 9;

    private static final int MOST_REPLICAS = 3;
    private static final int MOST_STEPS = 100_000;
    private static final DataChecksum CHECKSUM =
            DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, WriteWorld.CHUNK_BYTES);

    private final WriteWorld world;
    private final SimulatedStreamer streamer;

    private WriteRun(WriteWorld world, SimulatedStreamer streamer) {
        this.world = world;
        this.streamer = streamer;
    }

    /** @param directory for the sockets; they stay there */
    public static void run(Scheduler scheduler, WriteHooks hooks, Path directory) {
        Configuration conf = new Configuration(false);
        conf.set(TerraceSettings.CHANNEL_DIR.key(), directory.toString());
        try (WriteClient client = WriteClient.ofItsOwn(ClientConfig.from(conf), new MetricRegistry())) {
            WriteWorld world = new WriteWorld(
                    scheduler, hooks, directory, scheduler.random().nextBoolean() ? FEW_DATANODES : MANY_DATANODES);
            int replication = (int) scheduler.between(1, MOST_REPLICAS);
            SimulatedStreamer streamer = new SimulatedStreamer(world, replication);
            try {
                new WriteRun(world, streamer).run(client, replication);
            } finally {
                world.nodes().forEach(PipelineNode::crash);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void run(WriteClient client, int replication) {
        FileOutput output = client.open(streamer, "/file", CHECKSUM, WriteWorld.BLOCK_BYTES, false, replication > 1);
        streamer.sendsTo(output);
        WriteScript script = new WriteScript(world, streamer, output);
        world.nameNode().require(script.leastReplicas(replication));
        WriteFaults faults = new WriteFaults(world, streamer);
        world.say("client", "writes %d bytes, %d replicas", script.content().length, replication);
        world.nodes().forEach(PipelineNode::start);
        script.start();
        faults.start();
        boolean closed = write(output, script) && (world.nameNode().isClosed() || complete());
        Violation.unless(
                closed || !faults.onlySlow(), Invariant.WRITTEN_THOUGH_SLOW, "the client has not closed the file");
        if (closed && !streamer.isKilled()) {
            checkReplicated();
        }
        faults.end();
        client.close();
        settle();
        while (!world.nameNode().isClosed()) {
            boolean recovered = world.nameNode().recoverLease();
            Violation.unless(
                    recovered || world.step(), Invariant.SETTLES, "the lease cannot be recovered: %s", blocks());
        }
        settle();
        checkContent(script, closed);
    }

    private boolean write(FileOutput output, WriteScript script) {
        try {
            output.send();
            return script.isEnded();
        } catch (IOException e) {
            world.say("client", "fails: %s", String.valueOf(e.getMessage()));
            return false;
        } finally {
            streamer.end();
            output.sendEnded();
            output.release();
        }
    }

    private boolean complete() {
        try {
            while (!world.nameNode().complete(streamer.lastBytes())) {
                if (!world.step()) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void settle() {
        int steps = 0;
        while (world.step()) {
            Violation.unless(++steps < MOST_STEPS, Invariant.SETTLES, "the DataNodes never come to rest");
        }
        for (PipelineNode node : world.nodes()) {
            Violation.unless(
                    node.connections().stream().noneMatch(NodeConnection::isWriting),
                    Invariant.SETTLES,
                    "%s still has a writer",
                    node);
        }
    }

    private String blocks() {
        return world.nameNode().blocks().toString();
    }

    /** The file was closed as its client knows: each block is at the DataNodes that it took it to, or says it lacks. */
    private void checkReplicated() {
        Violation.unless(!streamer.isStuck(), Invariant.SETTLES, "the client waits for nothing");
        for (FileBlock block : world.nameNode().blocks()) {
            long finalised = world.nodes().stream()
                    .filter(node -> WriteNameNode.hasFinalised(node, block))
                    .count();
            Violation.unless(
                    finalised >= streamer.expected(block),
                    Invariant.RETAINED_UNTIL_EVERYWHERE,
                    "%s has %d replicas of %d when the file is closed",
                    block,
                    finalised,
                    streamer.expected(block));
        }
    }

    private void checkContent(WriteScript script, boolean closed) {
        int at = 0;
        for (FileBlock block : world.nameNode().blocks()) {
            byte[] wanted = Arrays.copyOfRange(script.content(), at, at + block.lengthBytes);
            for (PipelineNode node : block.finalised) {
                StoredReplica replica = node.replica(block.id);
                Violation.unless(
                        replica != null && Arrays.equals(replica.bytes(), wanted),
                        Invariant.REPLICAS_EQUAL,
                        "%s of %d bytes is counted at %s, which has %s",
                        block,
                        block.lengthBytes,
                        node,
                        replica);
            }
            at += block.lengthBytes;
        }
        int least = closed ? script.content().length : script.acknowledgedBytes();
        Violation.unless(
                at >= least, Invariant.ACKNOWLEDGED_KEPT, "the file has %d bytes, and %d were acknowledged", at, least);
    }
}
