package io.terrace.bench.explain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.faults.Waits;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;

/** Files of one block, more than memory holds. A thread reads them all the time, the first ones most often. */
final class ReadFiles implements Closeable {
    static final int BYTES = 1 << 20;
    private static final int LIMIT_SECONDS = 120;

    private final FileSystem fs;
    private final List<String> names = new ArrayList<>();
    private final Thread reader = new Thread(this::readOn, "reader");
    private volatile boolean closed;
    private volatile @Nullable IOException failure;

    ReadFiles(FileSystem fs, int count) throws IOException {
        this.fs = fs;
        for (int i = 0; i < count; i++) {
            String name = "/w/part-%04d".formatted(i);
            write(fs, name, BYTES);
            names.add(name);
        }
        reader.setDaemon(true);
        reader.start();
    }

    static void write(FileSystem fs, String name, int bytes) throws IOException {
        try (OutputStream out = fs.create(new Path(name))) {
            out.write(new byte[bytes]);
        }
    }

    List<String> coldestFirst() {
        List<String> coldest = new ArrayList<>(names);
        Collections.reverse(coldest);
        return coldest;
    }

    void read(String name) throws IOException {
        try (InputStream in = fs.open(new Path(name))) {
            in.transferTo(OutputStream.nullOutputStream());
        }
    }

    private void readOn() {
        try {
            for (int round = 1; !closed; round++) {
                // The first quarter each time, all the others once in eight.
                for (int i = 0; i < names.size() && !closed; i++) {
                    if (i < names.size() / 4 || (round + i) % 8 == 0) {
                        read(names.get(i));
                    }
                }
                Waits.pause(50);
            }
        } catch (IOException e) {
            failure = closed ? null : e;
        }
    }

    /** Something that comes about while files are read. */
    interface Condition {
        boolean holds() throws IOException;
    }

    void readUntil(Condition condition) throws IOException {
        Optional<String> fault = Waits.untilRight(
                LIMIT_SECONDS, () -> condition.holds() ? Optional.empty() : Optional.of("memory is not full"));
        IOException failed = failure;
        if (failed != null || fault.isPresent()) {
            throw new IOException(fault.orElse("a read failed"), failed);
        }
    }

    /** @param tiers as {@code placementctl --json tiers} prints them */
    static boolean isFull(String tiers) throws IOException {
        JsonNode nodes = new ObjectMapper().readTree(tiers).path("nodes");
        for (JsonNode node : nodes) {
            for (JsonNode tier : node.path("tiers")) {
                if (tier.path("tier").asText().equals("memory")
                        && tier.path("usedBytes").asLong() + BYTES
                                <= tier.path("capacityBytes").asLong()) {
                    return false;
                }
            }
        }
        return !nodes.isEmpty();
    }

    /** No file is read any more. */
    void stop() throws IOException {
        closed = true;
        try {
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted while reads ended", e);
        }
        IOException failed = failure;
        if (failed != null) {
            throw new IOException("a read failed", failed);
        }
    }

    @Override
    public void close() throws IOException {
        stop();
    }
}
