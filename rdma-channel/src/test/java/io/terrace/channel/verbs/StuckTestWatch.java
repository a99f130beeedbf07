package io.terrace.channel.verbs;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Says where every thread stands, in Java and in the kernel, when a test takes too long, and ends the process: nobody can look
 * into the guest from outside.
 */
final class StuckTestWatch extends Thread {
    /** 10,000 registrations, the most that one test makes, took more than a minute beside other work. */
    private static final long STUCK_NS = TimeUnit.MINUTES.toNanos(10);

    private final PrintStream out;
    private volatile long startedNs = System.nanoTime();

    StuckTestWatch(PrintStream out) {
        super("stuck-watch");
        this.out = out;
        setDaemon(true);
    }

    /** A test begins now. */
    void started() {
        startedNs = System.nanoTime();
    }

    @Override
    public void run() {
        try {
            while (System.nanoTime() - startedNs < STUCK_NS) {
                Thread.sleep(1_000);
            }
        } catch (InterruptedException e) {
            return;
        }
        out.println("stuck; the threads:");
        for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, true)) {
            out.println(thread.getThreadName() + " " + thread.getThreadState() + " " + thread.getLockInfo());
            Arrays.stream(thread.getStackTrace()).forEach(frame -> out.println("    " + frame));
        }
        try {
            kernelStacks();
        } catch (IOException e) {
            out.println("no stacks of the kernel: " + e);
        }
        Runtime.getRuntime().halt(3);
    }

    private void kernelStacks() throws IOException {
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                out.println(Files.readString(task.resolve("comm")).strip());
                out.println(Files.readString(task.resolve("stack")));
            }
        }
    }
}
