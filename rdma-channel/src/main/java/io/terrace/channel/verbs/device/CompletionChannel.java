package io.terrace.channel.verbs.device;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaVerbs;
import io.terrace.common.CloseAll;
import java.io.Closeable;
import java.io.IOException;

/**
 * A completion queue and the channel that its events come by. Who only polls has a channel too: libdisni makes no queue
 * without one.
 */
public record CompletionChannel(RdmaVerbs verbs, IbvCompChannel channel, IbvCQ queue) implements Closeable {
    /** @param entries completions that may wait to be polled */
    public static CompletionChannel create(RdmaVerbs verbs, IbvContext device, int entries) throws IOException {
        IbvCompChannel channel = verbs.createCompChannel(device);
        try {
            return new CompletionChannel(verbs, channel, verbs.createCQ(device, channel, entries, 0));
        } catch (IOException | RuntimeException e) {
            int unused = verbs.destroyCompChannel(channel);
            throw e;
        }
    }

    /** After the queue pairs that complete here. */
    @Override
    public void close() throws IOException {
        CloseAll.all(() -> verbs.destroyCQ(queue), () -> verbs.destroyCompChannel(channel));
    }
}
