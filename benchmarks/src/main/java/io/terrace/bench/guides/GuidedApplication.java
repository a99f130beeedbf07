package io.terrace.bench.guides;

import java.io.Closeable;
import java.io.IOException;
import java.util.Map;

/** An application that was set up as its page says, and has its input in HDFS. */
interface GuidedApplication extends Closeable {
    /** The variables that the page's commands use, with the values that its text gives them. */
    Map<String, String> variables();

    /**
     * Reads the input, once in each way in which the page sets the application up.
     *
     * @return the share of the input's bytes that came from memory; the least, of several ways
     */
    double work() throws IOException, InterruptedException;
}
