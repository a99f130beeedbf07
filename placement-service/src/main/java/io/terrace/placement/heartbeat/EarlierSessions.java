package io.terrace.placement.heartbeat;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which heartbeats were taken of DataNodes that have not reported since the loop broke. A heartbeat that comes late would be
 * taken for the first of its DataNode otherwise, and what it says of the copies believed. Owned by the engine's thread.
 */
public final class EarlierSessions {

    /** The oldest are forgotten beyond. */
    private static final int MOST = 10_000;

    private final Map<String, HeartbeatSession> sessions = new LinkedHashMap<>();

    public void addAll(EarlierSessions others) {
        others.sessions.forEach(this::add);
    }

    /** What is known of the DataNode of that UUID is about to be dropped. */
    public void add(String uuid, HeartbeatSession session) {
        HeartbeatSession kept = new HeartbeatSession();
        kept.follow(session);
        sessions.remove(uuid);
        sessions.put(uuid, kept);
        if (sessions.size() > MOST) {
            sessions.remove(sessions.keySet().iterator().next());
        }
    }

    /** The DataNode of that UUID is known again, with this session. */
    public void goOnIn(String uuid, HeartbeatSession session) {
        HeartbeatSession earlier = sessions.remove(uuid);
        if (earlier != null) {
            session.follow(earlier);
        }
    }
}
