package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.transport.RemoteExtent;
import io.terrace.channel.transport.RemoteExtentContract;
import io.terrace.channel.transport.TransferStatus;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** The contract of remote extents over a real device, and what only verbs do: writes, and operations that are posted. */
@EnabledIf(
        value = "io.terrace.channel.verbs.VerbsFixture#hasDevice",
        disabledReason = "no RDMA verbs here; bin/terrace test verbs brings a device up")
final class VerbsExtentTest extends RemoteExtentContract {
    private VerbsProvider provider;
    private VerbsListener listener;
    private VerbsLink link;

    /** An emulated guest may stand still for a while. */
    @Override
    protected long patienceNs() {
        return TimeUnit.SECONDS.toNanos(20);
    }

    /** The device reads what was pinned: an owner makes a range void before it cuts its file. */
    @Override
    protected boolean noticesCuts() {
        return false;
    }

    @Override
    protected Client connected() throws Exception {
        provider = VerbsFixture.provider(VerbsLimits.DEFAULT);
        listener = provider.listen(VerbsFixture.address(provider));
        link = provider.connect(listener.address(), patienceNs());
        return new End(link, patienceNs());
    }

    @Override
    protected End server() throws Exception {
        return new End(Objects.requireNonNull(listener.accept(5 * patienceNs())), patienceNs());
    }

    @Override
    protected void connectInVain() throws Exception {
        InetSocketAddress unused = VerbsFixture.address(provider);
        provider.connect(unused, SECOND_NS);
    }

    @Override
    protected RegionKey register(ExtentRange range) throws IOException {
        return listener.register(range, Access.READ);
    }

    private RegionKey register(Access access) throws IOException {
        return listener.register(range(), access);
    }

    @Override
    protected void deregister(RegionKey key) throws IOException {
        listener.deregister(key);
    }

    @Override
    protected void stop() throws IOException {
        listener.close();
        provider.close();
    }

    private record End(VerbsLink link, long patienceNs) implements Client {
        @Override
        public void send(ByteBuffer message) throws IOException {
            send(message, patienceNs);
        }

        @Override
        public void send(ByteBuffer message, long timeoutNs) throws IOException {
            link.send(message, timeoutNs);
        }

        @Override
        public @Nullable ByteBuffer receive(long timeoutNs) throws IOException {
            return link.receive(timeoutNs);
        }

        @Override
        public void wakeup() {
            link.wakeup();
        }

        @Override
        public RemoteExtent attach(RegionKey key) throws IOException {
            return link.attach(key);
        }

        @Override
        public void close() throws IOException {
            link.close();
        }
    }

    @Test
    void write_withAReadKey_isNoAccess_andWithAWriteKeyArrives() throws Exception {
        try (VerbsExtent region = link.attach(register(Access.READ))) {
            assertThatThrownBy(() -> region.write(0, ByteBuffer.wrap(new byte[] {1}), SECOND_NS))
                    .asInstanceOf(type(ChannelException.class))
                    .extracting(ChannelException::status)
                    .isEqualTo(TransferStatus.NO_ACCESS);
        }
        try (VerbsExtent region = link.attach(register(Access.READ_WRITE))) {
            byte[] written = "one-sided".getBytes();
            region.write(1000, ByteBuffer.wrap(written), patienceNs());
            ByteBuffer back = ByteBuffer.allocate(written.length);
            region.read(1000, back, patienceNs());
            assertThat(back.array()).isEqualTo(written);
            assertThat(ByteBuffer.wrap(Files.readAllBytes(range().file()), 1000, written.length))
                    .isEqualTo(ByteBuffer.wrap(written));
            assertThatThrownBy(() -> region.write(LENGTH - 1, ByteBuffer.wrap(written), SECOND_NS))
                    .isInstanceOf(ChannelException.class);
            assertThat(Files.size(range().file())).isEqualTo(LENGTH);
        }
    }
}
