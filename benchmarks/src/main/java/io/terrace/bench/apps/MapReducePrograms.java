package io.terrace.bench.apps;

import io.terrace.bench.measure.ClientVariant;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** MapReduce's own programs, each submitted with the client settings of a variant. */
final class MapReducePrograms {
    private static final String TERA = "org.apache.hadoop.examples.terasort.";
    private static final String DFSIO = "org.apache.hadoop.fs.TestDFSIO";
    private static final Pattern DFSIO_RATE = Pattern.compile("Throughput mb/sec: +([0-9.]+)");
    private static final int ROW_BYTES = 100;
    private static final int DFSIO_FILES = 4;
    private static final int LIMIT_SECONDS = 900;

    private final Yarn yarn;
    private final Path dir;
    private final int megabytes;

    /**
     * For one cluster.
     *
     * @param dir for TestDFSIO's results
     * @param megabytes that a program generates, reads or writes
     */
    MapReducePrograms(Yarn yarn, Path dir, int megabytes) {
        this.yarn = yarn;
        this.dir = dir;
        this.megabytes = megabytes;
    }

    /** What a program generates or writes. */
    long bytes() {
        return megabytes * 1_000_000L;
    }

    /** TestDFSIO in a direction, {@code -read} or {@code -write}; returns what it wrote to its output. */
    String dfsio(String name, ClientVariant variant, String direction) throws IOException {
        return submit(
                name,
                variant,
                DFSIO,
                direction,
                "-nrFiles",
                Integer.toString(DFSIO_FILES),
                "-size",
                megabytes / DFSIO_FILES + "MB",
                "-resFile",
                dir.resolve(name + ".txt").toString());
    }

    void teraGen(String name, ClientVariant variant, String output) throws IOException {
        submit(name, variant, TERA + "TeraGen", Long.toString(bytes() / ROW_BYTES), output);
    }

    void teraSort(String name, ClientVariant variant, String input, String output) throws IOException {
        submit(name, variant, TERA + "TeraSort", input, output);
    }

    void teraValidate(String name, ClientVariant variant, String output, String report) throws IOException {
        submit(name, variant, TERA + "TeraValidate", output, report);
    }

    private String submit(String name, ClientVariant variant, String... words) throws IOException {
        return yarn.submit(name, variant, LIMIT_SECONDS, List.of(words));
    }

    /** Megabytes a second of a task, as TestDFSIO reports them. */
    static double rate(String output) throws IOException {
        Matcher rate = DFSIO_RATE.matcher(output);
        if (!rate.find()) {
            throw new IOException("TestDFSIO printed no throughput:\n" + output);
        }
        return Double.parseDouble(rate.group(1));
    }
}
