package io.terrace.channel;

/** What a client read through one grant since its last report. */
public record ReadReport(long grantId, long reads, long bytes) {
    public ReadReport {
        if (grantId <= 0 || reads < 0 || bytes < 0) {
            throw new IllegalArgumentException("bad report: " + grantId + ", " + reads + ", " + bytes);
        }
    }
}
