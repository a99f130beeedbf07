package io.terrace.channel.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.transport.TransferStatus;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** When another request may be in flight, and who is woken then. */
final class RequestsInFlightTest extends RequestMultiplexerFixture {
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
        CompletableFuture<Void> reader = inBackground(() -> multiplexer.driveUntil(over::get, in(TIMEOUT_NS)));
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
        CompletableFuture<Void> reader = inBackground(() -> multiplexer.driveUntil(over::get, in(TIMEOUT_NS)));
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
}
