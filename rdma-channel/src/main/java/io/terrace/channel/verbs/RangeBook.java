package io.terrace.channel.verbs;

import com.ibm.disni.verbs.IbvMr;
import io.terrace.channel.Access;
import io.terrace.channel.Range;
import io.terrace.channel.RegionKey;
import io.terrace.channel.tcp.ChecksumKind;
import io.terrace.channel.tcp.Checksums;
import io.terrace.channel.verbs.rdmacore.MappedRange;
import io.terrace.channel.verbs.rdmacore.NativeMemory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The ranges that a process has registered, by the secret that a grant carries. What a range is read with on the wire, the
 * device's 32-bit key, is told only to who shows the secret.
 *
 * <p>Registrations are made here and nowhere on the way of a read. A range that is deregistered is void at once, by its
 * word; its key and its address rest for a while before anything else has them. Thread-safe.
 */
final class RangeBook implements Closeable {
    private static final long REST_NS = TimeUnit.SECONDS.toNanos(5);
    private static final int KEY_TRIES = 8;

    private record Secret(long high, long low) {}

    /** A key that leads to a range, and whether anybody has shown it. */
    private record Shown(RegionKey key, RegisteredRange range, AtomicBoolean attached) {}

    private record RestingMapping(MappedRange mapping, long untilNs) {}

    private final Domain domain;
    private final VerbsLimits limits;
    private final SecureRandom random = new SecureRandom();
    private final Map<Secret, RegisteredRange> ranges = new ConcurrentHashMap<>();
    private final Map<Secret, Shown> keys = new ConcurrentHashMap<>();
    private final ValidityWords words;
    private final IbvMr wordsRegistration;
    private final CutWatch cuts;
    private final RestingKeys restingKeys = new RestingKeys(REST_NS);
    private final Deque<RestingMapping> restingMappings = new ArrayDeque<>();
    private long rangeBytes;

    RangeBook(Domain domain, VerbsLimits limits) throws IOException {
        this.domain = domain;
        this.limits = limits;
        this.words = new ValidityWords(limits.ranges());
        NativeMemory memory = words.memory();
        this.wordsRegistration = domain.register(
                memory.address(),
                memory.bytes().capacity(),
                IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_READ);
        this.cuts = new CutWatch(range -> words.cut(range.wordIndex()));
    }

    /**
     * Maps and pins a range.
     *
     * @param checksums read along with the bytes; {@link Checksums#NONE} for none
     * @throws IOException when it is not as long as it should be, or over a limit
     */
    RegionKey register(Range range, Access access, Checksums checksums) throws IOException {
        long lengthBytes = range.lengthBytes();
        if (Files.size(range.file()) != lengthBytes || !checksums.cover(lengthBytes)) {
            throw new IOException(range.file() + " is not " + lengthBytes + " bytes long with all its checksums");
        }
        if (Attachment.segments(lengthBytes) > Attachment.MAX_SEGMENTS) {
            throw new IOException("a range of " + lengthBytes + " bytes is more than can be registered");
        }
        synchronized (this) {
            endRest(System.nanoTime());
            int word = words.take();
            if (word < 0 || rangeBytes + lengthBytes > limits.registeredBytes()) {
                if (word >= 0) {
                    words.give(word);
                }
                throw new IOException(
                        "no more may be registered: " + ranges.size() + " ranges of " + rangeBytes + " bytes are");
            }
            try {
                RegisteredRange registered = register(range, access, checksums, word);
                ranges.put(secret(registered.key()), registered);
                admit(registered.key(), registered.key());
                rangeBytes += lengthBytes;
                cuts.watch(registered);
                return registered.key();
            } catch (IOException | RuntimeException e) {
                words.give(word);
                throw e;
            }
        }
    }

    void deregister(RegionKey key) throws IOException {
        RegisteredRange range = ranges.remove(secret(key));
        if (range == null) {
            return;
        }
        keys.remove(secret(key));
        synchronized (this) {
            words.give(range.wordIndex());
            cuts.forget(range);
            rangeBytes -= key.lengthBytes();
            long nowNs = System.nanoTime();
            for (IbvMr registration : range.registrations()) {
                restingKeys.add(registration.getRkey(), nowNs);
                domain.deregister(registration);
            }
            restingMappings.add(new RestingMapping(range.mapping(), nowNs + REST_NS));
            endRest(nowNs);
        }
    }

