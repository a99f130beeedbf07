package io.terrace.channel.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class IdleConnectionsTest {
    private static final String DATANODE = "uuid";

    private final ServerSocketChannel listener;
    private final AtomicInteger tries = new AtomicInteger();
    private final AtomicBoolean limited = new AtomicBoolean(true);
    private final List<Thread> running = new CopyOnWriteArrayList<>();
    private final AtomicLong nowNs = new AtomicLong();
    private final IdleConnections idle = new IdleConnections(LimitedThread::new, nowNs::get);

    private final class LimitedThread extends Thread {
        LimitedThread(Runnable work) {
            super(work);
        }

        @Override
        public void start() {
            tries.incrementAndGet();
            if (limited.get()) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            setDaemon(true);
            running.add(this);
            super.start();
        }
    }

    IdleConnectionsTest() throws IOException {
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void stop() throws IOException {
        idle.close();
        listener.close();
    }

    private WriteConnection connect() throws IOException {
        return WriteConnection.connect(
                DATANODE, listener.getLocalAddress(), ByteBuffer.allocate(1), TimeUnit.SECONDS.toNanos(10));
    }

    /** In a container whose number of threads is limited nobody would close it. */
    @Test
    void give_whereNoThreadCanBeStarted_closes() throws IOException {
        idle.give(connect());
        assertThat(idle.take(DATANODE)).isNull();
        idle.give(connect());
        assertThat(idle.take(DATANODE)).isNull();
        assertThat(tries).as("each is logged").hasValue(1);

        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(1));
        idle.give(connect());

        assertThat(tries).hasValue(2);
    }

    @Test
    void give_isKept_alsoWhereAThreadJustEnded() throws IOException {
        limited.set(false);
        WriteConnection first = connect();
        idle.give(first);
        assertThat(idle.take(DATANODE)).isSameAs(first);
        await().until(() -> running.stream().noneMatch(Thread::isAlive));
        idle.give(first);
        assertThat(idle.take(DATANODE)).isSameAs(first);
        first.close();
    }
}
