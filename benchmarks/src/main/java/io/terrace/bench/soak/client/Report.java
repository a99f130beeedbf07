package io.terrace.bench.soak.client;

import java.io.PrintStream;

/**
 * What a process tells its parent, a line each. Thread-safe.
 *
 * @param out nothing else is printed there
 */
record Report(PrintStream out) {
    /** Bytes that are not what was written. */
    void wrong(String path, long position, int expected, int actual, long count, long blockBytes, String how) {
        say("WRONG " + path + " " + position + " " + (expected & 0xff) + " " + (actual & 0xff) + " " + count + " "
                + blockBytes + " " + how);
    }

    /** Bytes that were acknowledged and are not there. */
    void lost(String path, long bytes, String why) {
        say("LOST " + path + " " + bytes + " " + why.replace('\n', ' '));
    }

    void say(String line) {
        synchronized (out) {
            out.println(line);
            out.flush();
        }
    }
}
