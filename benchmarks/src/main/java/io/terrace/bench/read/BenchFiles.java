package io.terrace.bench.read;

import io.terrace.bench.load.SeededContent;
import io.terrace.bench.measure.ClientVariant.Client;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.CacheDirectiveInfo;
import org.apache.hadoop.hdfs.protocol.CachePoolInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/** The files of the benchmark: some are pinned in memory, others stay on disk. */
public final class BenchFiles {
    private static final int CHUNK_BYTES = 1 << 20;
    private static final String POOL = "bench";
    private static final Duration PIN_LIMIT = Duration.ofSeconds(60);
    private static final long POLL_MS = 100;

    private final DistributedFileSystem dfs;
    private final SeededContent content;
    private int written;

    public BenchFiles(DistributedFileSystem dfs, long seed) {
        this.dfs = dfs;
        this.content = new SeededContent(seed);
    }

    /** Stores files of equal length and checks them by reading them once. */
    public List<Path> store(String name, int count, long lengthBytes) throws IOException {
        List<Path> files = IntStream.range(0, count)
                .mapToObj(i -> new Path("/bench/" + name + "-" + i))
                .toList();
        byte[] chunk = new byte[CHUNK_BYTES];
        for (Path file : files) {
            int index = written++;
            try (OutputStream out = dfs.create(file)) {
                for (long at = 0; at < lengthBytes; at += CHUNK_BYTES) {
                    int length = (int) Math.min(CHUNK_BYTES, lengthBytes - at);
                    content.fill(index, 0, at, chunk, length);
                    out.write(chunk, 0, length);
                }
            }
        }
        return files;
    }

    /**
     * Pins files in memory by a cache directive, as {@code hdfs cacheadmin} does, and waits until they are resident.
     */
    public void pin(List<Path> files) throws IOException {
        if (!dfs.listCachePools().hasNext()) {
            dfs.addCachePool(new CachePoolInfo(POOL));
        }
        for (Path file : files) {
            dfs.addCacheDirective(new CacheDirectiveInfo.Builder()
                    .setPath(file)
                    .setPool(POOL)
                    .setReplication((short) 1)
                    .build());
        }
        long deadlineNs = System.nanoTime() + PIN_LIMIT.toNanos();
        for (Path file : files) {
            while (!isCached(file)) {
                if (System.nanoTime() > deadlineNs) {
                    throw new IOException(file + " was pinned but is not in memory after " + PIN_LIMIT.toSeconds()
                            + " s; see the DataNode's log");
                }
                pause();
            }
        }
    }

    /** Pins every file below a directory, and returns how many bytes they have. */
    public long pinTree(Path dir) throws IOException {
        List<Path> files = new ArrayList<>();
        long bytes = 0;
        for (RemoteIterator<LocatedFileStatus> all = dfs.listFiles(dir, true); all.hasNext(); ) {
            LocatedFileStatus file = all.next();
            if (file.getLen() > 0) {
                files.add(file.getPath());
                bytes += file.getLen();
            }
        }
        pin(files);
        return bytes;
    }

    private boolean isCached(Path file) throws IOException {
        return dfs.getClient().getLocatedBlocks(file.toUri().getPath(), 0, Long.MAX_VALUE).getLocatedBlocks().stream()
                .allMatch(BenchFiles::isCached);
    }

    private static boolean isCached(LocatedBlock block) {
        return block.getCachedLocations().length > 0;
    }

    /** Whether a client gets exactly what a stock client gets. */
    public static void requireSame(Client one, Client other, Path file) throws IOException {
        byte[] left = new byte[CHUNK_BYTES];
        byte[] right = new byte[CHUNK_BYTES];
        long length = one.fs().getFileStatus(file).getLen();
        try (FSDataInputStream a = one.fs().open(file);
                FSDataInputStream b = other.fs().open(file)) {
            for (long at = 0; at < length; at += CHUNK_BYTES) {
                int chunk = (int) Math.min(CHUNK_BYTES, length - at);
                a.readFully(at, left, 0, chunk);
                b.readFully(at, right, 0, chunk);
                int wrong = Arrays.mismatch(left, 0, chunk, right, 0, chunk);
                if (wrong >= 0) {
                    throw new IOException(
                            file + " differs at " + (at + wrong) + " between " + one.name() + " and " + other.name());
                }
            }
        }
    }

    static void pause() throws IOException {
        try {
            Thread.sleep(POLL_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
