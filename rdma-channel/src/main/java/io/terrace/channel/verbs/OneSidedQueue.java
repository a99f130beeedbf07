package io.terrace.channel.verbs;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.SVCPostSend;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.channel.verbs.device.IndexPool;
import io.terrace.channel.verbs.device.ProtectionDomain;
import io.terrace.channel.verbs.device.QueuePair;
import io.terrace.channel.verbs.device.RegisteredBuffers;
import io.terrace.channel.verbs.rdmacore.NativeMemory;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The one-sided operations of one link. Each is one batch: the bytes, the checksums if there are any, and last, fenced
 * behind them (IBV_SEND_FENCE), the range's validity word; only the last asks for a completion. What lands in a window has no
 * word: behind its bytes goes the SEND that announces them. Guarded by the link's lock.
 */
final class OneSidedQueue {
    /** Data, checksums, word. */
    private static final int MAX_REQUESTS = OneSidedRequest.MAX_BUFFERS + 2;

    /** An operation that is not done by then is nudged. */
    private static final long NUDGE_NS = TimeUnit.MILLISECONDS.toNanos(20);

    /** No validity word has this value. */
    private static final long NOT_YET = -1;

    private static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ProtectionDomain domain;
    private final QueuePair pair;
    private final OneSidedRequest[] operations;
    private final IndexPool free;
    private final NativeMemory words;
    private final IbvMr wordsRegistration;
    private final @Nullable SVCPostSend[] reads = new SVCPostSend[MAX_REQUESTS + 1];
    private final @Nullable SVCPostSend[] writes = new SVCPostSend[MAX_REQUESTS + 1];
    private final @Nullable SVCPostSend[] landings = new SVCPostSend[OneSidedRequest.MAX_BUFFERS + 1];
    private final @Nullable SVCPostSend[] announcedLandings = new SVCPostSend[OneSidedRequest.MAX_BUFFERS + 1];
    private @Nullable SVCPostSend nudge;
    private boolean nudging;
    private int freeRequests;

    OneSidedQueue(ProtectionDomain domain, QueuePair pair, int most) throws IOException {
        this.domain = domain;
        this.pair = pair;
        this.operations = new OneSidedRequest[most];
        for (int i = 0; i < most; i++) {
            operations[i] = new OneSidedRequest(i);
        }
        this.free = new IndexPool(most);
        this.freeRequests = requests(most) - 1;
        this.words = NativeMemory.allocate((most + 1) * Long.BYTES);
        this.wordsRegistration =
                domain.register(words.address(), words.bytes().capacity(), IbvMr.IBV_ACCESS_LOCAL_WRITE);
    }

    /** Work requests that a queue pair must have room for: small operations have two, and there is one to nudge with. */
    static int requests(int operations) {
        return operations * 2 + MAX_REQUESTS + 1;
    }

    /**
     * An operation with buffers for so many bytes of a range from an offset; null when too many are in flight.
     *
     * @param most bytes of one buffer, so that chunks with a checksum stay whole
     * @param sumBytes of its checksums
     */
    @Nullable
    OneSidedRequest prepare(long offset, int bytes, int most, int sumBytes) {
        if (sumBytes > RegisteredBuffers.LARGE_BYTES) {
            // The device would write into buffers of other requests.
            throw new IllegalArgumentException("checksums of " + sumBytes + " bytes");
        }
        boolean large = bytes > RegisteredBuffers.SMALL_BYTES;
        int slot = freeRequests < MAX_REQUESTS ? -1 : free.take();
        if (slot < 0) {
            return null;
        }
        OneSidedRequest operation = operations[slot];
        operation.count = 0;
        operation.bytes = bytes;
        operation.sums = -1;
        operation.announcement = -1;
        operation.landing = false;
        operation.requests = 0;
        int room = large ? most : RegisteredBuffers.SMALL_BYTES;
        int left = bytes;
        long at = offset;
        while (left > 0) {
            int buffer = operation.count < OneSidedRequest.MAX_BUFFERS
                    ? domain.buffers().take(large)
                    : -1;
            if (buffer < 0) {
                release(operation);
                return null;
            }
            long segmentEnd = (at / Attachment.SEGMENT_BYTES + 1) * Attachment.SEGMENT_BYTES;
            int length = (int) Math.min(Math.min(left, room), segmentEnd - at);
            operation.buffers[operation.count] = buffer;
            operation.lengths[operation.count++] = length;
            at += length;
            left -= length;
        }
        if (sumBytes > 0) {
            operation.sums = domain.buffers().take(sumBytes > RegisteredBuffers.SMALL_BYTES);
            if (operation.sums < 0) {
                release(operation);
                return null;
            }
        }
        return operation;
    }

