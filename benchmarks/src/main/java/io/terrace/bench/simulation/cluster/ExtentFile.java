package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.MemoryFile;
import io.terrace.bench.simulation.kernel.OsProcess;
import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.client.LocalGrant;
import java.nio.ByteBuffer;

/** An extent's file as a client has it open. Reads take several steps, with time between them. */
final class ExtentFile implements LocalGrant.Content {

    private final OsProcess process;
    private final Scheduler scheduler;
    private final MemoryFile file;

    ExtentFile(OsProcess process, Scheduler scheduler, MemoryFile file) {
        this.process = process;
        this.scheduler = scheduler;
        this.file = file;
    }

    @Override
    public boolean read(long position, byte[] target, int offset, int length) {
        int done = 0;
        while (done < length) {
            int part = Math.min(
                    length - done,
                    scheduler.oneIn(2) ? length : 1 + scheduler.random().nextInt(length));
            if (file.read((int) position + done, target, offset + done, part) < part) {
                return false;
            }
            done += part;
            // Mostly microseconds; sometimes the reader is descheduled for long.
            process.blockFor(scheduler.oneIn(30) ? scheduler.between(0, 400_000_000) : scheduler.between(500, 20_000));
        }
        return true;
    }

    @Override
    public boolean read(long position, ByteBuffer target, int length) {
        return read(position, target.array(), target.arrayOffset() + target.position(), length);
    }

    @Override
    public void close() {
        // Nothing to close.
    }
}
