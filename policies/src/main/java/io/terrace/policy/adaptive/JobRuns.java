package io.terrace.policy.adaptive;

import it.unimi.dsi.fastutil.HashCommon;

/**
 * How many objects each job touched in one go, so that the thousand blocks of one file read by one job do not count as a
 * thousand signs: the k-th weighs 1/k. A run ends when the job pauses for {@value #PAUSE_MS} ms. Kept for {@value #JOBS}
 * jobs, by hash; two that fall together cut each other's runs short, which only makes evidence weigh more.
 */
final class JobRuns {

    private static final int JOBS = 1024;
    private static final long PAUSE_MS = 1000;

    /** Empty before the first job that is known. */
    private long[] jobs = {};

    private long[] lastMs = {};
    private int[] runs = {};

    /** Weight of the job's next touch; 1 for an unknown job, which is negative. */
    float next(long job, long nowMs) {
        if (job < 0) {
            return 1;
        }
        if (jobs.length == 0) {
            jobs = new long[JOBS];
            lastMs = new long[JOBS];
            runs = new int[JOBS];
        }
        int at = (int) HashCommon.murmurHash3(job) & (JOBS - 1);
        boolean goesOn = jobs[at] == job && runs[at] > 0 && nowMs - lastMs[at] < PAUSE_MS;
        runs[at] = goesOn ? runs[at] + 1 : 1;
        jobs[at] = job;
        lastMs[at] = nowMs;
        return 1f / runs[at];
    }

    long memoryBytes() {
        return 20L * jobs.length;
    }
}