    /** Posts a prepared operation, in one call. */
    void post(OneSidedRequest operation, Attachment range, long offset, boolean write, long sumsAt, int sumBytes)
            throws IOException {
        int size = operation.count + (sumBytes > 0 ? 1 : 0) + 1;
        SVCPostSend batch = batch(write ? writes : reads, size, write);
        long workId = pair.workId(QueuePair.ONE_SIDED, operation.slot);
        long at = offset;
        for (int i = 0; i < operation.count; i++) {
            int key = range.keys()[(int) (at / Attachment.SEGMENT_BYTES)];
            int buffer = operation.buffers[i];
            set(batch.getWrMod(i), workId, range.address() + at, key, buffer, operation.lengths[i]);
            at += operation.lengths[i];
        }
        if (sumBytes > 0) {
            SVCPostSend.SendWRMod request = batch.getWrMod(operation.count);
            set(request, workId, range.sumsAddress() + sumsAt, range.sumsKey(), operation.sums, sumBytes);
        }
        setWord(batch.getWrMod(size - 1), workId, range, operation.slot);
        operation.range = range;
        operation.movedNs = System.nanoTime();
        operation.wantedWord = range.word();
        operation.abandoned = false;
        operation.status = TransferStatus.DONE;
        operation.done = false;
        operation.requests = size;
        freeRequests -= size;
        WORD.setVolatile(words.bytes(), operation.slot * Long.BYTES, NOT_YET);
        batch.execute();
        domain.deviceCounters().posts.increment();
    }

    /**
     * Posts a prepared operation that writes and reads no word; nobody waits for it.
     *
     * @param announcement buffer of the frame that is sent behind the bytes, or -1
     */
    void postLanding(OneSidedRequest operation, Attachment range, long offset, int announcement, int bodyBytes)
            throws IOException {
        int size = operation.count + (announcement < 0 ? 0 : 1);
        SVCPostSend batch = landing(operation.count, announcement >= 0);
        long workId = pair.workId(QueuePair.ONE_SIDED, operation.slot);
        long at = offset;
        for (int i = 0; i < operation.count; i++) {
            int key = range.keys()[(int) (at / Attachment.SEGMENT_BYTES)];
            set(batch.getWrMod(i), workId, range.address() + at, key, operation.buffers[i], operation.lengths[i]);
            at += operation.lengths[i];
        }
        if (announcement >= 0) {
            pair.set(batch.getWrMod(operation.count), workId, announcement, bodyBytes);
        }
        operation.announcement = announcement;
        operation.landing = true;
        operation.range = range;
        operation.abandoned = false;
        operation.status = TransferStatus.DONE;
        operation.done = false;
        operation.requests = size;
        freeRequests -= size;
        batch.execute();
        operation.abandoned = true;
        domain.deviceCounters().posts.increment();
    }

    /**
     * Whether the word behind the bytes has arrived, as far as memory shows: a reason to look for the completion, which
     * alone says that all is well.
     */
    boolean hasLanded(OneSidedRequest operation) {
        return word(operation) != NOT_YET;
    }

    /**
     * Gets the device going again when an operation takes long, by one more request. soft-RoCE needs that: its requester
     * notes that it waits for a fence after its completer may have looked for that note, and then stands still until
     * something is posted (wait_fence in rxe_req.c and rxe_comp.c of Linux 6.1; the driver's maintainer on linux-rdma,
     * June 2023). To other devices it is 8 bytes more now and then.
     */
    void nudge(OneSidedRequest operation, long nowNs) throws IOException {
        Attachment range = operation.range;
        if (nudging || range == null || operation.done || nowNs - operation.movedNs < NUDGE_NS) {
            return;
        }
        operation.movedNs = nowNs;
        SVCPostSend call = nudge;
        if (call == null) {
            IbvSendWR request = QueuePair.request(IbvSendWR.IBV_WR_RDMA_READ);
            request.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
            call = pair.batch(List.of(request));
            nudge = call;
        }
        setWord(call.getWrMod(0), pair.workId(QueuePair.NUDGE, 0), range, operations.length);
        nudging = true;
        SVCPostSend unused = call.execute();
    }

    /** The request of a nudge is complete. */
    void nudged() {
        nudging = false;
    }