    /** Makes a range invalid for its readers, who see it behind the bytes; nobody attaches it any more. */
    void voidWord(RegionKey key) {
        RegisteredRange range = ranges.get(secret(key));
        if (range != null) {
            words.invalidate(range.wordIndex());
        }
    }

    /** Lets one more key lead to a range that is registered. */
    void admit(RegionKey key, RegionKey registered) throws IOException {
        RegisteredRange range = ranges.get(secret(registered));
        if (range == null) {
            throw new IOException("the range is not registered any more");
        }
        keys.put(secret(key), new Shown(key, range, new AtomicBoolean()));
    }

    /** Makes an admitted key void; returns whether anybody has shown it. */
    boolean dismiss(RegionKey key) {
        Shown shown = keys.remove(secret(key));
        return shown != null && shown.attached.get();
    }

    /** What a key that was shown leads to; null when it is void or lies about its range. */
    @Nullable
    Attachment find(RegionKey key) {
        Shown shown = keys.get(secret(key));
        if (shown == null || !shown.key.equals(key)) {
            return null;
        }
        shown.attached.set(true);
        Attachment attachment = shown.range.attachment();
        return words.get(shown.range.wordIndex()) == attachment.word() ? attachment : null;
    }

    private static Secret secret(RegionKey key) {
        return new Secret(key.high(), key.low());
    }

    synchronized long rangeBytes() {
        return rangeBytes;
    }

    int ranges() {
        return ranges.size();
    }

    @Override
    public void close() throws IOException {
        cuts.close();
        for (RegisteredRange range : ranges.values()) {
            deregister(range.key());
        }
        synchronized (this) {
            endRest(System.nanoTime() + REST_NS);
            domain.deregister(wordsRegistration);
        }
    }

    private RegisteredRange register(Range range, Access access, Checksums checksums, int word) throws IOException {
        long lengthBytes = range.lengthBytes();
        MappedRange mapping = MappedRange.of(range.file(), lengthBytes);
        List<IbvMr> registrations = new ArrayList<>();
        try {
            int rights = IbvMr.IBV_ACCESS_REMOTE_READ
                    | (access == Access.READ ? 0 : IbvMr.IBV_ACCESS_REMOTE_WRITE | IbvMr.IBV_ACCESS_LOCAL_WRITE);
            int[] keys = new int[Attachment.segments(lengthBytes)];
            for (int i = 0; i < keys.length; i++) {
                long at = (long) i * Attachment.SEGMENT_BYTES;
                int bytes = (int) Math.max(1, Math.min(Attachment.SEGMENT_BYTES, lengthBytes - at));
                IbvMr registration = rested(mapping.address() + at, bytes, rights);
                registrations.add(registration);
                keys[i] = registration.getRkey();
            }
            NativeMemory sums = null;
            long sumsAddress = 0;
            int sumsKey = 0;
            if (checksums.kind() != ChecksumKind.NONE) {
                sums = NativeMemory.allocate(Math.max(1, checksums.sums().length));
                sums.bytes().put(0, checksums.sums());
                IbvMr registration = rested(sums.address(), sums.bytes().capacity(), IbvMr.IBV_ACCESS_REMOTE_READ);
                registrations.add(registration);
                sumsAddress = sums.address();
                sumsKey = registration.getRkey();
            }
            RegionKey key = new RegionKey(random.nextLong(), random.nextLong(), range.address(), lengthBytes, access);
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
            return new RegisteredRange(key, range.file(), mapping, sums, registrations, word, attachment);
        } catch (IOException | RuntimeException e) {
            for (IbvMr registration : registrations) {
                domain.deregister(registration);
            }
            mapping.close();
            throw e;
        }
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

    private void endRest(long nowNs) throws IOException {
        for (RestingMapping first = restingMappings.peek();
                first != null && first.untilNs - nowNs <= 0;
                first = restingMappings.peek()) {
            restingMappings.remove();
            first.mapping.close();
        }
    }
}
