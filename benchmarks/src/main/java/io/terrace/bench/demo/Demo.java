package io.terrace.bench.demo;

import io.terrace.bench.load.Step;
import io.terrace.bench.load.StoredFile;
import io.terrace.bench.load.VerifyingClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Stores data, reads it by a workload while hot blocks are promoted to memory, and verifies every byte. */
public final class Demo {
    private static final int WINDOWS = 15;

    private final DemoPlan plan;
    private final VerifyingClient client;
    private final MemoryState.Probe memory;
    private final Screen screen;

    public Demo(DemoPlan plan, VerifyingClient client, MemoryState.Probe memory, Screen screen) {
        this.plan = plan;
        this.client = client;
        this.memory = memory;
        this.screen = screen;
    }

    /** Runs all phases. */
    public DemoResult run() throws IOException {
        store();
        ReadTally workload = new ReadTally();
        List<Integer> written = new ArrayList<>();
        read(workload, written);
        MemoryState after = memory.now();
        ReadTally check = verifyAll(written);
        return new DemoResult(workload, check, after);
    }

    private void store() throws IOException {
        List<StoredFile> files = plan.data().files();
        long total = files.stream()
                .filter(StoredFile::storedFirst)
                .mapToLong(StoredFile::lengthBytes)
                .sum();
        try (Progress progress = screen.phase("store ", total)) {
            long done = 0;
            for (int file = 0; file < files.size(); file++) {
                if (files.get(file).storedFirst()) {
                    client.store(file);
                    done += files.get(file).lengthBytes();
                    progress.at(done, (file + 1) + " files");
                }
            }
        }
    }

    /** @param written receives the files that the workload wrote first */
    private void read(ReadTally total, List<Integer> written) throws IOException {
        screen.line("Reading: %s", plan.description());
        screen.line(DemoWindow.HEADER);
        boolean[] exists = new boolean[plan.data().files().size()];
        for (int i = 0; i < exists.length; i++) {
            exists[i] = plan.data().files().get(i).storedFirst();
        }
        long startNs = System.nanoTime();
        long endNs = startNs + plan.maxSeconds() * 1_000_000_000L;
        long windowNs = Math.max(1_000_000_000L, (endNs - startNs) / WINDOWS);
        long windowEndNs = startNs + windowNs;
        ReadTally window = new ReadTally();
        while (total.reads() + window.reads() < plan.maxReads()) {
            Optional<Step> step = plan.workload().next();
            long nowNs = System.nanoTime();
            if (nowNs >= windowEndNs || step.isEmpty()) {
                closeWindow(total, window, (nowNs - startNs) / 1e9);
                window = new ReadTally();
                windowEndNs += windowNs;
            }
            if (step.isEmpty() || nowNs >= endNs) {
                break;
            }
            perform(step.get(), window, exists, written);
        }
        if (window.reads() > 0) {
            closeWindow(total, window, (System.nanoTime() - startNs) / 1e9);
        }
    }

    private void perform(Step step, ReadTally window, boolean[] exists, List<Integer> written) throws IOException {
        int file = step.file();
        if (step.kind() == Step.Kind.READ) {
            window.record(client.read(file, step.position(), step.lengthBytes()));
        } else if (exists[file]) {
            client.rewrite(file);
        } else {
            exists[file] = true;
            written.add(file);
            client.store(file);
        }
    }

    private void closeWindow(ReadTally total, ReadTally window, double seconds) throws IOException {
        total.add(window);
        if (window.reads() > 0) {
            screen.line(DemoWindow.of(seconds, window, memory.now()).line());
        }
    }

    /** Reads every file from beginning to end and compares it. */
    private ReadTally verifyAll(List<Integer> written) throws IOException {
        List<StoredFile> files = plan.data().files();
        ReadTally check = new ReadTally();
        long total = plan.data().lengthBytes();
        try (Progress progress = screen.phase("verify", total)) {
            for (int file = 0; file < files.size(); file++) {
                if (files.get(file).storedFirst() || written.contains(file)) {
                    check.record(client.read(file, 0, files.get(file).lengthBytes()));
                    progress.at(check.bytes(), String.format(Locale.ROOT, "%d wrong", check.wrongBytes()));
                }
            }
        }
        return check;
    }
}
