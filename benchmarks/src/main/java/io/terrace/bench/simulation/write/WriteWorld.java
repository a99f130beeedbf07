package io.terrace.bench.simulation.write;

import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.channel.shm.SocketDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What all parts of a run need: time, chance, the DataNodes, the NameNode. */
final class WriteWorld {
    static final long US = 1_000;
    static final int CHUNK_BYTES = 512;
    static final int BLOCK_BYTES = 6 * CHUNK_BYTES;

    private final Scheduler scheduler;
    private final WriteHooks hooks;
    private final SocketDirectory sockets;
    private final List<PipelineNode> nodes = new ArrayList<>();
    private final WriteNameNode nameNode = new WriteNameNode(this);

    WriteWorld(Scheduler scheduler, WriteHooks hooks, Path directory, int count) throws IOException {
        this.scheduler = scheduler;
        this.hooks = hooks;
        this.sockets = SocketDirectory.check(directory);
        for (int i = 0; i < count; i++) {
            nodes.add(new PipelineNode(this, i));
        }
    }

    Scheduler scheduler() {
        return scheduler;
    }

    WriteHooks hooks() {
        return hooks;
    }

    SocketDirectory sockets() {
        return sockets;
    }

    List<PipelineNode> nodes() {
        return nodes;
    }

    WriteNameNode nameNode() {
        return nameNode;
    }

    PipelineNode node(String uuid) {
        return nodes.stream()
                .filter(node -> node.info().getDatanodeUuid().equals(uuid))
                .findFirst()
                .orElseThrow();
    }

    /** One that runs; null when none does. */
    @Nullable
    PipelineNode anyRunning() {
        List<PipelineNode> running =
                nodes.stream().filter(PipelineNode::isRunning).toList();
        return running.isEmpty() ? null : running.get(scheduler.random().nextInt(running.size()));
    }

    void say(String who, String format, Object... arguments) {
        scheduler.log().say(scheduler.nowNs(), who, format, arguments);
    }

    /** Lets DataNodes see what has arrived, and the next thing happen; false when there is none. */
    boolean step() {
        nodes.forEach(PipelineNode::poll);
        return scheduler.runNext();
    }
}
