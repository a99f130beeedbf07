package io.terrace.channel.verbs;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.verbs.device.ProtectionDomain;
import io.terrace.channel.verbs.device.ValidityWords;
import io.terrace.channel.verbs.rdmacore.AnonymousMemory;
import io.terrace.common.CloseAll;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * The ranges that a process has registered, by the secret that a grant carries. What a range is read with on the wire, the
 * device's 32-bit key, is told only to who shows the secret.
 *
 * <p>Registrations are made here and nowhere on the way of a read. A range that is deregistered is void at once, by its
 * word. Thread-safe.
 */
final class RangeRegistry implements Closeable {
    private record Secret(long high, long low) {}

    /** A key that leads to a range, and whether anybody has shown it. */
    private record Shown(RegionKey key, RegisteredRange range, AtomicBoolean attached) {}

    private final VerbsLimits limits;
    private final Map<Secret, RegisteredRange> ranges = new ConcurrentHashMap<>();
    private final Map<Secret, Shown> keys = new ConcurrentHashMap<>();
    private final Map<Secret, RegisteredWindow> windows = new ConcurrentHashMap<>();
    private final ValidityWords words;
    private final MemoryRegistrar memoryRegistrar;

    /** Shared by who registers, and taken whole by who closes: nothing is registered after that. */
    private final ReadWriteLock open = new ReentrantReadWriteLock();

    private boolean closed;
    private long rangeBytes;

    RangeRegistry(ProtectionDomain domain, VerbsLimits limits) throws IOException {
        this.limits = limits;
        this.words = new ValidityWords(limits.ranges());
        this.memoryRegistrar = new MemoryRegistrar(domain, words);
    }

    /**
     * Maps and pins a range.
     *
     * @param checksums read along with the bytes; {@link ChunkChecksums#NONE} for none
     * @throws IOException when it is not as long as it should be, or over a limit
     */
    RegionKey register(ExtentRange range, Access access, ChunkChecksums checksums) throws IOException {
        long lengthBytes = range.lengthBytes();
        if (Files.size(range.file()) != lengthBytes || !checksums.cover(lengthBytes)) {
            throw new IOException(range.file() + " is not " + lengthBytes + " bytes long with all its checksums");
        }
        if (Attachment.segments(lengthBytes) > Attachment.MAX_SEGMENTS) {
            throw new IOException("a range of " + lengthBytes + " bytes is more than can be registered");
        }
        long bytes = lengthBytes + checksums.sums().length;
        return register(bytes, word -> memoryRegistrar.add(range, access, checksums, word))
                .key();
    }

    /**
     * Registers memory that one client may write.
     *
     * @param ended told once, when it is closed
     * @throws IOException when it is over a limit, or the system has no memory for it
     */
    RegisteredWindow openWindow(int bytes, Runnable ended) throws IOException {
        WindowRegistration registration = new WindowRegistration(bytes);
        RegionKey key = register(bytes, registration).key();
        RegisteredWindow window = new RegisteredWindow(key, registration.memory(), () -> closeWindow(key, ended));
        windows.put(secret(key), window);
        return window;
    }

    /** Memory of a window, which is had only once there is room for it. */
    private final class WindowRegistration implements Registration {
        private final int bytes;
        private @Nullable ByteBuffer memory;

        WindowRegistration(int bytes) {
            this.bytes = bytes;
        }

        @Override
        public RegisteredRange at(int word) throws IOException {
            AnonymousMemory allocated = AnonymousMemory.allocate(bytes);
            memory = allocated.bytes();
            return memoryRegistrar.addWritable(allocated, word);
        }

        ByteBuffer memory() {
            return Objects.requireNonNull(memory, "not registered");
        }
    }

    private void closeWindow(RegionKey key, Runnable ended) throws IOException {
        windows.remove(secret(key));
        try {
            deregister(key);
        } finally {
            ended.run();
        }
    }

    /**
     * Data has landed in a window, as its client says; who knows no window's secret says nothing.
     *
     * @throws MalformedMessageException when it cannot be there
     */
    void landed(long number, LandedMessage landing) throws MalformedMessageException {
        RegisteredWindow window = windows.get(new Secret(landing.high(), landing.low()));
        if (window != null) {
            window.landed(number, landing.at(), landing.bytes());
        }
    }

    /** Registers with a validity word of this index. */
    private interface Registration {
        RegisteredRange at(int word) throws IOException;
    }

    private RegisteredRange register(long bytes, Registration registration) throws IOException {
        open.readLock().lock();
        try {
            if (closed) {
                throw new IOException("nothing is registered any more");
            }
            memoryRegistrar.endRest(System.nanoTime());
            int word = reserve(bytes);
            try {
                // Pins pages, which may take seconds, so not under the lock.
                RegisteredRange registered = registration.at(word);
                ranges.put(secret(registered.key()), registered);
                admit(registered.key(), registered.key());
                return registered;
            } catch (IOException | RuntimeException | Error e) {
                giveBack(word, bytes);
                throw e;
            }
        } finally {
            open.readLock().unlock();
        }
    }

    /** Unmaps what was deregistered long enough ago: what is freed gets its room back though nothing comes after it. */
    void endRest(long nowNs) throws IOException {
        memoryRegistrar.endRest(nowNs);
    }

    private synchronized int reserve(long bytes) throws IOException {
        int word = rangeBytes + bytes > limits.registeredBytes() ? -1 : words.take();
        if (word < 0) {
            throw new IOException(
                    "no more may be registered: " + ranges.size() + " ranges of " + rangeBytes + " bytes are");
        }
        rangeBytes += bytes;
        return word;
    }

    private synchronized void giveBack(int word, long bytes) {
        words.give(word);
        rangeBytes -= bytes;
    }

    void deregister(RegionKey key) throws IOException {
        RegisteredRange range = ranges.remove(secret(key));
        if (range == null) {
            return;
        }
        keys.remove(secret(key));
        words.invalidate(range.wordIndex(), range.attachment().word());
        try {
            memoryRegistrar.remove(range, System.nanoTime());
        } finally {
            giveBack(range.wordIndex(), range.bytes());
        }
    }

    /** Makes a range invalid for its readers, who see it behind the bytes; nobody attaches it any more. */
    void voidWord(RegionKey key) {
        RegisteredRange range = ranges.get(secret(key));
        if (range != null) {
            words.invalidate(range.wordIndex(), range.attachment().word());
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
        return isValid(shown.range) ? shown.range.attachment() : null;
    }

    /** Whether a key that was found leads to a range still. */
    boolean isGood(RegionKey key) {
        Shown shown = keys.get(secret(key));
        return shown != null && isValid(shown.range);
    }

    private boolean isValid(RegisteredRange range) {
        return words.get(range.wordIndex()) == range.attachment().word();
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
        open.writeLock().lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
        } finally {
            open.writeLock().unlock();
        }
        // Nobody reads them once they are unmapped.
        windows.values().forEach(RegisteredWindow::end);
        windows.clear();
        List<Closeable> steps = new ArrayList<>();
        for (RegisteredRange range : ranges.values()) {
            steps.add(() -> deregister(range.key()));
        }
        steps.add(memoryRegistrar::close);
        CloseAll.all(steps);
    }
}
