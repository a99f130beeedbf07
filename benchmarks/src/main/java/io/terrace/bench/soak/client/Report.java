package io.terrace.bench.soak.client;

import io.terrace.bench.faults.WrittenReplicas;
import java.io.PrintStream;
import java.util.Locale;

/**
 * What a process tells its parent, a line each. Thread-safe.
 *
 * @param out nothing else is printed there
 */
record Report(PrintStream out) {
    /** A byte within its block; block 0 where it is not known. */
    record Place(long block, long offset) {
        static final Place UNKNOWN = new Place(0, 0);
    }

    /**
     * Bytes that are not what was written.
     *
     * @param place of the first of them
     */
    void wrong(String path, long position, int expected, int actual, long count, Place place, String how) {
        say("WRONG " + path + " " + position + " " + (expected & 0xff) + " " + (actual & 0xff) + " " + count + " "
                + place.block() + " " + place.offset() + " " + how);
    }

    /** Bytes that were acknowledged and are not there. */
    void lost(String path, long bytes, String why) {
        say("LOST " + path + " " + bytes + " " + why.replace('\n', ' '));
    }

    /** Bytes that were acknowledged and cannot be read, all of them in the last block. */
    void unreadable(String path, long bytes, LastBlock block, String why) {
        say("UNREADABLE " + path + " " + bytes + " " + block.words() + " " + why.replace('\n', ' '));
    }

    /**
     * Bytes that a client with short-circuit reads cannot read, and a new one without them can.
     *
     * @param block its number; 0 where it is not known
     */
    void hidden(String path, long bytes, long block, String why) {
        say("HIDDEN " + path + " " + bytes + " " + block + " " + why.replace('\n', ' '));
    }

    /**
     * A read or write that failed though nothing was broken.
     *
     * @param what {@code reads} or {@code writes}
     * @param block its number; 0 where it is not known
     * @param hidden whether a bad replica may have hidden the good ones
     */
    void failed(String what, String path, long block, boolean hidden, String why) {
        say("FAILED " + what + " " + path + " " + block + " " + (hidden ? "hidden" : "shown") + " "
                + why.replace('\n', ' '));
    }

    /** Something that is wrong with the replicas of a closed file. */
    void replicas(String path, WrittenReplicas.Fault fault) {
        say("REPLICAS " + path + " " + fault.kind().name().toLowerCase(Locale.ROOT) + " " + fault.block() + " "
                + fault.what().replace('\n', ' '));
    }

    void say(String line) {
        synchronized (out) {
            out.println(line);
            out.flush();
        }
    }
}
