package io.terrace.bench.simulation;

import io.terrace.common.DaemonThreads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Seeds shared between processes: the code under simulation counts in statics, so that two seeds in one process would meet.
 */
final class SeedJobs {
    private static final Pattern SUMMARY = Pattern.compile("(\\d+) seeds, (\\d+) failed, .*");

    private final long first;
    private final int seeds;
    private final int jobs;
    private final boolean swarm;
    private final PrintWriter out;

    SeedJobs(long first, int seeds, int jobs, boolean swarm, PrintWriter out) {
        this.first = first;
        this.seeds = seeds;
        this.jobs = jobs;
        this.swarm = swarm;
        this.out = out;
    }

    private static final class Job {
        private final Process process;
        private final Thread lines;
        private long ran;
        private long failed;

        Job(Process process, PrintWriter out) {
            this.process = process;
            this.lines = DaemonThreads.make("seeds-" + process.pid(), () -> listen(out));
        }

        private void listen(PrintWriter out) {
            try (BufferedReader in =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    Matcher summary = SUMMARY.matcher(line);
                    if (summary.matches()) {
                        ran = Long.parseLong(summary.group(1));
                        failed = Long.parseLong(summary.group(2));
                    } else {
                        out.println(line);
                        out.flush();
                    }
                }
            } catch (IOException ended) {
                return;
            }
        }
    }

    /** Returns how many failed. A process that ends before its seeds are run is an error. */
    int run() throws IOException {
        List<Job> started = new ArrayList<>();
        try {
            for (int i = 0; i < jobs; i++) {
                long from = first + (long) seeds * i / jobs;
                long to = first + (long) seeds * (i + 1) / jobs;
                Job job = new Job(start(from, to - from), out);
                started.add(job);
                job.lines.start();
            }
            int failed = 0;
            long ran = 0;
            for (Job job : started) {
                job.lines.join();
                ran += job.ran;
                failed += job.failed;
            }
            if (ran != seeds) {
                throw new IOException("only " + ran + " of " + seeds + " seeds were run");
            }
            return failed;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            started.forEach(job -> job.process.destroy());
        }
    }

    private Process start(long from, long count) throws IOException {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-Dlog4j.configuration=terrace-cli-log4j.properties",
                "-cp",
                System.getProperty("java.class.path"),
                "io.terrace.bench.cli.TerraceCommand",
                "test",
                "simulation",
                "--plant",
                "none",
                "--first",
                Long.toString(from),
                "--seeds",
                Long.toString(count)));
        if (swarm) {
            words.add("--swarm");
        }
        return new ProcessBuilder(words).redirectErrorStream(true).start();
    }
}
