package io.terrace.channel.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EventLoopTest {

    /** Writes down what is done, and fails with an Error where it is told to. */
    private static final class Recorded implements EventLoop.Steps {
        final List<String> done = new ArrayList<>();
        final Set<String> fails = new HashSet<>();

        private void step(String what) {
            done.add(what);
            if (fails.contains(what)) {
                throw new AssertionError("as was wanted");
            }
        }

        @Override
        public void serve(SelectionKey key, long nowNs) throws IOException {
            ((Pipe.SourceChannel) key.channel()).read(ByteBuffer.allocate(10));
            step("serve " + key.attachment());
        }

        @Override
        public void failed(SelectionKey key, Throwable why) {
            key.cancel();
            step("failed " + key.attachment());
        }

        @Override
        public void sweep(long nowNs) {
            step("sweep");
        }
    }

    private final Recorded steps = new Recorded();
    private final List<Pipe> pipes = new ArrayList<>();
    private EventLoop loop;

    @BeforeEach
    void open() throws IOException {
        loop = new EventLoop(steps);
    }

    @AfterEach
    void close() throws IOException {
        loop.close();
        for (Pipe pipe : pipes) {
            pipe.sink().close();
            pipe.source().close();
        }
    }

    private SelectionKey ready(String name) throws IOException {
        Pipe pipe = Pipe.open();
        pipes.add(pipe);
        pipe.source().configureBlocking(false);
        assertThat(pipe.sink().write(ByteBuffer.allocate(1))).isEqualTo(1);
        return loop.watch(pipe.source(), SelectionKey.OP_READ, name);
    }

    @Test
    void anError_endsTheChannelItWasAbout_andNoOther() throws IOException {
        SelectionKey unlucky = ready("unlucky");
        SelectionKey other = ready("other");
        steps.fails.add("serve unlucky");
        loop.turn();
        assertThat(steps.done).contains("serve unlucky", "failed unlucky", "serve other", "sweep");
        assertThat(unlucky.isValid()).isFalse();
        assertThat(other.isValid()).isTrue();
    }

    @Test
    void anError_inWhatOthersWantDone_endsItsChannelOnly() throws IOException {
        SelectionKey unlucky = ready("unlucky");
        SelectionKey other = ready("other");
        loop.add(unlucky, () -> {
            throw new AssertionError("as was wanted");
        });
        loop.add(other, () -> steps.done.add("added"));
        loop.turn();
        assertThat(steps.done)
                .contains("failed unlucky", "added", "serve other")
                .doesNotContain("failed other");
    }

    @Test
    void anError_whileAChannelIsEnded_orInTheSweep_endsNoTurn() throws IOException {
        SelectionKey unlucky = ready("unlucky");
        steps.fails.add("serve unlucky");
        steps.fails.add("failed unlucky");
        steps.fails.add("sweep");
        loop.turn();
        assertThat(unlucky.isValid()).isFalse();
        steps.done.clear();
        ready("other");
        loop.turn();
        assertThat(steps.done).contains("serve other");
    }

    @Test
    void workThatAddsWork_keepsNobodyFromTheChannels() throws IOException {
        SelectionKey greedy = ready("greedy");
        EventLoop.Step[] more = new EventLoop.Step[1];
        more[0] = () -> loop.add(greedy, more[0]);
        loop.add(greedy, more[0]);
        loop.turn();
        assertThat(steps.done).contains("serve greedy", "sweep");
    }
}
