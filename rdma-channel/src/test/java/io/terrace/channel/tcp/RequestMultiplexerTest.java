package io.terrace.channel.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.transport.TransferStatus;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Requests and answers of one connection. */
final class RequestMultiplexerTest extends RequestMultiplexerFixture {
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
                return multiplexer.driveUntil(wanted::get, in(TIMEOUT_NS));
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
