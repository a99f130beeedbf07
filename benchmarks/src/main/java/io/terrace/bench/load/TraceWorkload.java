package io.terrace.bench.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/**
 * An access trace, scaled to the size of a small cluster: the beginning of the file, up to a bound of objects and rows.
 *
 * <p>The format is CSV, plain or gzip, with the header {@code time_s,object_id,bytes,op,obj_size,job}: {@code bytes} read
 * ({@code op} R, from the object's start) or written (W) of an object that is {@code obj_size} long. Times and jobs are
 * not used: a replay goes as fast as it can, in the order of the rows. An object whose first row is a write is not there
 * before it.
 */
public final class TraceWorkload {
    /** Each object becomes a file; creating more takes longer than a demo may. */
    public static final int MAX_OBJECTS = 500;

    private static final int MAX_ROWS = 1_000_000;
    private static final String HEADER = "time_s,object_id,bytes,op,obj_size,job";
    private static final int COLUMNS = 6;

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
        try (InputStream raw = Files.newInputStream(file);
                InputStream in = file.toString().endsWith(".gz") ? new GZIPInputStream(raw) : raw;
                BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            return read(reader, file.toString());
        }
    }

    static TraceWorkload read(BufferedReader reader, String name) throws IOException {
        if (!HEADER.equals(reader.readLine())) {
            throw new IllegalArgumentException(name + " does not begin with the line " + HEADER);
        }
        Map<String, Integer> objects = new HashMap<>();
        List<Row> rows = new ArrayList<>();
        List<Long> sizes = new ArrayList<>();
        List<Boolean> storedFirst = new ArrayList<>();
        String line;
        for (int number = 2; rows.size() < MAX_ROWS && (line = reader.readLine()) != null; number++) {
            String[] cells = line.split(",", -1);
            if (cells.length != COLUMNS || !(cells[3].equals("R") || cells[3].equals("W"))) {
                throw new IllegalArgumentException(name + " line " + number + " is not " + HEADER + ": " + line);
            }
            long bytes = size(cells[2], name, number);
            long objectBytes = Math.max(bytes, size(cells[4], name, number));
            if (objectBytes == 0) {
                continue;
            }
            boolean write = cells[3].equals("W");
            Integer object = objects.get(cells[1]);
            if (object == null) {
                if (objects.size() == MAX_OBJECTS) {
                    continue;
                }
                object = objects.size();
                objects.put(cells[1], object);
                sizes.add(objectBytes);
                storedFirst.add(!write);
            }
            sizes.set(object, Math.max(sizes.get(object), objectBytes));
            if (bytes == 0) {
                continue;
            }
            rows.add(new Row(object, bytes, write));
        }
        if (rows.isEmpty()) {
            throw new IllegalArgumentException(name + " holds no access");
        }
        return new TraceWorkload(rows, sizes, storedFirst);
    }

    private static long size(String cell, String name, int line) {
        try {
            long value = Long.parseLong(cell);
            if (value >= 0) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " line " + line + ": " + cell + " is no number of bytes", e);
        }
        throw new IllegalArgumentException(name + " line " + line + ": " + cell + " bytes is negative");
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
