package io.terrace.bench.jmh;

import io.terrace.channel.shm.SlotTable;
import io.terrace.common.BlockKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Time for a client to look up whether a block is resident: a table of 64 Ki slots, half full. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls fill() before anything else
public class SlotLookup {
    private static final int SLOTS = 1 << 16;

    private Path directory;
    private SlotTable owner;
    private SlotTable reader;
    private BlockKey[] blocks;
    private int next;

    @Setup
    public void fill() throws IOException {
        directory = Files.createTempDirectory("terrace-slots");
        owner = SlotTable.create(directory.resolve("slots"), SLOTS, new Random(1));
        reader = SlotTable.open(owner.path());
        blocks = new BlockKey[SLOTS];
        for (int i = 0; i < SLOTS; i++) {
            blocks[i] = new BlockKey("BP-1-127.0.0.1-1", i, 1000 + i);
            int slot = i % 2 == 0 ? owner.claim(blocks[i]) : -1;
            if (slot >= 0) {
                owner.publish(slot);
            }
        }
    }

    @TearDown
    public void remove() throws IOException {
        reader.close();
        owner.close();
        Files.delete(directory);
    }

    /** Every other block asked for is resident. */
    @Benchmark
    public int lookup() {
        next = (next + 7919) & (SLOTS - 1);
        return reader.lookup(blocks[next]);
    }

    /** The check before and after each copy. */
    @Benchmark
    public boolean isLive() {
        next = (next + 7919) & (SLOTS - 1);
        return reader.isLive(next, 0);
    }
}
