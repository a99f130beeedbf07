package io.terrace.placementctl.simulate;

import io.terrace.placement.accesslog.PlaceComment;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.terminal.ProgressLine;
import io.terrace.policy.replay.Trace;
import io.terrace.policy.replay.TraceFormat;
import io.terrace.protocol.proto.AdminProtos.AccessLogRequestProto;
import io.terrace.protocol.proto.AdminProtos.AccessLogResponseProto;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipException;

/**
 * The service's log of accesses as a trace: fetched file by file into a private directory, which is removed again, and
 * cut to the time asked for. A file whose end is missing, because a NameNode died while it wrote it, counts as far as
 * it goes.
 */
public final class AccessLogTrace {

    /** Rows in one simulation; more do not fit the command's heap. */
    public static final int MOST_ROWS = 10_000_000;

    private static final long MOST_STANDSTILL_MS = 60_000;

    /** Lenient, since the last row of a file may be cut off in its middle. */
    private final TraceFormat row = TraceFormat.lenient("access log");

    private final Trace.Builder rows = new Trace.Builder("access log");
    private final Map<String, Integer> numbers = new HashMap<>();
    private final LoggedPlaces places = new LoggedPlaces();
    private final long fromMs;
    private long firstMs = -1;
    private long latestMs;
    /** Added to the times of rows, so that the trace goes on where the clock was set back. */
    private long shiftMs;

    private AccessLogTrace(long fromMs) {
        this.fromMs = fromMs;
    }

    /** @param fromMs since 1970 */
    public static AccessLogTrace fetch(AdminClient client, long fromMs) throws Refused, Unreachable, IOException {
        Path dir = Files.createTempDirectory("placementctl-");
        // Where the process is ended by a signal; the last that was named is deleted first.
        dir.toFile().deleteOnExit();
        try {
            return of(download(client, fromMs, dir), fromMs);
        } finally {
            try (var left = Files.list(dir)) {
                for (Path file : left.toList()) {
                    Files.deleteIfExists(file);
                }
            }
            Files.deleteIfExists(dir);
        }
    }

    /** The files of a log, oldest first. */
    static AccessLogTrace of(List<Path> files, long fromMs) throws Refused, IOException {
        AccessLogTrace trace = new AccessLogTrace(fromMs);
        for (Path file : files) {
            trace.read(file);
        }
        if (trace.rows.rows() == 0) {
            throw new Refused("nothing was read or written in that time, according to the log of accesses");
        }
        return trace;
    }

    /** The accesses as the simulator reads them. */
    public Trace trace() {
        return rows.build();
    }

    /** Where the readers of {@link #trace} were. */
    public LoggedPlaces places() {
        return places;
    }

    /** Numbers of the objects in {@link #trace}, by block id. */
    public Map<String, Integer> numbers() {
        return numbers;
    }

    private static List<Path> download(AdminClient client, long fromMs, Path dir)
            throws Refused, Unreachable, IOException {
        List<Path> files = new ArrayList<>();
        long done = 0;
        AccessLogRequestProto request =
                AccessLogRequestProto.newBuilder().setFromMs(fromMs).build();
        try (ProgressLine progress = new ProgressLine("fetching the log of accesses", 100)) {
            while (true) {
                AccessLogRequestProto asked = request;
                AccessLogResponseProto answer = client.active(service -> service.accessLog(null, asked));
                if (files.isEmpty() || request.getOffset() == 0) {
                    files.add(dir.resolve("%06d.csv.gz".formatted(files.size())));
                    files.get(files.size() - 1).toFile().deleteOnExit();
                }
                try (OutputStream out = Files.newOutputStream(
                        files.get(files.size() - 1), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
                    answer.getData().writeTo(out);
                }
                done += answer.getData().size();
                progress.at(100 * done / Math.max(1, answer.getTotalBytes()));
                if (!answer.hasNextSegment()) {
                    return files;
                }
                request = AccessLogRequestProto.newBuilder()
                        .setFromMs(fromMs)
                        .setSegment(answer.getNextSegment())
                        .setOffset(answer.getNextOffset())
                        .build();
            }
        }
    }

    private void read(Path file) throws IOException, Refused {
        try (BufferedReader lines = TraceFormat.open(file)) {
            places.begin();
            String line = lines.readLine();
            for (int number = 2; line != null && (line = lines.readLine()) != null; number++) {
                if (line.startsWith(TraceFormat.COMMENT)) {
                    PlaceComment.parse(line, places);
                } else if (row.parse(line, number) && row.timeMs() >= fromMs) {
                    add();
                }
            }
        } catch (EOFException | ZipException e) {
            // The end of the file is missing; the lines before it count.
            return;
        }
    }

    private void add() throws Refused {
        if (rows.rows() >= MOST_ROWS) {
            throw new Refused("there are more than " + MOST_ROWS + " accesses in that time; ask for less with --last");
        }
        firstMs = firstMs < 0 ? row.timeMs() : firstMs;
        // The clock may have been set back, or be another NameNode's; time in a trace never goes back, nor does it
        // stand still for long.
        if (latestMs - (row.timeMs() + shiftMs) > MOST_STANDSTILL_MS) {
            shiftMs = latestMs - row.timeMs();
        }
        latestMs = Math.max(latestMs, row.timeMs() + shiftMs);
        int object = numbers.computeIfAbsent(row.object(), id -> numbers.size());
        places.row(row.isWrite());
        rows.add(latestMs - firstMs, object, row.bytes(), row.sizeBytes(), row.isWrite(), -1);
    }
}
