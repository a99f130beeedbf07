package io.terrace.bench.write;

/**
 * How much is written.
 *
 * @param fileBytes of a large file
 * @param blockBytes of its blocks
 * @param smallFiles of a round; stock may need almost half a second for each
 * @param smallRounds rounds of medians of small files
 * @param flushes of a round
 * @param warmUps rounds that do not count
 * @param rounds of medians
 */
public record WritePlan(
        long fileBytes, long blockBytes, int smallFiles, int smallRounds, int flushes, int warmUps, int rounds) {
    /** A run whose figures can be quoted: some minutes. */
    public static WritePlan full() {
        return new WritePlan(1L << 30, 128L << 20, 24, 7, 2_000, 2, 11);
    }

    /** The same with more or fewer small files in a round. */
    public WritePlan withSmallFiles(int files) {
        return new WritePlan(fileBytes, blockBytes, files, smallRounds, flushes, warmUps, rounds);
    }

    /** A run that shows that everything works. */
    public static WritePlan quick() {
        return new WritePlan(128L << 20, 16L << 20, 8, 5, 200, 1, 5);
    }
}
