package io.terrace.channel.verbs;

import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.channel.verbs.device.RegisteredBuffers;
import java.nio.ByteBuffer;
import java.util.zip.Checksum;
import org.jspecify.annotations.Nullable;

/**
 * One one-sided operation in flight and the registered buffers it goes through; made once and used again and again.
 * Guarded by the lock of its link, but for {@code done}, which whoever waits looks at.
 */
final class OneSidedRequest {
    /** Buffers of data of one operation: 768 KB at most. */
    static final int MAX_BUFFERS = 6;

    static final int MAX_BYTES = MAX_BUFFERS * RegisteredBuffers.LARGE_BYTES;

    final int slot;
    final int[] buffers = new int[MAX_BUFFERS];
    final int[] lengths = new int[MAX_BUFFERS];
    int count;

    /** Buffer of the checksums, or -1. */
    int sums = -1;

    int bytes;

    /** Work requests of the batch. */
    int requests;

    /** The word that says the range is valid, and the one that was read behind the bytes. */
    long wantedWord;

    /** Where its word is; of the last time it was posted. */
    @Nullable
    Attachment range;

    /** When it was posted, or last nudged. */
    long movedNs;

    /** Buffer of the announcement that is posted with it, or -1; such an operation ends with no word. */
    int announcement = -1;

    /** Whether it only writes, with no word behind it. */
    boolean landing;

    /** Whoever waited has gone; the completion gives the buffers back. */
    boolean abandoned;

    /** For whoever waits to verify what arrived; of the kind that was wanted last. */
    private @Nullable Checksum checksum;

    private @Nullable ChecksumType checksumType;

    volatile boolean done;
    TransferStatus status = TransferStatus.DONE;

    OneSidedRequest(int slot) {
        this.slot = slot;
    }

    /** Computes checksums of a kind; made anew only where the kind is another than before. */
    Checksum checksum(ChecksumType kind) {
        Checksum present = checksum;
        if (present == null || checksumType != kind) {
            present = kind.start();
            checksum = present;
            checksumType = kind;
        }
        return present;
    }

    /** Copies what was read; its status is DONE. */
    void copyTo(ByteBuffer to, int position, RegisteredBuffers from) {
        int at = position;
        for (int i = 0; i < count; i++) {
            to.put(at, from.bytes(buffers[i]), 0, lengths[i]);
            at += lengths[i];
        }
        to.position(at);
    }

    /** Copies what is to be written. */
    void copyFrom(ByteBuffer source, RegisteredBuffers to) {
        int at = source.position();
        for (int i = 0; i < count; i++) {
            to.bytes(buffers[i]).put(0, source, at, lengths[i]);
            at += lengths[i];
        }
    }
}
