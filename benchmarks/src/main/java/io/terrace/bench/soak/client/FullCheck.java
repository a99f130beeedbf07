package io.terrace.bench.soak.client;

import io.terrace.bench.load.SeededContent;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.jspecify.annotations.Nullable;

/** Reads every byte of every file and snapshot of all writers, while nobody writes and nothing is broken. */
public final class FullCheck {
    private static final String SUFFIX = ".journal";

    /** Divides each size of a block, so that no piece has bytes of two. */
    private static final int PIECE = 256 << 10;

    private static final long TRIES_NS = TimeUnit.SECONDS.toNanos(90);
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final DistributedFileSystem fs;
    private final Path journals;
    private final Report report;
    private final Tally tally = new Tally();
    private final byte[] actual = new byte[PIECE];
    private final byte[] expected = new byte[PIECE];
    private long verified;
    private long retries;
    private long files;

    /** How far a file was read, and why no further. */
    private record Failed(long at, IOException why) {}

    /**
     * What was read.
     *
     * @param bytes that were compared
     * @param retries reads that failed and were tried again
     */
    public record Checked(long bytes, long retries) {
        private static final String WORD = "VERIFIED";

        /** As a line for the parent. */
        String line() {
            return WORD + " " + bytes + " " + retries;
        }

        public static boolean isLine(String line) {
            return line.startsWith(WORD + " ");
        }

        /** @param line of a client */
        public static Checked of(String line) {
            String[] words = line.split(" ", -1);
            return new Checked(Long.parseLong(words[1]), Long.parseLong(words[2]));
        }
    }

    /**
     * @param journals directory of those of all writers
     * @param out takes lines {@code WRONG}, {@code LOST}, {@code HIDDEN} and {@code UNREADABLE}
     */
    public FullCheck(DistributedFileSystem fs, Path journals, PrintStream out) {
        this.fs = fs;
        this.journals = journals;
        this.report = new Report(out);
    }

    /** The journal of a writer. */
    static Path journal(Path journals, String writer) {
        return journals.resolve(writer + SUFFIX);
    }

    /** All writers that have begun. */
    static List<SoakReader.WriterFiles> writers(Path journals, long seed) throws IOException {
        try (Stream<Path> files = Files.list(journals)) {
            List<SoakReader.WriterFiles> writers = new ArrayList<>();
            for (Path file : files.sorted().toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith(SUFFIX)) {
                    String writer = name.substring(0, name.length() - SUFFIX.length());
                    writers.add(new SoakReader.WriterFiles(Journal.toRead(file), dir(writer), content(seed, writer)));
                }
            }
            return writers;
        }
    }

    public static String dir(String writer) {
        return "/soak/" + writer;
    }

    static SeededContent content(long seed, String writer) {
        return new SeededContent(seed * 31 + writer.hashCode());
    }

    public Checked run(long seed) throws IOException {
        List<SoakReader.WriterFiles> writers = writers(journals, seed);
        for (SoakReader.WriterFiles writer : writers) {
            try (Journal journal = writer.journal()) {
                JournalState state = journal.catchUp();
                for (FileState file : List.copyOf(state.files())) {
                    if (file.readable()) {
                        check(SoakReader.source(writer, file));
                    }
                }
                for (JournalState.Snapshot snapshot : List.copyOf(state.snapshots())) {
                    for (FileState file : snapshot.there() ? snapshot.files() : List.<FileState>of()) {
                        check(SoakReader.snapshotSource(writer, snapshot.name(), file));
                    }
                }
            }
        }
        return new Checked(verified, retries);
    }

    /**
     * What cannot be read is read at last by a new client without short-circuit reads. Stock's {@code ShortCircuitCache} keeps one
     * replica of a block open, whichever DataNode passed it, and all DataNodes of the soak are on one host: a replica that
     * goes bad while it is open hides the good ones. For any other reason a client must not need to be a new one.
     */
    private void check(ReadFile.Source source) throws IOException {
        files++;
        Failed failed = read(fs, source, 0);
        if (failed == null) {
            return;
        }
        Failed last = failed;
        if (!isDamaged(source, failed.at())) {
            Configuration conf = new Configuration(fs.getConf());
            conf.setBoolean(HdfsClientConfigKeys.Read.ShortCircuit.KEY, false);
            conf.set(HdfsClientConfigKeys.DFS_CLIENT_CONTEXT, "without-short-circuit");
            try (FileSystem other = FileSystem.newInstance(fs.getUri(), conf)) {
                last = read(other, source, failed.at());
            }
        }
        long at = last == null ? failed.at() : last.at();
        long bytes = source.state().acknowledged() - at;
        String why = "cannot be read at " + at + ": " + (last == null ? failed : last).why();
        if (last != null) {
            lastBlock(source, at)
                    .ifPresentOrElse(
                            block -> report.unreadable(source.path(), bytes, block, why),
                            () -> report.lost(source.path(), bytes, why));
        } else if (HiddenReplica.mayBe(fs.getConf(), failed.why())) {
            report.hidden(source.path(), bytes, blockAt(source, at), why);
        } else {
            report.lost(source.path(), bytes, why + "; a new client reads it");
        }
    }

    /** Number of the block that has this byte; 0 if nobody knows. */
    private long blockAt(ReadFile.Source source, long at) {
        try {
            return fs.getClient().getLocatedBlocks(source.path(), 0).getLocatedBlocks().stream()
                    .filter(block -> block.getStartOffset() <= at && at < block.getStartOffset() + block.getBlockSize())
                    .mapToLong(block -> block.getBlock().getBlockId())
                    .findFirst()
                    .orElse(0);
        } catch (IOException nobodyKnows) {
            return 0;
        }
    }

    private Optional<LastBlock> lastBlock(ReadFile.Source source, long at) {
        try {
            return LastBlock.of(fs, source, at);
        } catch (IOException nobodyKnows) {
            return Optional.empty();
        }
    }

    /** Whether it is known already that this will never be read. */
    private boolean isDamaged(ReadFile.Source source, long at) throws IOException {
        Set<Long> known = DamagedBlocks.known(journals);
        return !known.isEmpty()
                && lastBlock(source, at)
                        .filter(block -> known.contains(block.id()))
                        .isPresent();
    }

    /**
     * Reads and compares a file, each second one as a stream; null when all of it was read. A DataNode that came back may not be
     * known as such to a client yet.
     */
    private @Nullable Failed read(FileSystem client, ReadFile.Source source, long from) throws IOException {
        long startNs = System.nanoTime();
        boolean asStream = files % 2 == 0;
        long at = from;
        while (true) {
            try (ReadFile file = ReadFile.open(client, source)) {
                if (file.missing() > 0) {
                    report.lost(source.path(), file.missing(), "has " + file.length() + " bytes when all is mended");
                }
                if (asStream) {
                    file.in().seek(at);
                }
                while (at < file.length()) {
                    int count = (int) Math.min(PIECE, file.length() - at);
                    if (asStream) {
                        count = file.in().read(actual, 0, count);
                    } else {
                        file.in().readFully(at, actual, 0, count);
                    }
                    if (count < 0) {
                        report.lost(source.path(), file.length() - at, "a stream ends at " + at);
                        return null;
                    }
                    if (!file.compare(at, actual, count, expected, report, tally, "check")) {
                        throw new IllegalStateException(source.path() + " changes while all is checked");
                    }
                    at += count;
                    verified += count;
                }
                return null;
            } catch (IOException e) {
                if (System.nanoTime() - startNs > TRIES_NS || isDamaged(source, at)) {
                    return new Failed(at, e);
                }
                retries++;
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }
}
