package io.terrace.channel.verbs.device;

import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCReqNotify;
import io.terrace.common.AgentThread;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Polls the completions of many connections on one thread, which spins for a short while before it waits for the device. */
public final class CompletionAgent {
    private static final Logger LOG = LoggerFactory.getLogger(CompletionAgent.class);

    /** What is done with them, on this thread. */
    public interface Handler {
        /** A request is complete; the object is used again afterwards. */
        void completed(IbvWC completion);

        /** Now and then. */
        void look(long nowNs);
    }

    static final int LOOK_MS = 100;

    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(LOOK_MS);
    private static final int POLLED = 32;
    private static final int SPINS = 100;

    private final RdmaVerbs verbs;
    private final CompletionChannel queue;
    private final Handler handler;
    private final IbvWC[] polled = new IbvWC[POLLED];
    private final SVCPollCq poll;
    private final SVCReqNotify notify;
    private final AgentThread thread;
    private int idle;
    private long lookedNs = System.nanoTime();

    public CompletionAgent(RdmaVerbs verbs, CompletionChannel queue, Handler handler, String name) throws IOException {
        this.verbs = verbs;
        this.queue = queue;
        this.handler = handler;
        for (int i = 0; i < POLLED; i++) {
            polled[i] = new IbvWC();
        }
        this.poll = verbs.pollCQ(queue.queue(), polled, POLLED);
        this.notify = verbs.reqNotifyCQ(queue.queue(), false);
        this.thread = new AgentThread(name, this::turn, 0, System::nanoTime);
    }

    public void start() {
        thread.start();
    }

    /** Returns when it takes nothing any more, also to who is interrupted: the native queue is destroyed then. */
    public void close() {
        thread.closeUninterruptibly();
    }

    private int turn(long startNs) throws IOException {
        if (take() > 0) {
            idle = 0;
        } else if (++idle < SPINS) {
            Thread.onSpinWait();
        } else {
            idle = 0;
            // Poll once more after asking for an event: a completion in between raises none.
            notify.execute();
            if (take() == 0 && verbs.getCqEvent(queue.channel(), queue.queue(), LOOK_MS)) {
                verbs.ackCqEvents(queue.queue(), 1);
            }
        }
        long nowNs = System.nanoTime();
        if (nowNs - lookedNs >= LOOK_NS) {
            lookedNs = nowNs;
            handler.look(nowNs);
        }
        return 1;
    }

    private int take() throws IOException {
        int taken = poll.execute().getPolls();
        for (int i = 0; i < taken; i++) {
            try {
                handler.completed(polled[i]);
            } catch (RuntimeException | Error e) {
                // The completions behind it belong to others.
                log(e);
            }
        }
        return taken;
    }

    private static void log(Throwable why) {
        try {
            LOG.error("Lost a completion", why);
        } catch (RuntimeException | Error e) {
            // Without memory the log may fail too.
            why.addSuppressed(e);
        }
    }
}
