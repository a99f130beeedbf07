package io.terrace.bench.writefaults;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * All that a run does, drawn from its seed: the process that writes and the one that makes the faults draw the same.
 *
 * @param local whether the writer reaches its first DataNode over the Unix socket, as on the same host
 * @param early whether the close waits for the NameNode alone ({@code terrace.client.write.close=minimal})
 * @param steps calls of the stream, in their order, without the close
 * @param second a fault while the first is mended; null for none
 */
record WriteFaultPlan(
        long seed,
        int replication,
        long blockBytes,
        long fileBytes,
        boolean local,
        boolean early,
        List<Step> steps,
        Injection first,
        @Nullable Injection second) {
    private static final int MEGABYTE = 1 << 20;
    private static final int MAX_CALL_BYTES = 300_000;
    private static final int MAX_PIPELINE = 3;

    /** So long nobody gives a silent DataNode up: a third of {@code dfs.client.socket-timeout}, as machines may be busy. */
    static final long UNNOTICED_MS = 1_000;

    /** A call of the stream. */
    enum Kind {
        WRITE,
        HFLUSH,
        HSYNC
    }

    /** @param end bytes of the file that were written after it */
    record Step(Kind kind, long end) {}

    /**
     * A fault and when it comes.
     *
     * @param place of the DataNode in the pipeline
     * @param offset bytes that were written, for stages that no call marks
     * @param ordinal how many such calls go before, for stages that a call marks
     * @param waits whether the writer waits until the fault is there; else it goes on meanwhile
     * @param lastsMs how long it lasts, for faults that end
     */
    record Injection(Fault fault, Stage stage, int place, long offset, int ordinal, boolean waits, long lastsMs) {}

    static WriteFaultPlan of(long seed) {
        RandomGenerator random = new SplittableRandom(seed * 0x9e3779b97f4a7c15L + 1);
        int replication = 1 + random.nextInt(MAX_PIPELINE);
        long blockBytes = (2 + random.nextInt(7)) * (MEGABYTE / 2);
        long fileBytes = random.nextInt(8) == 0
                ? random.nextLong(2_000)
                : random.nextLong(Math.min(4 * blockBytes, 6L << 20)) + 1;
        boolean local = random.nextInt(4) == 0;
        Fault fault = Fault.values()[random.nextInt(Fault.values().length)];
        Injection first = injection(fault, firstStage(random), fileBytes, blockBytes, random);
        Injection second = first.fault().ofOneDataNode() && random.nextInt(3) == 0
                ? injection(secondFault(random), secondStage(random), fileBytes, blockBytes, random)
                : null;
        return new WriteFaultPlan(
                seed,
                replication,
                blockBytes,
                fileBytes,
                local,
                isEarly(seed),
                steps(fileBytes, blockBytes, first.offset(), random),
                first,
                second);
    }

    /** Of numbers of its own, so that all else of a seed is as it was before. */
    private static boolean isEarly(long seed) {
        return new SplittableRandom(seed * 0x9e3779b97f4a7c15L + 2).nextInt(4) == 0;
    }

    List<Injection> injections() {
        return second == null ? List.of(first) : List.of(first, second);
    }

    /** Whether HDFS promises that the writer gets its file written in spite of the faults. */
    boolean mustSucceed() {
        return second == null
                && switch (first.fault()) {
                    case NONE, STOP_CLIENT, KILL_NAMENODE, STOP_NAMENODE, SLOW_LINK -> true;
                    case KILL_CLIENT, TAKE_LEASE -> false;
                    case KILL_DATANODE, CUT_LINK, FULL_VOLUME -> replication > 1;
                    case STOP_DATANODE, STALL_LINK -> replication > 1 || first.lastsMs() <= UNNOTICED_MS;
                };
    }

    /** What it is, for messages. */
    String text() {
        return replication + " replicas, blocks of " + blockBytes + ", " + fileBytes + " bytes"
                + (local ? ", local" : "") + (early ? ", closed early: " : ": ") + text(first)
                + (second == null ? "" : "; then " + text(second));
    }

    private static String text(Injection injection) {
        if (injection.fault() == Fault.NONE) {
            return "no fault";
        }
        String where =
                injection.stage().call().isPresent() ? " " + (injection.ordinal() + 1) : " " + injection.offset();
        return injection.fault().title()
                + (injection.fault().ofOneDataNode() ? " " + (injection.place() + 1) : "")
                + " at " + injection.stage().title() + where + " for " + injection.lastsMs() + " ms"
                + (injection.waits() ? "" : ", beside the writer");
    }

    private static Stage firstStage(RandomGenerator random) {
        Stage[] often = {Stage.AT_OFFSET, Stage.AT_OFFSET, Stage.AT_OFFSET, Stage.BLOCK_END, Stage.FIRST_BYTE};
        Stage[] calls = {Stage.ADD_BLOCK, Stage.BLOCK_ADDED, Stage.FSYNC, Stage.COMPLETE, Stage.COMPLETED};
        return random.nextBoolean() ? often[random.nextInt(often.length)] : calls[random.nextInt(calls.length)];
    }

    private static Fault secondFault(RandomGenerator random) {
        Fault[] faults = {Fault.KILL_CLIENT, Fault.KILL_DATANODE, Fault.KILL_NAMENODE, Fault.STOP_CLIENT};
        return faults[random.nextInt(faults.length)];
    }

    private static Stage secondStage(RandomGenerator random) {
        return random.nextBoolean() ? Stage.NEW_STAMP : Stage.NEW_PIPELINE;
    }

    private static Injection injection(
            Fault fault, Stage stage, long fileBytes, long blockBytes, RandomGenerator random) {
        int blocks = (int) ((fileBytes + blockBytes - 1) / blockBytes);
        long offset =
                switch (stage) {
                    case AT_OFFSET -> random.nextLong(fileBytes + 1);
                    case BLOCK_END -> Math.min(fileBytes, (1 + random.nextInt(Math.max(1, blocks))) * blockBytes);
                    default -> 0;
                };
        int ordinal = stage == Stage.ADD_BLOCK || stage == Stage.BLOCK_ADDED ? random.nextInt(Math.max(1, blocks)) : 0;
        long lastsMs = random.nextInt(4) == 0 ? 4_000 + random.nextLong(12_000) : 100 + random.nextLong(3_000);
        return new Injection(
                fault, stage, random.nextInt(MAX_PIPELINE), offset, ordinal, random.nextInt(3) > 0, lastsMs);
    }

    /** Calls of random lengths; one ends where the fault comes. */
    private static List<Step> steps(long fileBytes, long blockBytes, long faultAt, RandomGenerator random) {
        List<Step> steps = new ArrayList<>();
        int maxCall = random.nextInt(3) == 0 ? 5_000 : MAX_CALL_BYTES;
        int flushes = random.nextInt(4) * 10;
        for (long at = 0; at < fileBytes; ) {
            long end = Math.min(fileBytes, at + 1 + random.nextInt(maxCall));
            if (random.nextInt(4) == 0) {
                // Also right at the end of a block.
                end = Math.min(fileBytes, (at / blockBytes + 1) * blockBytes);
            }
            if (at < faultAt && faultAt < end) {
                end = faultAt;
            }
            steps.add(new Step(Kind.WRITE, end));
            if (random.nextInt(100) < flushes) {
                steps.add(new Step(random.nextInt(3) == 0 ? Kind.HSYNC : Kind.HFLUSH, end));
            }
            at = end;
        }
        return List.copyOf(steps);
    }
}
