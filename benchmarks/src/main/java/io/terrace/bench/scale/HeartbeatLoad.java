package io.terrace.bench.scale;

import io.terrace.common.DaemonThreads;
import io.terrace.protocol.PlacementDataNodePB;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.jspecify.annotations.Nullable;

/**
 * Hands the bytes of heartbeats to the service's handler, on as many threads as its RPC server has, and its answers to the
 * DataNodes. The thread that calls {@link #send} is all DataNodes; what it costs is not the service's.
 */
final class HeartbeatLoad implements Closeable {

    /** So many heartbeats are under way at most where they are not paced. */
    private static final int MOST_UNPACED = 64;

    private static final int SIGNIFICANT_DIGITS = 3;

    private record Sent(ScaleDataNode node, byte[] bytes, long atNs) {}

    private record Answered(ScaleDataNode node, byte[] bytes) {}

    /**
     * What some heartbeats cost.
     *
     * @param perSecond that were answered while they were sent
     * @param handling from the queue of the handlers to the bytes of the answer, in ns
     * @param handlers processors kept busy by the handlers' threads
     * @param loop the same by the thread of the placement loop
     * @param process the same by this process without the thread of the DataNodes; so collections and compilations, which are in it, are
     *     also those that the DataNodes cause
     */
    record Cost(Histogram handling, double perSecond, double handlers, double loop, double process) {}

    private final PlacementDataNodePB rpc;
    private final BlockSpread spread;
    private final BlockingQueue<Sent> queue = new LinkedBlockingQueue<>();
    private final Queue<Answered> answers = new ConcurrentLinkedQueue<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Recorder handling = new Recorder(SIGNIFICANT_DIGITS);
    private final List<Thread> handlers = new ArrayList<>();
    private volatile boolean closed;

    HeartbeatLoad(PlacementDataNodePB rpc, BlockSpread spread, int threads) {
        this.rpc = rpc;
        this.spread = spread;
        for (int i = 0; i < threads; i++) {
            Thread handler = DaemonThreads.make("handler-" + i, this::handle);
            handlers.add(handler);
            handler.start();
        }
    }

    private void handle() {
        while (!closed) {
            try {
                Sent sent = queue.take();
                HeartbeatRequestProto request = HeartbeatRequestProto.parseFrom(sent.bytes());
                byte[] answer = rpc.heartbeat(null, request).toByteArray();
                handling.recordValue(System.nanoTime() - sent.atNs());
                answers.add(new Answered(sent.node(), answer));
                answered.incrementAndGet();
            } catch (InterruptedException e) {
                return;
            } catch (IOException | ServiceException | RuntimeException | Error e) {
                failure.compareAndSet(null, e);
            } finally {
                underWay.decrementAndGet();
            }
        }
    }

    /** One heartbeat of each of these DataNodes in their order, as fast as they are answered. */
    void sendAll(List<ScaleDataNode> nodes, Function<ScaleDataNode, byte[]> heartbeat)
            throws IOException, InterruptedException {
        for (ScaleDataNode node : nodes) {
            waitFor(MOST_UNPACED);
            send(node, heartbeat);
        }
        waitFor(1);
    }

    /** Heartbeats of these DataNodes in their order, so many a second. */
    Cost send(List<ScaleDataNode> nodes, Function<ScaleDataNode, byte[]> heartbeat, int perSecond, int seconds)
            throws IOException, InterruptedException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        handling.reset();
        long handlersNs = handlersNs(threads);
        long loopNs = threads.getThreadCpuTime(loopThread());
        long mineNs = threads.getCurrentThreadCpuTime();
        long processNs = processNs();
        long answeredBefore = answered.get();
        long beganNs = System.nanoTime();
        long count = (long) perSecond * seconds;
        for (long i = 0; i < count; i++) {
            long aheadNs = beganNs + i * TimeUnit.SECONDS.toNanos(1) / perSecond - System.nanoTime();
            if (aheadNs > 0) {
                TimeUnit.NANOSECONDS.sleep(aheadNs);
            }
            send(nodes.get((int) (i % nodes.size())), heartbeat);
        }
        double tookNs = System.nanoTime() - beganNs;
        // Those that wait still have cost nothing yet.
        double answeredPerSecond = (answered.get() - answeredBefore) / (tookNs / 1e9);
        double handlersBusy = (handlersNs(threads) - handlersNs) / tookNs;
        double loopBusy = (threads.getThreadCpuTime(loopThread()) - loopNs) / tookNs;
        double processBusy = (processNs() - processNs - (threads.getCurrentThreadCpuTime() - mineNs)) / tookNs;
        waitFor(1);
        return new Cost(handling.getIntervalHistogram(), answeredPerSecond, handlersBusy, loopBusy, processBusy);
    }

    private void send(ScaleDataNode node, Function<ScaleDataNode, byte[]> heartbeat) throws IOException {
        for (Answered answer = answers.poll(); answer != null; answer = answers.poll()) {
            answer.node().answered(HeartbeatResponseProto.parseFrom(answer.bytes()), spread);
        }
        byte[] bytes = heartbeat.apply(node);
        underWay.incrementAndGet();
        queue.add(new Sent(node, bytes, System.nanoTime()));
    }

    /** Until fewer are under way. */
    private void waitFor(int most) throws IOException, InterruptedException {
        while (underWay.get() >= most && failure.get() == null) {
            TimeUnit.MICROSECONDS.sleep(50);
        }
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IOException("a heartbeat was not answered", failed);
        }
    }

    private long handlersNs(ThreadMXBean threads) {
        return handlers.stream()
                .mapToLong(thread -> threads.getThreadCpuTime(thread.getId()))
                .sum();
    }

    /** The newest: that of a service that was closed just before may be there still. */
    private static long loopThread() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("terrace-placement"))
                .mapToLong(Thread::getId)
                .max()
                .orElseThrow();
    }

    private static long processNs() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
    }

    @Override
    public void close() {
        closed = true;
        handlers.forEach(Thread::interrupt);
    }
}
