package io.terrace.datanode.write;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.LandingWindow;
import io.terrace.channel.write.LandingWindows;
import io.terrace.channel.write.WindowFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The landing window of one connection: offered first, registered when the client asks for it. One thread. */
final class SessionWindow {
    private static final Logger LOG = LoggerFactory.getLogger(SessionWindow.class);

    private final FrameChannel frames;
    private final LandingWindows windows;
    private final WriteMeter meter;
    private final String owner;
    private final boolean wanted;
    private boolean offered;
    private boolean allowed;

    /**
     * Offers nothing yet.
     *
     * @param owner host of the client
     * @param wanted whether the client takes an offer
     */
    SessionWindow(FrameChannel frames, LandingWindows windows, String owner, boolean wanted, WriteMeter meter) {
        this.frames = frames;
        this.owner = owner;
        this.windows = windows;
        this.wanted = wanted;
        this.meter = meter;
    }

    /** To be called before anything else is sent. */
    void offer() throws IOException {
        String where = wanted ? windows.where() : "";
        if (!where.isEmpty()) {
            offered = true;
            frames.send(WindowFrame.offer(where));
        }
    }

    /** The client's token for a block was valid. */
    void blockOpened() {
        allowed = true;
    }

    /** Registers a window, and returns the frame that tells the client of it, or that there is none for it. */
    ByteBuffer open() throws IOException {
        if (!offered) {
            throw new MalformedMessageException("a wish for a window that was not offered");
        }
        if (!allowed) {
            // It pins 4 MB. Clients ask once they have written a megabyte.
            throw new MalformedMessageException("a wish for a window before a block was opened");
        }
        offered = false;
        LandingWindow window = register();
        if (window == null) {
            return WindowFrame.answer(null);
        }
        frames.landIn(window);
        return WindowFrame.answer(window.key());
    }

    private @Nullable LandingWindow register() {
        try {
            return windows.open(owner);
        } catch (IOException e) {
            meter.windowRefused();
            LOG.debug("A client writes over tcp only", e);
            return null;
        }
    }
}
