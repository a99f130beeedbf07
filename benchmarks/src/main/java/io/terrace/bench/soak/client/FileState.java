package io.terrace.bench.soak.client;

import io.terrace.bench.load.SeededContent;
import java.util.ArrayList;
import java.util.List;

/**
 * What is known of a file: which bytes it must have, and which it may have.
 *
 * @param id number of the file for its writer, never used again
 * @param path where it is; where it may be, too, if {@code phase} says so
 * @param segments who wrote which bytes, in their order; the first begins at 0
 * @param acknowledged the file has at least so many bytes
 * @param written and at most so many
 * @param phase what its writer does with it
 * @param otherPath where it may be else, while it is renamed; else the path
 * @param otherLength how long it may be else, while it is truncated; else {@code written}
 * @param blockBytes size of its blocks
 * @param epoch changes whenever bytes that were there may not be there any more, or not under this path
 */
record FileState(
        int id,
        String path,
        List<Segment> segments,
        long acknowledged,
        long written,
        Phase phase,
        String otherPath,
        long otherLength,
        long blockBytes,
        int epoch) {
    /** Bytes that were written in one go: from {@code start} on, of a version that no other bytes of the file have. */
    record Segment(int version, long start) {}

    /** Where a file stands; a call that failed leaves it there, since it may have been done all the same. */
    enum Phase {
        CREATING,
        OPEN,
        CLOSED,
        TRUNCATING,
        RENAMING,
        DELETING
    }

    FileState {
        segments = List.copyOf(segments);
    }

    static FileState creating(int id, int version, String path, long blockBytes) {
        return new FileState(id, path, List.of(new Segment(version, 0)), 0, 0, Phase.CREATING, path, 0, blockBytes, 0);
    }

    /** Whether readers can say what it holds. */
    boolean readable() {
        return phase == Phase.OPEN || phase == Phase.CLOSED;
    }

    FileState opened() {
        return with(acknowledged, written, Phase.OPEN);
    }

    FileState writing(long end) {
        return with(acknowledged, Math.max(written, end), Phase.OPEN);
    }

    FileState flushed(long end) {
        return with(Math.max(acknowledged, end), written, phase);
    }

    FileState closed(long end) {
        return with(end, end, Phase.CLOSED);
    }

    /** Bytes come behind those that are there. */
    FileState appending(int version) {
        List<Segment> more = new ArrayList<>(segments);
        if (written == 0) {
            more.clear();
        }
        more.add(new Segment(version, written));
        return new FileState(id, path, more, acknowledged, written, Phase.OPEN, path, written, blockBytes, epoch);
    }

    FileState truncating(long length) {
        return new FileState(
                id, path, segments, acknowledged, written, Phase.TRUNCATING, path, length, blockBytes, epoch + 1);
    }

    FileState renaming(String target) {
        return new FileState(
                id, path, segments, acknowledged, written, Phase.RENAMING, target, written, blockBytes, epoch + 1);
    }

    FileState deleting() {
        return new FileState(
                id, path, segments, acknowledged, written, Phase.DELETING, path, written, blockBytes, epoch + 1);
    }

    /** It is closed, and is here, with so many bytes. */
    FileState found(String where, long length) {
        List<Segment> left = new ArrayList<>();
        for (Segment segment : segments) {
            if (segment.start() < length || left.isEmpty()) {
                left.add(segment);
            }
        }
        return new FileState(id, where, left, length, length, Phase.CLOSED, where, length, blockBytes, epoch + 1);
    }

    /** Fills a buffer with what the file holds from a position on. */
    void fill(SeededContent content, long position, byte[] target, int length) {
        int done = 0;
        for (int i = 0; i < segments.size() && done < length; i++) {
            long end = i + 1 < segments.size() ? segments.get(i + 1).start() : Long.MAX_VALUE;
            int count = (int) Math.min(length - done, Math.max(0, end - position - done));
            // The bytes of a part may begin anywhere in the target.
            byte[] part = done == 0 ? target : new byte[count];
            content.fill(id, segments.get(i).version(), position + done, part, count);
            if (done > 0) {
                System.arraycopy(part, 0, target, done, count);
            }
            done += count;
        }
    }

    /** The lengths that the file may have, seen by somebody who knows that nothing is in progress. */
    boolean mayHave(long length) {
        return switch (phase) {
            case TRUNCATING -> length == written || length == otherLength;
            case CREATING, OPEN -> acknowledged <= length && length <= written;
            case CLOSED, RENAMING, DELETING -> length == written;
        };
    }

    private FileState with(long atLeast, long atMost, Phase now) {
        return new FileState(id, path, segments, atLeast, atMost, now, path, atMost, blockBytes, epoch);
    }
}
