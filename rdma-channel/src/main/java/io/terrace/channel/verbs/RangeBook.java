package io.terrace.channel.verbs;

import io.terrace.channel.Access;
import io.terrace.channel.Range;
import io.terrace.channel.RegionKey;
import io.terrace.channel.tcp.Checksums;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The ranges that a process has registered, by the secret that a grant carries. What a range is read with on the wire, the
 * device's 32-bit key, is told only to who shows the secret.
 *
 * <p>Registrations are made here and nowhere on the way of a read. A range that is deregistered is void at once, by its
 * word. Thread-safe.
 */
final class RangeBook implements Closeable {
    private record Secret(long high, long low) {}

    /** A key that leads to a range, and whether anybody has shown it. */
    private record Shown(RegionKey key, RegisteredRange range, AtomicBoolean attached) {}

    private final VerbsLimits limits;
    private final Map<Secret, RegisteredRange> ranges = new ConcurrentHashMap<>();
    private final Map<Secret, Shown> keys = new ConcurrentHashMap<>();
    private final ValidityWords words;
    private final Registrations registrations;
    private final CutWatch cuts;
    private long rangeBytes;

    RangeBook(Domain domain, VerbsLimits limits) throws IOException {
        this.limits = limits;
        this.words = new ValidityWords(limits.ranges());
        this.registrations = new Registrations(domain, words);
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
            registrations.endRest(System.nanoTime());
            int word = words.take();
            long bytes = lengthBytes + checksums.sums().length;
            if (word < 0 || rangeBytes + bytes > limits.registeredBytes()) {
                if (word >= 0) {
                    words.give(word);
                }
                throw new IOException(
                        "no more may be registered: " + ranges.size() + " ranges of " + rangeBytes + " bytes are");
            }
            try {
                RegisteredRange registered = registrations.add(range, access, checksums, word);
                ranges.put(secret(registered.key()), registered);
                admit(registered.key(), registered.key());
                rangeBytes += registered.bytes();
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
            rangeBytes -= range.bytes();
            registrations.remove(range, System.nanoTime());
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
            registrations.close();
        }
    }
}
