package io.terrace.bench.soak.client;

import io.terrace.bench.load.SeededContent;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;

/**
 * The last block of a file, and what it must hold. All that can be said of a block that cannot be read.
 *
 * @param id its number
 * @param stamp its generation stamp
 * @param length how many of its bytes the file has
 * @param sha256 of these bytes, as they were written; in hexadecimal digits
 */
public record LastBlock(long id, long stamp, long length, String sha256) {
    private static final int PIECE = 64 << 10;

    /** Digits of a SHA-256. */
    private static final int DIGITS = 64;

    public LastBlock {
        if (sha256.length() != DIGITS) {
            throw new IllegalArgumentException("no SHA-256: " + sha256);
        }
    }

    /**
     * The last block of a file that is closed, if reading failed within it.
     *
     * @param at how far the file was read; everything before was right
     */
    static Optional<LastBlock> of(DistributedFileSystem fs, ReadFile.Source source, long at) throws IOException {
        FileState state = source.state();
        LocatedBlocks blocks = fs.getClient().getLocatedBlocks(source.path(), 0);
        LocatedBlock last = blocks.getLastLocatedBlock();
        if (last == null || !blocks.isLastBlockComplete() || state.acknowledged() != state.written()) {
            return Optional.empty();
        }
        long start = last.getStartOffset();
        long length = state.written() - start;
        if (at < start || length <= 0 || length > last.getBlockSize()) {
            return Optional.empty();
        }
        return Optional.of(new LastBlock(
                last.getBlock().getBlockId(),
                last.getBlock().getGenerationStamp(),
                length,
                expected(source.content(), state, start, length)));
    }

    private static String expected(SeededContent content, FileState state, long start, long length) {
        MessageDigest digest = sha256Digest();
        byte[] piece = new byte[PIECE];
        for (long done = 0; done < length; done += PIECE) {
            int count = (int) Math.min(PIECE, length - done);
            state.fill(content, start + done, piece, count);
            digest.update(piece, 0, count);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static MessageDigest sha256Digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Whether a replica begins with what was written. */
    public boolean isBeginningOf(byte[] replica) {
        if (replica.length < length) {
            return false;
        }
        MessageDigest digest = sha256Digest();
        digest.update(replica, 0, (int) length);
        return HexFormat.of().formatHex(digest.digest()).equals(sha256);
    }

    /** As words of a line. */
    String words() {
        return id + " " + stamp + " " + length + " " + sha256;
    }

    /** @param words of a line, from the place on where they stand in it */
    public static LastBlock of(List<String> words) {
        return new LastBlock(
                Long.parseLong(words.get(0)), Long.parseLong(words.get(1)), Long.parseLong(words.get(2)), words.get(3));
    }
}
