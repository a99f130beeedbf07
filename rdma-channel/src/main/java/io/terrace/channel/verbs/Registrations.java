package io.terrace.channel.verbs;

import com.ibm.disni.verbs.IbvMr;
import io.terrace.channel.Access;
import io.terrace.channel.Range;
import io.terrace.channel.RegionKey;
import io.terrace.channel.tcp.ChecksumKind;
import io.terrace.channel.tcp.Checksums;
import io.terrace.channel.verbs.rdmacore.MappedRange;
import io.terrace.channel.verbs.rdmacore.NativeMemory;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Maps ranges and registers them with the device, segment by segment, and takes that back. The device's keys and the
 * addresses of what is no more rest for a while, so that a late operation meets nothing that has come in its place. Guarded
 * by the {@link RangeBook}'s lock.
 */
final class Registrations {
    static final long REST_NS = TimeUnit.SECONDS.toNanos(5);

    private static final int KEY_TRIES = 8;

    private record RestingMapping(MappedRange mapping, long untilNs) {}

    private final Domain domain;
    private final ValidityWords words;
    private final IbvMr wordsRegistration;
    private final SecureRandom random = new SecureRandom();
    private final RestingKeys restingKeys = new RestingKeys(REST_NS);
    private final Deque<RestingMapping> restingMappings = new ArrayDeque<>();

    Registrations(Domain domain, ValidityWords words) throws IOException {
        this.domain = domain;
        this.words = words;
        NativeMemory memory = words.memory();
        this.wordsRegistration = domain.register(
                memory.address(),
                memory.bytes().capacity(),
                IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_READ);
    }

    /**
     * Maps and registers a range; nothing is left of it when that fails.
     *
     * @param word index of its validity word
     */
    RegisteredRange add(Range range, Access access, Checksums checksums, int word) throws IOException {
        MappedRange mapping = MappedRange.of(range.file(), range.lengthBytes());
        List<IbvMr> made = new ArrayList<>();
        try {
            int[] keys = registerSegments(mapping, range.lengthBytes(), access, made);
            NativeMemory sums = null;
            long sumsAddress = 0;
            int sumsKey = 0;
            if (checksums.kind() != ChecksumKind.NONE) {
                sums = NativeMemory.allocate(Math.max(1, checksums.sums().length));
                sums.bytes().put(0, checksums.sums());
                made.add(rested(sums.address(), sums.bytes().capacity(), IbvMr.IBV_ACCESS_REMOTE_READ));
                sumsAddress = sums.address();
                sumsKey = made.get(made.size() - 1).getRkey();
            }
            RegionKey key =
                    new RegionKey(random.nextLong(), random.nextLong(), range.address(), range.lengthBytes(), access);
            Attachment attachment = new Attachment(
                    mapping.address(),
                    keys,
                    words.address(word),
                    wordsRegistration.getRkey(),
                    words.live(word),
                    checksums.kind(),
                    checksums.chunkBytes(),
                    sumsAddress,
                    sumsKey);
            return new RegisteredRange(key, range.file(), mapping, sums, made, word, attachment);
        } catch (IOException | RuntimeException e) {
            for (IbvMr registration : made) {
                domain.deregister(registration);
            }
            mapping.close();
            throw e;
        }
    }

    /** Deregisters a range; its keys and its address rest from now on. */
    void remove(RegisteredRange range, long nowNs) throws IOException {
        for (IbvMr registration : range.registrations()) {
            restingKeys.add(registration.getRkey(), nowNs);
            domain.deregister(registration);
        }
        restingMappings.add(new RestingMapping(range.mapping(), nowNs + REST_NS));
        endRest(nowNs);
    }

    /** Unmaps what has rested. */
    void endRest(long nowNs) throws IOException {
        for (RestingMapping first = restingMappings.peek();
                first != null && first.untilNs - nowNs <= 0;
                first = restingMappings.peek()) {
            restingMappings.remove();
            first.mapping.close();
        }
    }

    /** After all ranges have been removed, and all connections have been closed. */
    void close() throws IOException {
        endRest(System.nanoTime() + REST_NS);
        domain.deregister(wordsRegistration);
    }

    private int[] registerSegments(MappedRange mapping, long lengthBytes, Access access, List<IbvMr> made)
            throws IOException {
        int rights = IbvMr.IBV_ACCESS_REMOTE_READ
                | (access == Access.READ ? 0 : IbvMr.IBV_ACCESS_REMOTE_WRITE | IbvMr.IBV_ACCESS_LOCAL_WRITE)
                | domain.paging().right(access);
        int[] keys = new int[Attachment.segments(lengthBytes)];
        for (int i = 0; i < keys.length; i++) {
            long at = (long) i * Attachment.SEGMENT_BYTES;
            int bytes = (int) Math.max(1, Math.min(Attachment.SEGMENT_BYTES, lengthBytes - at));
            IbvMr registration = rested(mapping.address() + at, bytes, rights);
            made.add(registration);
            keys[i] = registration.getRkey();
        }
        return keys;
    }

    /** A registration whose key nobody has had lately. */
    private IbvMr rested(long address, int bytes, int rights) throws IOException {
        List<IbvMr> passedOver = new ArrayList<>();
        try {
            IbvMr registration = domain.register(address, bytes, rights);
            while (restingKeys.rests(registration.getRkey(), System.nanoTime()) && passedOver.size() < KEY_TRIES) {
                passedOver.add(registration);
                registration = domain.register(address, bytes, rights);
            }
            return registration;
        } finally {
            for (IbvMr registration : passedOver) {
                domain.deregister(registration);
            }
        }
    }
}
