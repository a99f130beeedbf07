package io.terrace.channel.verbs;

import com.ibm.disni.verbs.IbvMr;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.verbs.rdmacore.AnonymousMemory;
import io.terrace.channel.verbs.rdmacore.MappedRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A range that is mapped and pinned.
 *
 * @param key that whoever was granted the range shows
 * @param sums its checksums, when it has any
 * @param registrations of its bytes, segment by segment, then of its checksums if it has any
 * @param wordIndex of its validity word
 */
record RegisteredRange(
        RegionKey key,
        MappedRange mapping,
        @Nullable AnonymousMemory sums,
        List<IbvMr> registrations,
        int wordIndex,
        Attachment attachment) {
    /** What is registered of it. */
    long bytes() {
        return key.lengthBytes() + (sums == null ? 0 : sums.lengthBytes());
    }
}
