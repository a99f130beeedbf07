package io.terrace.channel;

import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of a {@link GrantServer} until the owner was told of their end: what the limits count. They come and go on the
 * server's selector thread; any thread may look.
 */
final class GrantSessions {
    private final Figures figures;
    private final Map<Long, GrantSession> byNumber = new ConcurrentHashMap<>();
    private final Places<String> places;
    private long lastNumber;

    GrantSessions(GrantLimits limits, Figures figures) {
        this.places = new Places<>(limits.connections(), limits.connectionsPerUser());
        this.figures = figures;
    }

    /** Makes a connection a session; one beyond the limits is closed. */
    void admit(SocketChannel channel, SelectorTurns turns, long nowNs) throws IOException {
        String taken = null;
        try {
            UnixDomainPrincipal who = channel.getOption(ExtendedSocketOptions.SO_PEERCRED);
            String user = who.user().getName();
            if (!places.take(user)) {
                figures.increment(Figure.CHANNEL_CONNECTIONS_REFUSED);
                channel.close();
                return;
            }
            taken = user;
            channel.configureBlocking(false);
            SelectionKey key = turns.watch(channel, SelectionKey.OP_READ, null);
            GrantSession session =
                    new GrantSession(++lastNumber, user, who.group().getName(), channel, key, nowNs);
            key.attach(session);
            byNumber.put(session.number, session);
        } catch (IOException | RuntimeException | Error e) {
            if (taken != null) {
                places.giveBack(taken);
            }
            channel.close();
            throw e;
        }
    }

    void forget(GrantSession session) {
        if (byNumber.remove(session.number) != null) {
            places.giveBack(session.user);
        }
    }

    @Nullable
    GrantSession find(long number) {
        return byNumber.get(number);
    }

    Collection<GrantSession> all() {
        return byNumber.values();
    }

    int size() {
        return byNumber.size();
    }
}
