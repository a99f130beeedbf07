package io.terrace.bench.simulation.write;

import io.terrace.bench.simulation.kernel.Scheduler;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Crashes, cut links, slow DataNodes, a client that dies, and another one that takes the file. */
final class WriteFaults {
    private static final int MOST = 4;
    private static final long WITHIN_US = 15_000;
    private static final int MOST_SLOW = 40;

    /** Slower and longer where nothing else is wrong, so that several blocks are behind. */
    private static final int MORE = 10;

    private final WriteWorld world;
    private final SimulatedStreamer streamer;
    private final Scheduler scheduler;

    /** In a third of the files DataNodes are slow, and nothing else is wrong. */
    private final boolean onlySlow;

    WriteFaults(WriteWorld world, SimulatedStreamer streamer) {
        this.world = world;
        this.streamer = streamer;
        this.scheduler = world.scheduler();
        this.onlySlow = scheduler.oneIn(3);
    }

    /** Whether nothing but the speed of DataNodes is changed. */
    boolean onlySlow() {
        return onlySlow;
    }

    void start() {
        int count = (int) scheduler.between(0, MOST);
        for (int i = 0; i < count; i++) {
            scheduler.after(scheduler.between(0, WITHIN_US) * WriteWorld.US, "fault", this::fault);
        }
    }

    private void fault() {
        if (!streamer.isRunning()) {
            return;
        }
        PipelineNode node = target();
        if (onlySlow) {
            slow(node);
            return;
        }
        switch (scheduler.random().nextInt(12)) {
            case 0 -> {
                world.say("client", "dies");
                streamer.kill();
            }
            case 1 -> {
                boolean closed = world.nameNode().recoverLease();
                world.say("NameNode", "another client wants the file: %s", closed);
            }
            case 2, 3, 4, 5 -> crash(node);
            case 6, 7, 8 -> cut(node);
            default -> slow(node);
        }
    }

    /** Rather one that is written to. */
    private @Nullable PipelineNode target() {
        List<PipelineNode> writing = streamer.nodes();
        return writing.isEmpty() || scheduler.oneIn(3)
                ? world.anyRunning()
                : writing.get(scheduler.random().nextInt(writing.size()));
    }

    private void crash(@Nullable PipelineNode node) {
        if (node == null || !node.isRunning()) {
            return;
        }
        world.say(node.toString(), "crashes");
        node.crash();
        if (scheduler.random().nextBoolean()) {
            scheduler.after(scheduler.between(1_000, WITHIN_US) * WriteWorld.US, "restart", () -> restart(node));
        }
    }

    private void restart(PipelineNode node) {
        if (!node.isRunning()) {
            world.say(node.toString(), "runs again");
            node.start();
        }
    }

    private void cut(@Nullable PipelineNode node) {
        if (node == null) {
            return;
        }
        List<NodeConnection> writing =
                node.connections().stream().filter(NodeConnection::isWriting).toList();
        if (!writing.isEmpty()) {
            world.say(node.toString(), "a link to it is cut");
            writing.get(scheduler.random().nextInt(writing.size())).close();
        }
    }

    private void slow(@Nullable PipelineNode node) {
        if (node == null) {
            return;
        }
        int more = onlySlow ? MORE : 1;
        int times = (int) scheduler.between(2, MOST_SLOW * more);
        world.say(node.toString(), "is %d times slower", times);
        node.slow(times);
        scheduler.after(scheduler.between(0, WITHIN_US * more) * WriteWorld.US, "fast again", () -> node.slow(1));
    }

    /** All is mended. */
    void end() {
        for (PipelineNode node : world.nodes()) {
            node.slow(1);
            restart(node);
        }
    }
}
