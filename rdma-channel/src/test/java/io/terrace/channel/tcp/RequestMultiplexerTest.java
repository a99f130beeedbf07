package io.terrace.channel.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.TransferStatus;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests and answers of one connection; the test is the other side of a pair of sockets. */
final class RequestMultiplexerTest {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int MAX_OPERATIONS = 3;
    private static final long MAX_BYTES = 100;
    private static final byte RESERVED = 8;

    @TempDir
    Path dir;

    private final List<ByteBuffer> messages = new ArrayList<>();
    private final List<ByteBuffer> resident = new ArrayList<>();
    private SocketChannel peer;
    private Selector selector;
    private RequestMultiplexer multiplexer;

    @BeforeEach
    void start() throws IOException {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(dir.resolve("socket"));
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(address);
            channel.connect(address);
            peer = server.accept();
        }
        channel.configureBlocking(false);
        selector = Selector.open();
        channel.register(selector, SelectionKey.OP_READ);
        TcpLimits limits = new TcpLimits(1, 1, 1, MAX_OPERATIONS, MAX_BYTES, 20_000, 300_000);
        multiplexer = new RequestMultiplexer(channel, selector, limits, new RequestMultiplexer.Unasked() {
            @Override
            public void message(ByteBuffer message) {
                messages.add(message);
            }

            @Override
            public void resident(ByteBuffer body) {
                resident.add(ByteBuffer.allocate(body.remaining()).put(body).flip());
            }
        });
    }

    @AfterEach
    void stop() throws IOException {
        multiplexer.close();
        peer.close();
    }

    private static long in(long timeoutNs) {
        return System.nanoTime() + timeoutNs;
    }

    private TcpRequest begin(ByteBuffer target) throws IOException {
        return begin(target, TIMEOUT_NS);
    }

    private TcpRequest begin(ByteBuffer target, long timeoutNs) throws IOException {
        return multiplexer.begin(
                TcpFrame.READ, ByteBuffer.wrap(new byte[] {1, 2}), new BufferSink(target), in(timeoutNs));
    }

    private void await(TcpRequest request) throws IOException {
        multiplexer.await(request, in(TIMEOUT_NS));
    }

    /** The number of the request that comes next. */
    private long asked() throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(TcpFrame.HEADER_BYTES + 2);
        while (frame.hasRemaining()) {
            assertThat(peer.read(frame)).isPositive();
        }
        assertThat(frame.getInt(0)).isEqualTo(2);
        assertThat(frame.get(TcpFrame.TYPE_AT)).isEqualTo(TcpFrame.READ);
        assertThat(frame.get(TcpFrame.HEADER_BYTES + 1)).isEqualTo((byte) 2);
        return frame.getLong(TcpFrame.NUMBER_AT);
    }

    private void say(byte type, TransferStatus status, long number, int... body) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(TcpFrame.HEADER_BYTES + body.length);
        frame.putInt(body.length).put(type).put(TcpFrame.code(status)).putShort((short) 0);
        frame.putLong(number);
        for (int value : body) {
            frame.put((byte) value);
        }
        frame.flip();
        while (frame.hasRemaining()) {
            peer.write(frame);
        }
    }

    private void answer(long number, int... body) throws IOException {
        say(TcpFrame.DATA, TransferStatus.DONE, number, body);
    }

    private static void assertEnds(ThrowingCallable wait, TransferStatus status) {
        assertThatThrownBy(wait)
                .asInstanceOf(type(ChannelException.class))
                .extracting(ChannelException::status)
                .isEqualTo(status);
    }

    private CompletableFuture<Void> inBackground(IoTask task) {
        return CompletableFuture.runAsync(() -> {
            try {
                task.run();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static long threadsThatWaitForRoom() {
        return threadsInBegin("rest");
    }

    private static long threadsInBegin(String method) {
        return Thread.getAllStackTraces().values().stream()
                .filter(stack -> stands(stack, method) && stands(stack, "begin"))
                .count();
    }

    private static boolean stands(StackTraceElement[] stack, String method) {
        return Stream.of(stack).anyMatch(frame -> frame.getMethodName().equals(method));
    }

    private interface IoTask {
        void run() throws IOException;
    }

    @Test
    void answers_inAnotherOrder_landWithTheirOwnRequests() throws Exception {
        ByteBuffer first = ByteBuffer.allocate(2);
        ByteBuffer second = ByteBuffer.allocateDirect(1);
        TcpRequest one = begin(first);
        TcpRequest two = begin(second);
        assertThat(multiplexer.bytesInFlight()).isEqualTo(3);
        long firstNumber = asked();
        answer(asked(), 9);
        answer(firstNumber, 7, 8);
        await(one);
        await(two);
        assertThat(first.array()).containsExactly(7, 8);
        assertThat(second.get(0)).isEqualTo((byte) 9);
        assertThat(multiplexer.bytesInFlight()).isZero();
    }

    @Test
    void answers_areReadByWhicheverThreadWaits_forTheOtherToo() throws Exception {
        ByteBuffer first = ByteBuffer.allocate(1);
        ByteBuffer second = ByteBuffer.allocate(1);
        TcpRequest one = begin(first);
        TcpRequest two = begin(second);
        CompletableFuture<Void> other = inBackground(() -> await(two));
        CompletableFuture<Void> another = inBackground(() -> await(one));
        long firstNumber = asked();
        answer(asked(), 5);
        other.get(20, TimeUnit.SECONDS);
        assertThat(another).isNotDone();
        answer(firstNumber, 4);
        another.get(20, TimeUnit.SECONDS);
        assertThat(first.get(0)).isEqualTo((byte) 4);
        assertThat(second.get(0)).isEqualTo((byte) 5);
    }

    @Test
    void answer_ofAnotherStatus_endsItsRequestOnly() throws Exception {
        TcpRequest refused = begin(ByteBuffer.allocate(4));
        say(TcpFrame.DATA, TransferStatus.NO_ACCESS, asked());
        assertEnds(() -> await(refused), TransferStatus.NO_ACCESS);
        TcpRequest next = begin(ByteBuffer.allocate(1));
        answer(asked(), 1);
        await(next);
        assertThat(multiplexer.failure()).isNull();
    }

    @Test
    void answer_ofARequestThatWasGivenUp_isPassedOver_andLeavesItsBufferAlone() throws Exception {
        ByteBuffer target = ByteBuffer.allocate(2);
        TcpRequest given = begin(target);
        multiplexer.end(given);
        assertThat(multiplexer.bytesInFlight()).isZero();
        long number = asked();
        ByteBuffer nextTarget = ByteBuffer.allocate(1);
        TcpRequest next = begin(nextTarget);
        answer(number, 1, 2);
        answer(asked(), 3);
        await(next);
        assertThat(target.array()).containsOnly(0);
        assertThat(nextTarget.array()).containsExactly(3);
        assertEnds(() -> await(given), TransferStatus.DEADLINE);
    }

    @Test
    void begin_beyondTheRequestsInFlight_waitsForRoom_orEndsAtItsDeadline() throws Exception {
        for (int i = 0; i < MAX_OPERATIONS; i++) {
            TcpRequest unused = begin(ByteBuffer.allocate(1));
        }
        assertEnds(() -> begin(ByteBuffer.allocate(1), SHORT_NS), TransferStatus.DEADLINE);
        assertThat(multiplexer.failure())
                .as("one that was not sent says nothing of the other side")
                .isNull();
        assertThat(multiplexer.beginIfRoom(
                        TcpFrame.READ,
                        ByteBuffer.wrap(new byte[] {1, 2}),
                        new BufferSink(ByteBuffer.allocate(1)),
                        in(TIMEOUT_NS)))
                .isNull();
        answer(asked(), 1);
        // Reads the answer, which makes room.
        TcpRequest last = begin(ByteBuffer.allocate(1));
        for (int i = 1; i < MAX_OPERATIONS; i++) {
            answer(asked(), 1);
        }
        answer(asked(), 1);
        await(last);
    }

    @Test
    void begin_whileAnotherThreadReads_isWokenWhenThereIsRoom() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> reader = inBackground(() -> multiplexer.driveUntil(over::get, in(TIMEOUT_NS), null));
        List<CompletableFuture<Void>> others = new ArrayList<>();
        for (int i = 0; i < MAX_OPERATIONS; i++) {
            TcpRequest request = begin(ByteBuffer.allocate(1));
            others.add(inBackground(() -> await(request)));
        }
        List<CompletableFuture<Void>> next = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            next.add(inBackground(() -> {
                TcpRequest unused = begin(ByteBuffer.allocate(1));
            }));
        }
        Awaitility.await().until(() -> threadsThatWaitForRoom() == next.size());
        for (int i = 0; i < MAX_OPERATIONS; i++) {
            answer(asked(), 1);
        }
        for (CompletableFuture<Void> each : next) {
            each.get(10, TimeUnit.SECONDS);
        }
        for (CompletableFuture<Void> each : others) {
            each.get(10, TimeUnit.SECONDS);
        }
        assertThat(reader).isNotDone();
        over.set(true);
        multiplexer.wakeup();
        reader.get(20, TimeUnit.SECONDS);
    }

    @Test
    void begin_thatReadsTheSocketItself_isWokenWhenAnotherThreadGivesUp() throws Exception {
        List<TcpRequest> others = new ArrayList<>();
        for (int i = 0; i < MAX_OPERATIONS; i++) {
            others.add(begin(ByteBuffer.allocate(1)));
        }
        CompletableFuture<Void> next = inBackground(() -> {
            TcpRequest unused = begin(ByteBuffer.allocate(1));
        });
        Awaitility.await().until(() -> threadsInBegin("select") == 1);
        multiplexer.end(others.get(0));
        next.get(10, TimeUnit.SECONDS);
    }

    /** The head of the queue gives up its place, and the next one is the thread that reads. */
    @Test
    void begin_behindAnotherThatWaits_isWokenWhenThatIsServed() throws Exception {
        List<TcpRequest> others = new ArrayList<>();
        for (int i = 0; i < MAX_OPERATIONS; i++) {
            others.add(begin(ByteBuffer.allocate(1)));
        }
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> reader = inBackground(() -> multiplexer.driveUntil(over::get, in(TIMEOUT_NS), null));
        List<CompletableFuture<Void>> next = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            next.add(inBackground(() -> {
                TcpRequest unused = begin(ByteBuffer.allocate(1));
            }));
            Awaitility.await().until(() -> threadsThatWaitForRoom() == next.size());
        }
        over.set(true);
        multiplexer.wakeup();
        reader.get(10, TimeUnit.SECONDS);
        Awaitility.await().until(() -> threadsInBegin("select") == 1);
        multiplexer.end(others.get(0));
        multiplexer.end(others.get(1));
        for (CompletableFuture<Void> each : next) {
            each.get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void begin_beyondTheBytesInFlight_isRefused_unlessItIsAlone() throws Exception {
        TcpRequest large = begin(ByteBuffer.allocate((int) MAX_BYTES + 1));
        assertEnds(() -> begin(ByteBuffer.allocate(1), SHORT_NS), TransferStatus.DEADLINE);
        assertEnds(() -> begin(ByteBuffer.allocate(1), 0), TransferStatus.DEADLINE);
        multiplexer.end(large);
        TcpRequest unused = begin(ByteBuffer.allocate((int) MAX_BYTES));
        TcpRequest unusedToo = begin(ByteBuffer.allocate(0));
    }

    @Test
    void end_ofTheOtherSide_leavesNoDescriptorOpen() throws Exception {
        TcpRequest waited = begin(ByteBuffer.allocate(1));
        peer.close();
        assertEnds(() -> await(waited), TransferStatus.DISCONNECTED);
        assertThat(selector.isOpen()).isFalse();
    }

    @Test
    void deadline_withoutASingleByte_endsTheConnection() throws Exception {
        TcpRequest silent = begin(ByteBuffer.allocate(1));
        TcpRequest other = begin(ByteBuffer.allocate(1));
        assertEnds(() -> multiplexer.await(silent, in(SHORT_NS)), TransferStatus.DEADLINE);
        assertThat(multiplexer.failure()).isInstanceOf(SocketTimeoutException.class);
        assertEnds(() -> await(other), TransferStatus.DISCONNECTED);
    }

    @Test
    void deadline_afterSomethingWasHeard_endsTheRequestOnly() throws Exception {
        TcpRequest late = begin(ByteBuffer.allocate(1));
        say(TcpFrame.MESSAGE, TransferStatus.DONE, 0, 6);
        assertEnds(() -> multiplexer.await(late, in(SHORT_NS)), TransferStatus.DEADLINE);
        assertThat(multiplexer.failure()).isNull();
        assertThat(messages).containsExactly(ByteBuffer.wrap(new byte[] {6}));
    }

    @Test
    void deadline_thatPassedWhileTheAnswerLayUnread_takesTheAnswer() throws Exception {
        TcpRequest stoodStill = begin(ByteBuffer.allocate(1));
        answer(asked(), 1);
        multiplexer.await(stoodStill, in(-1));
        assertThat(multiplexer.failure()).isNull();
    }

    @Test
    void pollInput_takesWhatArrived_withoutWaiting() throws Exception {
        multiplexer.pollInput();
        assertThat(messages).isEmpty();
        say(TcpFrame.MESSAGE, TransferStatus.DONE, 0, 1, 2);
        say(TcpFrame.RESIDENT, TransferStatus.DONE, 0, 3);
        multiplexer.pollInput();
        assertThat(messages).containsExactly(ByteBuffer.wrap(new byte[] {1, 2}));
        assertThat(resident).containsExactly(ByteBuffer.wrap(new byte[] {3}));
    }

    @Test
    void wakeup_letsAWaitingThreadLookAgain() throws Exception {
        AtomicBoolean wanted = new AtomicBoolean();
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return multiplexer.driveUntil(wanted::get, in(TIMEOUT_NS), null);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        wanted.set(true);
        multiplexer.wakeup();
        assertThat(waiting.get(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void interrupt_ofOneThread_leavesTheConnectionToOthers() throws Exception {
        TcpRequest mine = begin(ByteBuffer.allocate(1));
        TcpRequest others = begin(ByteBuffer.allocate(1));
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> await(mine)).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(multiplexer.failure()).isNull();
        answer(asked(), 1);
        answer(asked(), 2);
        await(others);
    }

    @Test
    void peerThatGoes_endsAllThatWait_andNothingBegins() throws Exception {
        TcpRequest one = begin(ByteBuffer.allocate(1));
        TcpRequest two = begin(ByteBuffer.allocate(1));
        CompletableFuture<Void> waiting = inBackground(() -> await(one));
        // What nobody has read turns the end into a reset.
        long unused = asked() + asked();
        peer.close();
        assertEnds(() -> await(two), TransferStatus.DISCONNECTED);
        assertThatThrownBy(() -> waiting.get(20, TimeUnit.SECONDS)).hasRootCauseInstanceOf(EOFException.class);
        assertThat(multiplexer.failure()).isInstanceOf(EOFException.class);
        assertEnds(() -> begin(ByteBuffer.allocate(1)), TransferStatus.DISCONNECTED);
    }

    @Test
    void close_endsWhoWaits() throws Exception {
        TcpRequest request = begin(ByteBuffer.allocate(1));
        CompletableFuture<Void> waiting = inBackground(() -> await(request));
        multiplexer.close();
        assertThatThrownBy(() -> waiting.get(20, TimeUnit.SECONDS))
                .rootCause()
                .isInstanceOf(EOFException.class)
                .hasMessage("closed");
    }

    @Test
    void answer_ofAnotherLengthThanWasDue_endsTheConnection() throws Exception {
        TcpRequest request = begin(ByteBuffer.allocate(2));
        answer(asked(), 1, 2, 3);
        assertEnds(() -> await(request), TransferStatus.DISCONNECTED);
        assertThat(multiplexer.failure())
                .isInstanceOf(MalformedMessageException.class)
                .hasMessage("an answer of 3 bytes where 2 were due");
    }

    @Test
    void answer_ofAReservedType_endsTheConnection() throws Exception {
        TcpRequest request = begin(ByteBuffer.allocate(0));
        say(RESERVED, TransferStatus.DONE, asked());
        assertEnds(() -> await(request), TransferStatus.DISCONNECTED);
        assertThat(multiplexer.failure()).hasMessage("an answer of type 8");
    }
}
