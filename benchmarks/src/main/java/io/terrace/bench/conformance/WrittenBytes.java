package io.terrace.bench.conformance;

import io.terrace.bench.conformance.Campaign.ClassResult;
import io.terrace.bench.conformance.launcher.TestRun;
import java.util.List;
import java.util.Map;

/**
 * What the last run with Terrace of each class wrote. Hadoop counts what is written through FileSystem alone: a class of which
 * more went over the channel than Hadoop counted writes otherwise as well, and is left out.
 *
 * @param writtenBytes of any file: appends and erasure-coded files are among them, which stock writes
 * @param channelBytes of these over the channel
 */
record WrittenBytes(long writtenBytes, long channelBytes) {
    static WrittenBytes of(List<ClassResult> results) {
        return results.stream()
                .filter(result -> !result.terrace().isEmpty())
                .map(result -> of(result.terrace().get(result.terrace().size() - 1)))
                .filter(run -> run.channelBytes <= run.writtenBytes)
                .reduce(
                        new WrittenBytes(0, 0),
                        (one, other) -> new WrittenBytes(
                                one.writtenBytes + other.writtenBytes, one.channelBytes + other.channelBytes));
    }

    private static WrittenBytes of(TestRun run) {
        return new WrittenBytes(
                run.figure(TestRun.Figure.WRITTEN_BYTES), run.figure(TestRun.Figure.CHANNEL_WRITTEN_BYTES));
    }

    /** Adds nothing where writes over the channel are off. */
    void addTo(Map<String, Object> figures) {
        if (channelBytes > 0) {
            figures.put("bytes.written.share", Math.round(10_000.0 * channelBytes / writtenBytes) / 10_000.0);
            figures.put("bytes.written.channel", channelBytes);
            figures.put("bytes.written", writtenBytes);
        }
    }
}
