package io.terrace.datanode.hdfs;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Parts that are closed together, the last one first: whoever serves stops before what it serves from goes. */
final class CloseStack implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(CloseStack.class);

    private final Deque<Closeable> parts = new ArrayDeque<>();

    /** Closes this part before those that were added earlier. */
    <C extends Closeable> C add(C part) {
        parts.push(part);
        return part;
    }

    /** Closes every part; the log has what fails. */
    @Override
    public void close() {
        for (Closeable part = parts.poll(); part != null; part = parts.poll()) {
            try {
                part.close();
            } catch (IOException | RuntimeException | Error e) {
                LOG.warn("{} could not be closed; Terrace closes its other parts", name(part), e);
            }
        }
    }

    /** A lambda is named by the class that made it. */
    private static String name(Closeable part) {
        return part.getClass().getSimpleName();
    }
}
