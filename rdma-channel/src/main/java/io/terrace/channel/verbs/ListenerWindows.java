package io.terrace.channel.verbs;

import io.terrace.channel.write.LandingWindow;
import io.terrace.channel.write.LandingWindows;
import io.terrace.common.FairQuota;
import java.io.IOException;

/** Landing windows of one size, registered at a listener while there is memory for them. Thread-safe. */
public final class ListenerWindows implements LandingWindows {
    /**
     * A client has several frames of a megabyte under way, so that its card and the thread that writes the replica work at
     * the same time.
     */
    public static final int WINDOW_BYTES = 4 << 20;

    private final ExtentRegistry extents;
    private final int most;
    private final FairQuota<String> places;

    /** @param extents whose listener they are registered at, while it has one */
    ListenerWindows(ExtentRegistry extents, long mostBytes) {
        this.extents = extents;
        this.most = (int) Math.min(Integer.MAX_VALUE, mostBytes / WINDOW_BYTES);
        this.places = new FairQuota<>(most);
    }

    @Override
    public String where() {
        return extents.where();
    }

    @Override
    public LandingWindow open(String owner) throws IOException {
        if (!places.take(owner, 1)) {
            throw new IOException("all " + most + " windows, or the share of " + owner + ", are in use");
        }
        try {
            return extents.listener().openWindow(WINDOW_BYTES, () -> places.release(owner, 1));
        } catch (IOException | RuntimeException | Error e) {
            places.release(owner, 1);
            throw e;
        }
    }

    /** How many are open. */
    public int count() {
        return (int) (most - places.free());
    }
}
