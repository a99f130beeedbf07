package io.terrace.client.landing;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.write.LandingClient;
import io.terrace.channel.write.WindowFrame;
import io.terrace.channel.write.WindowOutput;
import io.terrace.channel.write.WriteFrame;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The landing window of one connection for writes: asked for once enough was written to pay for it, attached on another
 * thread, used for the data of large frames. Until it is there, and where it is not to be had, data goes over tcp.
 */
public final class RdmaLanding implements LandingClient {
    private static final Logger LOG = LoggerFactory.getLogger(RdmaLanding.class);

    /** A window costs the DataNode 4 MB that are pinned, and both sides a connection by RDMA. */
    static final long ASK_AFTER_BYTES = 1 << 20;

    /** Less goes over tcp, in one piece with its header. */
    static final int LEAST_BYTES = 64 << 10;

    private enum State {
        NOT_OFFERED,
        OFFERED,
        ASKED,
        ATTACHING,
        READY,
        OFF
    }

    private final WindowConnector connector;
    private final String datanode;
    private final MetricRegistry metricRegistry;
    private State state = State.NOT_OFFERED;
    private String where = "";
    private long overTcpBytes;
    private WindowConnector.@Nullable Attempt attempt;
    private @Nullable WindowOutput writer;
    private WindowRing ring = new WindowRing(0);

    /** @param datanode its uuid */
    public RdmaLanding(WindowConnector connector, String datanode, MetricRegistry metricRegistry) {
        this.connector = connector;
        this.datanode = datanode;
        this.metricRegistry = metricRegistry;
    }

    @Override
    public void offered(String address) throws MalformedMessageException {
        if (state != State.NOT_OFFERED) {
            throw new MalformedMessageException("a second offer of a window");
        }
        where = address;
        state = State.OFFERED;
    }

    @Override
    public @Nullable ByteBuffer request() {
        if (state != State.OFFERED || overTcpBytes < ASK_AFTER_BYTES) {
            return null;
        }
        state = State.ASKED;
        return WindowFrame.request();
    }

    @Override
    public void answered(@Nullable RegionKey key) throws MalformedMessageException {
        if (state != State.ASKED) {
            throw new MalformedMessageException("a window that was not asked for");
        }
        // A window that has no room for a frame would be waited for without end.
        if (key == null || key.lengthBytes() < WriteFrame.MAX_DATA_BYTES) {
            state = State.OFF;
        } else {
            begin(key);
        }
    }

    /** Where there is no thread for it, as wherever RDMA fails, tcp serves. */
    private void begin(RegionKey key) {
        try {
            attempt = connector.begin(datanode, where, key);
            state = State.ATTACHING;
        } catch (RuntimeException | Error e) {
            state = State.OFF;
            connector.failed(datanode, where, e);
        }
    }

    @Override
    public boolean hasRoom() {
        return state != State.READY || ring.find(WriteFrame.MAX_DATA_BYTES) >= 0;
    }

    @Override
    public boolean takes(int bytes) {
        if (state == State.ATTACHING) {
            lookForWriter();
        }
        boolean taken = state == State.READY && bytes >= LEAST_BYTES;
        overTcpBytes += taken ? 0 : bytes;
        return taken;
    }

    private void lookForWriter() {
        WindowConnector.Attempt begun = attempt;
        if (begun != null && begun.isOver()) {
            attempt = null;
            WindowOutput attached = begun.take();
            writer = attached;
            state = attached == null ? State.OFF : State.READY;
            ring = new WindowRing(attached == null ? 0 : attached.bytes());
        }
    }

    @Override
    public boolean land(long number, ByteBuffer data) throws IOException {
        check();
        WindowOutput attached = writer;
        int bytes = data.remaining();
        int at = attached == null ? -1 : ring.find(bytes);
        if (attached == null || at < 0 || !write(attached, at, data)) {
            return false;
        }
        ring.take(number, at, bytes);
        metricRegistry.add(Metric.CLIENT_WRITE_VERBS_BYTES, bytes);
        return true;
    }

    private boolean write(WindowOutput attached, int at, ByteBuffer data) throws IOException {
        try {
            return attached.write(at, data);
        } catch (IOException | RuntimeException | Error e) {
            lost(attached, e);
            return false;
        }
    }

    @Override
    public void taken(long number) {
        ring.give(number);
    }

    @Override
    public void check() throws IOException {
        WindowOutput attached = writer;
        if (attached != null && attached.hasEnded()) {
            lost(attached, new EOFException("the other side is gone"));
        }
    }

    /** Data goes over tcp from now on. */
    private void lost(WindowOutput attached, Throwable why) throws IOException {
        writer = null;
        state = State.OFF;
        connector.failed(datanode, where, why);
        close(attached);
        if (!ring.isEmpty()) {
            throw new WindowLostException(where, why);
        }
    }

    /** The file goes on, or has been written: it does not fail with an RDMA connection that cannot be closed. */
    private static void close(WindowOutput attached) {
        try {
            attached.close();
        } catch (IOException | RuntimeException | Error e) {
            LOG.debug("Closing a window", e);
        }
    }

    @Override
    public void close() {
        WindowConnector.Attempt begun = attempt;
        attempt = null;
        if (begun != null) {
            begun.abandon();
        }
        WindowOutput attached = writer;
        writer = null;
        state = State.OFF;
        if (attached != null) {
            close(attached);
        }
    }
}