    /** Takes the end of an operation, as its completion says. */
    void completed(int slot, int failure) {
        OneSidedRequest operation = operations[slot];
        domain.deviceCounters().completions.increment();
        if (operation.done) {
            return;
        }
        if (failure != 0) {
            finish(
                    operation,
                    failure == VerbsLink.REMOTE_ACCESS_ERROR ? TransferStatus.NO_ACCESS : TransferStatus.DISCONNECTED);
            return;
        }
        boolean right = operation.landing || word(operation) == operation.wantedWord;
        finish(operation, right ? TransferStatus.DONE : TransferStatus.NO_ACCESS);
    }

    /** Ends all that is in flight; the queue pair has been destroyed. */
    void failAll(TransferStatus status) {
        for (OneSidedRequest operation : operations) {
            if (operation.requests > 0 && !operation.done) {
                finish(operation, status);
            }
        }
    }

    /** Nobody waits for the operation any more. */
    void abandon(OneSidedRequest operation) {
        operation.abandoned = true;
        if (operation.done) {
            release(operation);
        }
    }

    /** Gives an operation and its buffers back; it is done, or was never posted. */
    void release(OneSidedRequest operation) {
        for (int i = 0; i < operation.count; i++) {
            domain.buffers().give(operation.buffers[i]);
        }
        if (operation.sums >= 0) {
            domain.buffers().give(operation.sums);
            operation.sums = -1;
        }
        if (operation.announcement >= 0) {
            pair.sent(operation.announcement);
            operation.announcement = -1;
        }
        operation.count = 0;
        freeRequests += operation.requests;
        operation.requests = 0;
        free.give(operation.slot);
    }

    void close() throws IOException {
        domain.deregister(wordsRegistration);
    }

    private void finish(OneSidedRequest operation, TransferStatus status) {
        operation.status = status;
        if (operation.abandoned) {
            release(operation);
        }
        operation.done = true;
    }

    private long word(OneSidedRequest operation) {
        return (long) WORD.getVolatile(words.bytes(), operation.slot * Long.BYTES);
    }

    private void setWord(SVCPostSend.SendWRMod request, long workId, Attachment range, int wordSlot) {
        request.setWr_id(workId);
        request.getRdmaMod().setRemote_addr(range.wordAddress());
        request.getRdmaMod().setRkey(range.wordKey());
        SVCPostSend.SgeMod target = request.getSgeMod(0);
        target.setAddr(words.address() + (long) wordSlot * Long.BYTES);
        target.setLength(Long.BYTES);
        target.setLkey(wordsRegistration.getLkey());
    }

    private void set(SVCPostSend.SendWRMod request, long workId, long address, int key, int buffer, int length) {
        request.setWr_id(workId);
        request.getRdmaMod().setRemote_addr(address);
        request.getRdmaMod().setRkey(key);
        SVCPostSend.SgeMod piece = request.getSgeMod(0);
        piece.setAddr(domain.buffers().address(buffer));
        piece.setLength(length);
        piece.setLkey(domain.buffers().localKey());
    }

    private SVCPostSend landing(int writes, boolean announced) throws IOException {
        @Nullable SVCPostSend[] known = announced ? announcedLandings : landings;
        SVCPostSend batch = known[writes];
        if (batch == null) {
            List<IbvSendWR> requests = new ArrayList<>();
            for (int i = 0; i < writes; i++) {
                requests.add(QueuePair.request(IbvSendWR.IBV_WR_RDMA_WRITE));
            }
            if (announced) {
                requests.add(QueuePair.request(IbvSendWR.IBV_WR_SEND));
            }
            requests.get(requests.size() - 1).setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
            batch = pair.batch(requests);
            known[writes] = batch;
        }
        return batch;
    }

    private SVCPostSend batch(@Nullable SVCPostSend[] known, int size, boolean write) throws IOException {
        SVCPostSend batch = known[size];
        if (batch == null) {
            List<IbvSendWR> requests = new ArrayList<>();
            for (int i = 0; i < size - 1; i++) {
                requests.add(QueuePair.request(write ? IbvSendWR.IBV_WR_RDMA_WRITE : IbvSendWR.IBV_WR_RDMA_READ));
            }
            IbvSendWR word = QueuePair.request(IbvSendWR.IBV_WR_RDMA_READ);
            word.setSend_flags(IbvSendWR.IBV_SEND_FENCE | IbvSendWR.IBV_SEND_SIGNALED);
            requests.add(word);
            batch = pair.batch(requests);
            known[size] = batch;
        }
        return batch;
    }
}
