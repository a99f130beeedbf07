package io.terrace.client;

import io.terrace.common.RetryPause;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What became of links to the sockets of a channel directory. A DataNode that is down leaves its socket behind, and one that
 * refuses a client refuses it again: such a socket is left alone for a pause that doubles up to a minute, or until a DataNode
 * makes it anew. One that stood still goes on with the same socket, so the pause is some seconds at most then. Used under the lock of scans.
 */
final class LinkAttempts {
    private static final Logger LOG = LoggerFactory.getLogger(LinkAttempts.class);
    private static final long LONGEST_PAUSE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long LONGEST_OF_SILENT_NS = TimeUnit.SECONDS.toNanos(8);
    private static final int MOST_SAID = 8;
    private static final FileTime GONE = FileTime.fromMillis(0);

    private final long firstPauseNs;

    /** Of sockets to which no link was welcomed since; as many as the directory has. */
    private final Map<Path, Attempt> failed = new HashMap<>();

    private static final class Attempt {
        private final RetryPause pause;
        private final FileTime madeAt;

        /** Each reason is logged once. A refusal has several, by how far the client was with its greeting. */
        private final Set<String> said = new HashSet<>();

        Attempt(RetryPause pause, FileTime madeAt) {
            this.pause = pause;
            this.madeAt = madeAt;
        }
    }

    LinkAttempts(long firstPauseNs) {
        this.firstPauseNs = firstPauseNs;
    }

    /** Forgets those that are not there any more. */
    void retain(Collection<Path> sockets) {
        failed.keySet().retainAll(sockets);
    }

    /** Whether a link to the socket is worth a try. */
    boolean mayTry(Path socket, long nowNs) {
        Attempt last = failed.get(socket);
        return last == null || last.pause.isOver(nowNs) || !last.madeAt.equals(madeAt(socket));
    }

    /**
     * A link has ended.
     *
     * @param fault why no DataNode welcomed it; null where one did
     */
    void ended(Path socket, @Nullable Fault fault, long nowNs) {
        if (fault == null) {
            failed.remove(socket);
            return;
        }
        FileTime madeAt = madeAt(socket);
        Attempt attempt = failed.get(socket);
        if (attempt == null || !attempt.madeAt.equals(madeAt)) {
            attempt = new Attempt(new RetryPause(firstPauseNs, Math.max(firstPauseNs, LONGEST_PAUSE_NS)), madeAt);
            failed.put(socket, attempt);
        }
        boolean unused = attempt.pause.failed(
                nowNs, Math.max(firstPauseNs, fault.kind() == Kind.SILENT ? LONGEST_OF_SILENT_NS : LONGEST_PAUSE_NS));
        if (fault.kind() != Kind.DOWN && attempt.said.size() < MOST_SAID && attempt.said.add(fault.why())) {
            LOG.info("Nothing is read from the memory of the DataNode at {} for now: {}", socket, fault.why());
        }
    }

    enum Kind {
        /** Nobody listens at a socket that a dead process has left, as the operator knows. */
        DOWN,
        /** Somebody listens, and does not answer in time. */
        SILENT,
        REFUSED
    }

    /** Why no DataNode welcomed a link. */
    record Fault(String why, Kind kind) {

        static Fault of(Exception e) {
            Kind kind = e instanceof ConnectException ? Kind.DOWN : Kind.REFUSED;
            return new Fault(e.toString(), e instanceof SocketTimeoutException ? Kind.SILENT : kind);
        }
    }

    private static FileTime madeAt(Path socket) {
        try {
            return Files.getLastModifiedTime(socket, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            return GONE;
        }
    }
}
