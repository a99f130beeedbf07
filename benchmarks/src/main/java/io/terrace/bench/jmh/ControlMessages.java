package io.terrace.bench.jmh;

import io.terrace.channel.ExtentDescriptor;
import io.terrace.channel.Grant;
import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.ReadReport;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Encodes and decodes the messages of a grant, and of a report of 100 grants. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ControlMessages {
    private static final BlockKey BLOCK = new BlockKey("BP-1-127.0.0.1-1", 1_073_741_825L, 1001);

    private final Message granted = new Message.Granted(
            1,
            new Grant(
                    7,
                    new ExtentDescriptor(BLOCK, StorageTier.MEMORY, 1L << 40, 128L << 20, 5, 9),
                    "0123456789abcdef0123456789abcdef",
                    60_000));
    private final List<ReadReport> reports = LongStream.range(1, 101)
            .mapToObj(id -> new ReadReport(id, id, id << 12))
            .toList();

    @Benchmark
    public Message grant() throws MalformedMessageException {
        return throughTheWire(granted);
    }

    @Benchmark
    public Message report() throws MalformedMessageException {
        return throughTheWire(new Message.Report(reports));
    }

    private static Message throughTheWire(Message message) throws MalformedMessageException {
        ByteBuffer frame = MessageCodec.encode(message);
        frame.position(Integer.BYTES);
        return MessageCodec.decode(frame);
    }
}
