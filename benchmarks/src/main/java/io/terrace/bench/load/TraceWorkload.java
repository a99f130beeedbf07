package io.terrace.bench.load;

import io.terrace.policy.replay.TraceFormat;
import io.terrace.policy.replay.TraceFormatException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An access trace, scaled to the size of a small cluster: the beginning of the file, up to a bound of objects and rows.
 *
 * <p>The file is in the {@link TraceFormat}; reads begin at the object's start. Times and jobs are not used: a replay goes
 * as fast as it can, in the order of the rows. An object whose first row is a write is not there before it.
 */
public final class TraceWorkload {
    /** Each object becomes a file; creating more takes longer than a demo may. */
    public static final int MAX_OBJECTS = 500;

    private static final int MAX_ROWS = 1_000_000;

    /** No object becomes shorter than this, unless it was. */
    private static final long LEAST_BYTES = 4_096;

    private record Row(int object, long bytes, boolean write) {}

    private final List<Row> rows;
    private final List<Long> sizes;
    private final List<Boolean> storedFirst;

    private TraceWorkload(List<Row> rows, List<Long> sizes, List<Boolean> storedFirst) {
        this.rows = rows;
        this.sizes = sizes;
        this.storedFirst = storedFirst;
    }

    /**
     * Reads the beginning of a trace.
     *
     * @throws IllegalArgumentException if the file is not in the format, with the line that is wrong
     */
    public static TraceWorkload read(Path file) throws IOException {
        try (BufferedReader reader = TraceFormat.open(file)) {
            return read(reader, file.toString());
        }
    }

    static TraceWorkload read(BufferedReader reader, String name) throws IOException {
        if (!TraceFormat.HEADER.equals(reader.readLine())) {
            throw new IllegalArgumentException(name + " does not begin with the line " + TraceFormat.HEADER);
        }
        Map<String, Integer> objects = new HashMap<>();
        List<Row> rows = new ArrayList<>();
        List<Long> sizes = new ArrayList<>();
        List<Boolean> storedFirst = new ArrayList<>();
        TraceFormat row = TraceFormat.strict(name);
        String line;
        for (int number = 2; rows.size() < MAX_ROWS && (line = reader.readLine()) != null; number++) {
            long objectBytes = parsed(row, line, number) ? Math.max(row.bytes(), row.sizeBytes()) : 0;
            if (objectBytes == 0) {
                continue;
            }
            Integer object = objects.get(row.object());
            if (object == null) {
                if (objects.size() == MAX_OBJECTS) {
                    continue;
                }
                object = objects.size();
                objects.put(row.object(), object);
                sizes.add(objectBytes);
                storedFirst.add(!row.isWrite());
            }
            sizes.set(object, Math.max(sizes.get(object), objectBytes));
            if (row.bytes() > 0) {
                rows.add(new Row(object, row.bytes(), row.isWrite()));
            }
        }
        if (rows.isEmpty()) {
            throw new IllegalArgumentException(name + " holds no access");
        }
        return new TraceWorkload(rows, sizes, storedFirst);
    }

    private static boolean parsed(TraceFormat row, String line, int number) {
        try {
            return row.parse(line, number);
        } catch (TraceFormatException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    public int rows() {
        return rows.size();
    }

    /** By how much sizes are multiplied so that all objects together have the given size; never more than 1. */
    public double scale(long totalBytes) {
        double footprint = sizes.stream().mapToDouble(Long::doubleValue).sum();
        return Math.min(1, totalBytes / footprint);
    }

    /** The objects as files with seeded content. */
    public DataSet data(double scale, long seed) {
        List<StoredFile> files = new ArrayList<>();
        for (int i = 0; i < sizes.size(); i++) {
            files.add(new StoredFile(
                    String.format("/data/object-%05d", i), scaled(sizes.get(i), scale), storedFirst.get(i)));
        }
        return new DataSet(files, new SeededContent(seed));
    }

    /** The rows as steps. */
    public Workload workload(double scale) {
        return new Workload() {
            private int at;

            @Override
            public Optional<Step> next() {
                if (at == rows.size()) {
                    return Optional.empty();
                }
                Row row = rows.get(at++);
                long fileBytes = scaled(sizes.get(row.object), scale);
                return Optional.of(
                        row.write
                                ? new Step(Step.Kind.WRITE, row.object, 0, fileBytes)
                                : new Step(
                                        Step.Kind.READ, row.object, 0, Math.min(fileBytes, scaled(row.bytes, scale))));
            }
        };
    }

    private static long scaled(long bytes, double scale) {
        return Math.max(Math.min(bytes, LEAST_BYTES), Math.round(bytes * scale));
    }
}
