package io.terrace.channel.server;

import io.terrace.common.FairQuota;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
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
    private final MetricRegistry metricRegistry;
    private final Map<Long, GrantSession> byNumber = new ConcurrentHashMap<>();
    private final FairQuota<String> connections;
    private long lastNumber;

    GrantSessions(GrantLimits limits, MetricRegistry metricRegistry) {
        this.connections = new FairQuota<>(limits.connections(), limits.connectionsPerUser());
        this.metricRegistry = metricRegistry;
    }

    /** Makes a connection a session; one beyond the limits is closed. */
    void admit(SocketChannel channel, EventLoop turns, long nowNs) throws IOException {
        String taken = null;
        try {
            UnixDomainPrincipal who = channel.getOption(ExtendedSocketOptions.SO_PEERCRED);
            String user = who.user().getName();
            if (!connections.take(user, 1)) {
                metricRegistry.increment(Metric.CHANNEL_CONNECTIONS_REFUSED);
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
                connections.release(taken, 1);
            }
            channel.close();
            throw e;
        }
    }

    void forget(GrantSession session) {
        if (byNumber.remove(session.number) != null) {
            connections.release(session.user, 1);
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
