package io.terrace.channel.verbs;

import io.terrace.channel.write.LandingWindow;
import io.terrace.channel.write.LandingWindows;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/** Landing windows of one size, registered at a listener while there is memory for them. Thread-safe. */
public final class ListenerWindows implements LandingWindows {
    /**
     * A client has several frames of a megabyte under way, so that its card and the thread that writes the replica work at
     * the same time.
     */
    public static final int WINDOW_BYTES = 4 << 20;

    private final VerbsListener listener;
    private final String where;
    private final int most;
    private final AtomicInteger open = new AtomicInteger();

    ListenerWindows(VerbsListener listener, String where, long mostBytes) {
        this.listener = listener;
        this.where = where;
        this.most = (int) Math.min(Integer.MAX_VALUE, mostBytes / WINDOW_BYTES);
    }

    @Override
    public String where() {
        return where;
    }

    @Override
    public LandingWindow open() throws IOException {
        if (open.incrementAndGet() > most) {
            open.decrementAndGet();
            throw new IOException("all " + most + " windows are in use");
        }
        try {
            return listener.openWindow(WINDOW_BYTES, open::decrementAndGet);
        } catch (IOException | RuntimeException | Error e) {
            open.decrementAndGet();
            throw e;
        }
    }

    /** How many are open. */
    public int count() {
        return open.get();
    }
}
