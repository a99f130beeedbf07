package io.terrace.bench.soak.logs;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of a NameNode's log: the recovery of a last block has ended, after a cut, or when a lease was recovered.
 *
 * <p>Hadoop 3.5 says it in two forms (FSNamesystem.commitBlockSynchronization). The block keeps its number and gets another
 * stamp; or, if a snapshot has the block and the file is cut, what is left of it is copied into a new block.
 *
 * @param block number of the block that was recovered
 * @param newBlock number of what it is since; the same number in the first form
 * @param stamp generation stamp of that
 * @param length of that, in bytes
 * @param targets the DataNodes at which the replica was updated; none if the block was deleted meanwhile
 */
public record RecoveryLine(long block, long newBlock, long stamp, long length, List<String> targets) {
    /** How such a line ends. A request has the same words, without {@code file=} and without this. */
    private static final String END = ") successful";

    private static final Pattern SUCCESSFUL =
            Pattern.compile("commitBlockSynchronization\\(oldBlock=[^,]*:blk_(\\d+)_\\d+, file=.*, "
                    + "(?:newBlock=[^,]*blk_(\\d+)_(\\d+)[^,]*|newgenerationstamp=(\\d+)), "
                    + "newlength=(\\d+), newtargets=\\[([^\\]]*)\\]\\) successful");

    public RecoveryLine {
        targets = List.copyOf(targets);
    }

    /** Of a line of a log; empty for any other line. */
    public static Optional<RecoveryLine> of(String line) {
        if (!line.endsWith(END)) {
            return Optional.empty();
        }
        Matcher matcher = SUCCESSFUL.matcher(line);
        if (!matcher.find()) {
            return Optional.empty();
        }
        boolean copied = matcher.group(2) != null;
        long block = Long.parseLong(matcher.group(1));
        String targets = matcher.group(6);
        return Optional.of(new RecoveryLine(
                block,
                copied ? Long.parseLong(matcher.group(2)) : block,
                Long.parseLong(copied ? matcher.group(3) : matcher.group(4)),
                Long.parseLong(matcher.group(5)),
                targets.isEmpty() ? List.of() : List.of(targets.split(", ", -1))));
    }

    /** Whether what a snapshot has was left alone, and the file has a copy of it. */
    public boolean isCopy() {
        return newBlock != block;
    }
}
