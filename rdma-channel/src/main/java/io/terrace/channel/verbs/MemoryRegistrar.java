package io.terrace.channel.verbs;

import com.ibm.disni.verbs.IbvMr;
import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.verbs.device.KeyQuarantine;
import io.terrace.channel.verbs.device.ProtectionDomain;
import io.terrace.channel.verbs.device.ValidityWords;
import io.terrace.channel.verbs.rdmacore.AnonymousMemory;
import io.terrace.channel.verbs.rdmacore.MappedRange;
import io.terrace.channel.verbs.rdmacore.NativeMemory;
import io.terrace.common.CloseAll;
import java.io.Closeable;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Maps ranges and registers them with the device, segment by segment, and takes that back. The device's keys and the
 * addresses of what is no more rest for a while, so that a late operation meets nothing that has come in its place.
 * Thread-safe; several ranges may be registered at a time.
 */
final class MemoryRegistrar {
    static final long REST_NS = TimeUnit.SECONDS.toNanos(5);

    private static final int KEY_TRIES = 8;

    private record Memory(Closeable mapping, long address) {}

    private record Resting(Closeable memory, long untilNs) {}

    private final ProtectionDomain domain;
    private final ValidityWords words;
    private final IbvMr wordsRegistration;
    private final SecureRandom random = new SecureRandom();

    /** Guards what rests. */
    private final Object resting = new Object();

    private final KeyQuarantine keyQuarantine = new KeyQuarantine(REST_NS);
    private final Deque<Resting> restingMemory = new ArrayDeque<>();

    MemoryRegistrar(ProtectionDomain domain, ValidityWords words) throws IOException {
        this.domain = domain;
        this.words = words;
        NativeMemory memory = words.memory();
        this.wordsRegistration = domain.register(
                memory.address(),
                memory.bytes().capacity(),
                IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_READ);
    }

    /**
     * Maps and registers a range; nothing is left of it when that fails. Takes seconds for a large one.
     *
     * @param word index of its validity word
     */
    RegisteredRange add(ExtentRange range, Access access, ChunkChecksums checksums, int word) throws IOException {
        MappedRange mapping = MappedRange.of(range.file(), range.lengthBytes());
        int rights = IbvMr.IBV_ACCESS_REMOTE_READ
                | (access == Access.READ ? 0 : IbvMr.IBV_ACCESS_REMOTE_WRITE | IbvMr.IBV_ACCESS_LOCAL_WRITE)
                | domain.paging().right(access);
        return add(
                new Memory(mapping, mapping.address()),
                range.address(),
                range.lengthBytes(),
                access,
                rights,
                checksums,
                word);
    }

    /** Registers memory that the other side may write and not read; nothing is left of it when that fails. */
    RegisteredRange addWritable(AnonymousMemory memory, int word) throws IOException {
        int rights = IbvMr.IBV_ACCESS_REMOTE_WRITE | IbvMr.IBV_ACCESS_LOCAL_WRITE;
        return add(
                new Memory(memory, memory.address()),
                0,
                memory.lengthBytes(),
                Access.READ_WRITE,
                rights,
                ChunkChecksums.NONE,
                word);
    }

    private RegisteredRange add(
            Memory memory,
            long offeredAddress,
            long lengthBytes,
            Access access,
            int rights,
            ChunkChecksums checksums,
            int word)
            throws IOException {
        AnonymousMemory sums = null;
        List<IbvMr> made = new ArrayList<>();
        try {
            int[] keys = registerSegments(memory.address(), lengthBytes, rights, made);
            int sumsKey = 0;
            if (checksums.kind() != ChecksumType.NONE && checksums.sums().length > 0) {
                sums = AnonymousMemory.copyOf(checksums.sums());
                made.add(rested(sums.address(), sums.lengthBytes(), IbvMr.IBV_ACCESS_REMOTE_READ));
                sumsKey = made.get(made.size() - 1).getRkey();
            }
            RegionKey key = new RegionKey(random.nextLong(), random.nextLong(), offeredAddress, lengthBytes, access);
            Attachment attachment = new Attachment(
                    memory.address(),
                    keys,
                    words.address(word),
                    wordsRegistration.getRkey(),
                    words.live(word),
                    checksums.kind(),
                    checksums.chunkBytes(),
                    sums == null ? 0 : sums.address(),
                    sumsKey);
            return new RegisteredRange(key, memory.mapping(), sums, made, word, attachment);
        } catch (IOException | RuntimeException | Error e) {
            CloseAll.after(e, steps(made, memory.mapping(), sums));
            throw e;
        }
    }

    /** Deregisters a range; its keys and its addresses rest from now on. */
    void remove(RegisteredRange range, long nowNs) throws IOException {
        synchronized (resting) {
            for (IbvMr registration : range.registrations()) {
                keyQuarantine.add(registration.getRkey(), nowNs);
            }
        }
        try {
            CloseAll.all(steps(range.registrations(), null, null));
        } finally {
            synchronized (resting) {
                for (Closeable memory : steps(List.of(), range.memory(), range.sums())) {
                    restingMemory.add(new Resting(memory, nowNs + REST_NS));
                }
            }
            endRest(nowNs);
        }
    }

    /** Unmaps what has rested. */
    void endRest(long nowNs) throws IOException {
        List<Closeable> over = new ArrayList<>();
        synchronized (resting) {
            for (Resting first = restingMemory.peek();
                    first != null && first.untilNs - nowNs <= 0;
                    first = restingMemory.peek()) {
                restingMemory.remove();
                over.add(first.memory);
            }
        }
        CloseAll.all(over);
    }

    /** After all ranges have been removed, and all connections have been closed. */
    void close() throws IOException {
        CloseAll.all(() -> endRest(System.nanoTime() + REST_NS), () -> domain.deregister(wordsRegistration));
    }

    private List<Closeable> steps(
            List<IbvMr> registrations, @Nullable Closeable mapping, @Nullable AnonymousMemory sums) {
        List<Closeable> steps = new ArrayList<>();
        for (IbvMr registration : registrations) {
            steps.add(() -> domain.deregister(registration));
        }
        if (mapping != null) {
            steps.add(mapping);
        }
        if (sums != null) {
            steps.add(sums);
        }
        return steps;
    }

    private int[] registerSegments(long address, long lengthBytes, int rights, List<IbvMr> made) throws IOException {
        int[] keys = new int[Attachment.segments(lengthBytes)];
        for (int i = 0; i < keys.length; i++) {
            long at = (long) i * Attachment.SEGMENT_BYTES;
            int bytes = (int) Math.max(1, Math.min(Attachment.SEGMENT_BYTES, lengthBytes - at));
            IbvMr registration = rested(address + at, bytes, rights);
            made.add(registration);
            keys[i] = registration.getRkey();
        }
        return keys;
    }

    /** A registration whose key nobody has had lately. */
    private IbvMr rested(long address, int bytes, int rights) throws IOException {
        List<IbvMr> passedOver = new ArrayList<>();
        try {
            while (passedOver.size() < KEY_TRIES) {
                IbvMr registration = domain.register(address, bytes, rights);
                if (!rests(registration.getRkey())) {
                    return registration;
                }
                passedOver.add(registration);
            }
            throw new IOException("the device gives keys again that were in use moments ago");
        } finally {
            CloseAll.all(steps(passedOver, null, null));
        }
    }

    private boolean rests(int key) {
        synchronized (resting) {
            return keyQuarantine.rests(key, System.nanoTime());
        }
    }
}
