package io.terrace.channel.server;

import io.terrace.channel.Grant;
import io.terrace.channel.GrantAnswer;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.Message;
import io.terrace.channel.Refusal;
import io.terrace.channel.RefusalReason;
import io.terrace.common.DaemonThreads;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.Closeable;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what clients ask for in their messages, over whatever connection they came. The calls of one client run one
 * at a time in their order, see {@link SerialExecutor}. A grant may wait for a disk, so grants are divided among users, see
 * {@link FairExecutor}, and two more workers carry out everything else. Thread-safe.
 *
 * @param <S> a client's connection
 */
final class GrantDispatcher<S extends GrantDispatcher.Session> implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(GrantDispatcher.class);

    /** Grants that wait for others of the same user. */
    private static final int WAITING = 1024;

    /** Workers that no grant keeps. */
    private static final int PROMPT = 2;

    private static final long IDLE_WORKER_S = 60;

    /** A client's connection, and the calls that its messages ask for. */
    abstract static class Session {
        final SerialExecutor calls;

        Session(Executor workers, int mostCalls) {
            this.calls = new SerialExecutor(workers, this, mostCalls);
        }

        /** Known once the client has said hello. */
        abstract Peer peer();

        /** Sends without waiting; does nothing when the connection is gone. */
        abstract void send(Message message);

        /** Takes no further message until {@link #resumeInput}. On the thread that brings the messages. */
        abstract void pauseInput();

        abstract void resumeInput();

        abstract void close();
    }

    /** Makes and ends the grants of one kind of connection. Calls of one session run one at a time, on workers. */
    interface Grants<S> {
        GrantAnswer grant(S session, GrantRequest request, Principal principal);

        /**
         * The call that any other message asks for; null when nothing is left to do. On the thread that brings it.
         *
         * @throws MalformedMessageException when no client of this kind sends that
         */
        SerialExecutor.@Nullable Call call(S session, Message message) throws MalformedMessageException;

        /** @param orderly whether the client said goodbye */
        void ended(S session, boolean orderly);
    }

    private final String name;
    private final GrantService owner;
    private final Grants<S> grants;
    private final MetricRegistry metricRegistry;
    private final ThreadPoolExecutor workers;
    private final FairExecutor granting;

    /**
     * Nothing is called yet.
     *
     * @param name of the workers' threads
     * @param mostGranting grants that are made at one time
     */
    GrantDispatcher(
            String name, int mostGranting, GrantService owner, Grants<S> grants, MetricRegistry metricRegistry) {
        this.name = name;
        this.owner = owner;
        this.grants = grants;
        this.metricRegistry = metricRegistry;
        this.workers = new ThreadPoolExecutor(
                mostGranting + PROMPT,
                mostGranting + PROMPT,
                IDLE_WORKER_S,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                DaemonThreads.named(name));
        workers.allowCoreThreadTimeOut(true);
        this.granting = new FairExecutor(mostGranting, WAITING, workers);
    }

    /** What a session's {@link SerialExecutor} runs on. */
    Executor workers() {
        return workers;
    }

    /**
     * Takes one message of a client that has said hello.
     *
     * @param messageBytes its length as it came
     * @throws MalformedMessageException when no client sends that to this server
     */
    void received(S session, Message message, int messageBytes) throws MalformedMessageException {
        SerialExecutor.Call call =
                message instanceof Message.Ask ask ? new AskCall(session, ask) : grants.call(session, message);
        if (call != null) {
            session.calls.add(call, messageBytes);
        }
    }

    /**
     * Ends the session's grants after the call that runs now; calls that wait are dropped.
     *
     * @param then runs when all is done, unless that failed
     */
    void ended(S session, boolean orderly, Runnable then) {
        workers.execute(() -> session.calls.end(() -> {
            grants.ended(session, orderly);
            then.run();
        }));
    }

    /** Asks for a grant. Whose it is comes first, since only grants of the same user may keep it waiting. */
    private final class AskCall implements SerialExecutor.Call {
        private final S session;
        private final Message.Ask ask;
        private Principal principal = Principal.UNPROVEN;
        private boolean crowded;

        AskCall(S session, Message.Ask ask) {
            this.session = session;
            this.ask = ask;
        }

        @Override
        public void whenNext(Runnable turn) {
            try {
                principal = owner.holder(session.peer(), ask.request());
            } catch (RuntimeException | Error e) {
                LOG.debug("The grant to {} will fail likewise, and say so", session.peer(), e);
            }
            if (!granting.run(principal, turn)) {
                crowded = true;
                turn.run();
            }
        }

        @Override
        public void run() {
            GrantAnswer answer = answer();
            if (answer instanceof Grant grant) {
                metricRegistry.increment(Metric.CHANNEL_GRANTS);
                session.send(new Message.Granted(ask.requestId(), grant));
            } else {
                metricRegistry.increment(Metric.CHANNEL_GRANTS_REFUSED);
                session.send(new Message.Refused(ask.requestId(), (Refusal) answer));
            }
        }

        private GrantAnswer answer() {
            if (crowded) {
                return new Refusal(RefusalReason.BUSY, "too many grants of the same user wait");
            }
            try {
                return grants.grant(session, ask.request(), principal);
            } catch (RuntimeException | Error e) {
                LOG.error("Cannot grant {} to {}", ask.request(), session.peer(), e);
                return new Refusal(RefusalReason.FAILED, "the DataNode failed; see its log");
            }
        }
    }

    /** Carries out what has come, and nothing more. */
    @Override
    public void close() {
        workers.shutdown();
        try {
            if (!workers.awaitTermination(10, TimeUnit.SECONDS)) {
                LOG.warn("Workers of {} did not end in time", name);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
