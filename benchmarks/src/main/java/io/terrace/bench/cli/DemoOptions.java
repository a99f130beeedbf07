package io.terrace.bench.cli;

import io.terrace.bench.demo.DemoPlan;
import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.TraceWorkload;
import io.terrace.bench.load.ZipfWorkload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** What the demo stores and reads, on the command line. */
final class DemoOptions {
    /** Files of generated data hold several blocks. */
    private static final int BLOCKS_PER_FILE = 2;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            defaultValue = "512m",
            converter = ByteSize.class,
            description = "data to generate, or to scale a trace to (${DEFAULT-VALUE})")
    long dataBytes;

    @Option(names = "--seed", defaultValue = "1", description = "of data and workload (${DEFAULT-VALUE})")
    long seed;

    @Option(
            names = "--block-size",
            paramLabel = "SIZE",
            defaultValue = "4m",
            converter = ByteSize.class,
            description = "block size (${DEFAULT-VALUE})")
    long blockBytes;

    @Option(
            names = "--read-size",
            paramLabel = "SIZE",
            defaultValue = "64k",
            converter = ByteSize.class,
            description = "bytes of a read (${DEFAULT-VALUE}); a trace has its own")
    long readBytes;

    @Option(
            names = "--skew",
            defaultValue = "0.99",
            description = "exponent of Zipf's law by which blocks are read (${DEFAULT-VALUE})")
    double skew;

    @Option(
            names = "--reads",
            paramLabel = "N",
            defaultValue = "200000",
            description = "end after so many reads (${DEFAULT-VALUE})")
    long maxReads;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            defaultValue = "30",
            description = "or after so many seconds of reading (${DEFAULT-VALUE})")
    int maxSeconds;

    @ArgGroup
    @Nullable
    Source source;

    /** Data that is not generated. */
    static final class Source {
        @Option(names = "--input", paramLabel = "DIR", description = "store your own files instead of generated ones")
        @Nullable
        Path input;

        @Option(
                names = "--trace",
                paramLabel = "FILE",
                description = "replay a trace: CSV, plain or .gz, time_s,object_id,bytes,op,obj_size,job")
        @Nullable
        Path trace;
    }

    DemoPlan plan() throws IOException {
        require(dataBytes >= 4 * blockBytes, "--size must be at least four blocks");
        require(readBytes >= 1 && readBytes <= blockBytes, "--read-size must be 1 to the block size");
        require(maxReads >= 1 && maxSeconds >= 1, "--reads and --seconds must be at least 1");
        if (source != null && source.trace != null) {
            return tracePlan(existing(source.trace));
        }
        DataSet data = source != null && source.input != null
                ? DataSet.local(existing(source.input))
                : DataSet.seeded(seed, dataBytes, BLOCKS_PER_FILE * blockBytes);
        String description =
                String.format(Locale.ROOT, "%s at random of blocks drawn by Zipf %.2f", ByteSize.text(readBytes), skew);
        ZipfWorkload workload = new ZipfWorkload(data, blockBytes, (int) readBytes, skew, seed);
        return new DemoPlan(data, workload, description, maxReads, maxSeconds);
    }

    private DemoPlan tracePlan(Path file) throws IOException {
        TraceWorkload trace = TraceWorkload.read(file);
        double scale = trace.scale(dataBytes);
        DataSet data = trace.data(scale, seed);
        String description = String.format(
                Locale.ROOT,
                "%,d accesses of %,d objects of %s, sizes times %.3g",
                trace.rows(),
                data.files().size(),
                file.getFileName(),
                scale);
        return new DemoPlan(data, trace.workload(scale), description, maxReads, maxSeconds);
    }

    private static Path existing(Path path) {
        require(Files.exists(path), path + " does not exist");
        return path;
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
