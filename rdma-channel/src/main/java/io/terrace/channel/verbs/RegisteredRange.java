package io.terrace.channel.verbs;

import com.ibm.disni.verbs.IbvMr;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.verbs.rdmacore.AnonymousMemory;
import java.io.Closeable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A range of memory that is pinned.
 *
 * @param key that whoever was granted the range shows
 * @param memory to be unmapped once it is deregistered
 * @param sums its checksums, when it has any
 * @param registrations of its bytes, segment by segment, then of its checksums if it has any
 * @param wordIndex of its validity word
 */
record RegisteredRange(
        RegionKey key,
        Closeable memory,
        @Nullable AnonymousMemory sums,
        List<IbvMr> registrations,
        int wordIndex,
        Attachment attachment) {
    /** What is registered of it. */
    long bytes() {
        return key.lengthBytes() + (sums == null ? 0 : sums.lengthBytes());
    }
}
