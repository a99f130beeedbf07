package io.terrace.bench.simulation.write;

import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.client.write.FileOutput;
import java.io.IOException;

/**
 * The application: writes a file in calls of drawn sizes, flushes now and then, closes. A quarter of the files are closed as soon as
 * the NameNode accepts them ({@code terrace.client.write.close=minimal}).
 */
final class WriteScript {
    private static final int MOST_BLOCKS = 5;
    private static final int MOST_CALL_BYTES = 1_500;

    /** Asked once all DataNodes have the file. */
    private static final int MOST_CLOSES = 500;

    private final WriteWorld world;
    private final SimulatedStreamer streamer;
    private final FileOutput output;
    private final byte[] content;
    private final int flushOneIn;
    private final boolean early;
    private int written;
    private int acknowledged;
    private boolean waits;
    private boolean closing;
    private boolean ended;
    private int closes;

    WriteScript(WriteWorld world, SimulatedStreamer streamer, FileOutput output) {
        this.world = world;
        this.streamer = streamer;
        this.output = output;
        Scheduler scheduler = world.scheduler();
        this.content = new byte[(int) scheduler.between(1, MOST_BLOCKS * WriteWorld.BLOCK_BYTES)];
        scheduler.random().nextBytes(content);
        this.flushOneIn = (int) scheduler.between(1, 6);
        // Not drawn apart, so that all else of old seeds is as it was.
        this.early = (content[0] & 3) == 0;
    }

    /** Of half of the files with several replicas the NameNode wants two. */
    int leastReplicas(int replication) {
        return replication > 1 && (content[0] & 4) == 0 ? 2 : 1;
    }

    byte[] content() {
        return content;
    }

    /** All before this byte is safe, as the application was told. */
    int acknowledgedBytes() {
        return acknowledged;
    }

    /** Whether all is acknowledged and the file is to be completed. */
    boolean isEnded() {
        return ended;
    }

    void start() {
        again();
    }

    private void again() {
        world.scheduler().after(world.scheduler().between(50, 500) * WriteWorld.US, "application", this::step);
    }

    private void step() {
        if (!streamer.isRunning()) {
            return;
        }
        if (waits) {
            await();
        } else if (written == content.length) {
            output.endBlock(false);
            if (early) {
                output.complete();
            }
            closing = true;
            waits = true;
        } else {
            int count =
                    (int) Math.min(content.length - written, world.scheduler().between(1, MOST_CALL_BYTES));
            written += output.write(content, written, count);
            if (world.scheduler().oneIn(flushOneIn)) {
                output.flush(world.scheduler().oneIn(3));
                waits = true;
            }
        }
        if (streamer.isRunning() && !ended) {
            again();
        }
    }

    private void await() {
        try {
            if (closing && early) {
                closeEarly();
                return;
            }
            if (!output.awaitAcked(output.lastQueued(), 0)) {
                return;
            }
            streamer.persist();
        } catch (IOException e) {
            world.say("client", "cannot flush: %s", String.valueOf(e.getMessage()));
            streamer.end();
            return;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        waits = false;
        acknowledged = written;
        world.say("client", "%d bytes are acknowledged", acknowledged);
        if (closing) {
            ended = true;
            streamer.end();
            output.wake();
        }
    }

    /** The streamer goes on until all DataNodes have the file. */
    private void closeEarly() throws IOException, InterruptedException {
        if (!output.awaitWritten(0) || !world.nameNode().complete(streamer.lastBytes())) {
            if (output.awaitAll(0) && ++closes > MOST_CLOSES) {
                throw new IOException("too few replicas are known");
            }
            return;
        }
        world.say("client", "the file is closed");
        ended = true;
        if (world.hooks().finishesClosedFiles()) {
            output.release();
        } else {
            streamer.end();
        }
        output.wake();
    }
}
