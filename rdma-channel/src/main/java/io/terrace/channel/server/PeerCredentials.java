package io.terrace.channel.server;

import io.terrace.common.DaemonThreads;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Learns from the kernel whose a connection is ({@code SO_PEERCRED}), on threads of its own: the JDK asks for the name of the
 * user along with it (getpwuid), so NSS, and an LDAP server that may take seconds. The connections that wait for that are
 * bounded. Thread-safe.
 */
final class PeerCredentials implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(PeerCredentials.class);

    /** One name that takes long keeps no other client waiting. */
    private static final int THREADS = 4;

    private static final long KEPT_S = 10;

    /** Asks the operating system; may take long. */
    interface Source {
        UnixDomainPrincipal of(SocketChannel channel) throws IOException;
    }

    /** Told who it is, on one of the threads. */
    interface Handler {
        void known(SocketChannel channel, UnixDomainPrincipal who);
    }

    private final Source source;
    private final Handler handler;
    private final ThreadPoolExecutor threads;

    /** Until {@link #take}. */
    private final Set<SocketChannel> waiting = ConcurrentHashMap.newKeySet();

    PeerCredentials(String threadName, int most, Handler handler) {
        this(
                DaemonThreads.named(threadName),
                most,
                channel -> channel.getOption(ExtendedSocketOptions.SO_PEERCRED),
                handler);
    }

    PeerCredentials(ThreadFactory threadFactory, int most, Source source, Handler handler) {
        this.source = source;
        this.handler = handler;
        this.threads = new ThreadPoolExecutor(
                THREADS, THREADS, KEPT_S, TimeUnit.SECONDS, new ArrayBlockingQueue<>(most), threadFactory);
        threads.allowCoreThreadTimeOut(true);
    }

    /** Returns false when it cannot be asked now, as where too many wait: the channel is the caller's to close then. Does not block. */
    boolean ask(SocketChannel channel) {
        waiting.add(channel);
        try {
            threads.execute(() -> look(channel));
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // Too many wait, or the process is out of threads for a while.
            waiting.remove(channel);
            return false;
        }
    }

    /** Whether the channel still waits; it is the caller's from now on. */
    boolean take(SocketChannel channel) {
        return waiting.remove(channel);
    }

    private void look(SocketChannel channel) {
        try {
            handler.known(channel, source.of(channel));
        } catch (IOException | RuntimeException | Error e) {
            LOG.debug("A client whose user is not known is not served", e);
            close(channel);
        }
    }

    private void close(SocketChannel channel) {
        if (take(channel)) {
            try {
                channel.close();
            } catch (IOException e) {
                LOG.debug("Closing the connection of a client", e);
            }
        }
    }

    /** Closes the connections that still wait. */
    @Override
    public void close() {
        var unused = threads.shutdownNow();
        waiting.forEach(this::close);
    }
}
