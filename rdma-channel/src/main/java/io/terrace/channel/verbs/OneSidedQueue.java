package io.terrace.channel.verbs;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.SVCPostSend;
import io.terrace.channel.transport.Completion.Status;
import io.terrace.channel.transport.CompletionQueue;
import io.terrace.channel.verbs.device.IndexPool;
import io.terrace.channel.verbs.device.ProtectionDomain;
import io.terrace.channel.verbs.device.QueuePair;
import io.terrace.channel.verbs.device.RegisteredBuffers;
import io.terrace.channel.verbs.rdmacore.NativeMemory;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The one-sided operations of one link. Each is one batch: the bytes, the checksums if there are any, and last, fenced
 * behind them (IBV_SEND_FENCE), the range's validity word; only the last asks for a completion. Guarded by the link's lock.
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
    private final CompletionQueue completions;
    private final OneSidedRequest[] operations;
    private final IndexPool free;
    private final NativeMemory words;
    private final IbvMr wordsRegistration;
    private final @Nullable SVCPostSend[] reads = new SVCPostSend[MAX_REQUESTS + 1];
    private final @Nullable SVCPostSend[] writes = new SVCPostSend[MAX_REQUESTS + 1];
    private @Nullable SVCPostSend nudge;
    private boolean nudging;
    private int freeRequests;

    OneSidedQueue(ProtectionDomain domain, QueuePair pair, CompletionQueue completions, int most) throws IOException {
        this.domain = domain;
        this.pair = pair;
        this.completions = completions;
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
        OneSidedRequest oneSidedRequest = operations[slot];
        oneSidedRequest.count = 0;
        oneSidedRequest.bytes = bytes;
        oneSidedRequest.sums = -1;
        oneSidedRequest.requests = 0;
        int room = large ? most : RegisteredBuffers.SMALL_BYTES;
        int left = bytes;
        long at = offset;
        while (left > 0) {
            int buffer = oneSidedRequest.count < OneSidedRequest.MAX_BUFFERS
                    ? domain.buffers().take(large)
                    : -1;
            if (buffer < 0) {
                release(oneSidedRequest);
                return null;
            }
            long segmentEnd = (at / Attachment.SEGMENT_BYTES + 1) * Attachment.SEGMENT_BYTES;
            int length = (int) Math.min(Math.min(left, room), segmentEnd - at);
            oneSidedRequest.buffers[oneSidedRequest.count] = buffer;
            oneSidedRequest.lengths[oneSidedRequest.count++] = length;
            at += length;
            left -= length;
        }
        if (sumBytes > 0) {
            oneSidedRequest.sums = domain.buffers().take(sumBytes > RegisteredBuffers.SMALL_BYTES);
            if (oneSidedRequest.sums < 0) {
                release(oneSidedRequest);
                return null;
            }
        }
        return oneSidedRequest;
    }

    /** Posts a prepared operation, in one call. */
    void post(OneSidedRequest oneSidedRequest, Attachment range, long offset, boolean write, long sumsAt, int sumBytes)
            throws IOException {
        int size = oneSidedRequest.count + (sumBytes > 0 ? 1 : 0) + 1;
        SVCPostSend batch = batch(write ? writes : reads, size, write);
        long workId = pair.workId(QueuePair.ONE_SIDED, oneSidedRequest.slot);
        long at = offset;
        for (int i = 0; i < oneSidedRequest.count; i++) {
            int key = range.keys()[(int) (at / Attachment.SEGMENT_BYTES)];
            int buffer = oneSidedRequest.buffers[i];
            set(batch.getWrMod(i), workId, range.address() + at, key, buffer, oneSidedRequest.lengths[i]);
            at += oneSidedRequest.lengths[i];
        }
        if (sumBytes > 0) {
            SVCPostSend.SendWRMod request = batch.getWrMod(oneSidedRequest.count);
            set(request, workId, range.sumsAddress() + sumsAt, range.sumsKey(), oneSidedRequest.sums, sumBytes);
        }
        setWord(batch.getWrMod(size - 1), workId, range, oneSidedRequest.slot);
        oneSidedRequest.range = range;
        oneSidedRequest.movedNs = System.nanoTime();
        oneSidedRequest.wantedWord = range.word();
        oneSidedRequest.abandoned = false;
        oneSidedRequest.status = Status.DONE;
        oneSidedRequest.done = false;
        oneSidedRequest.requests = size;
        freeRequests -= size;
        WORD.setVolatile(words.bytes(), oneSidedRequest.slot * Long.BYTES, NOT_YET);
        batch.execute();
        domain.deviceCounters().posts.increment();
    }

    /**
     * Whether the word behind the bytes has arrived, as far as memory shows: a reason to look for the completion, which
     * alone says that all is well.
     */
    boolean hasLanded(OneSidedRequest oneSidedRequest) {
        return word(oneSidedRequest) != NOT_YET;
    }

    /**
     * Gets the device going again when an operation takes long, by one more request. soft-RoCE needs that: its requester
     * notes that it waits for a fence after its completer may have looked for that note, and then stands still until
     * something is posted (wait_fence in rxe_req.c and rxe_comp.c of Linux 6.1; the driver's maintainer on linux-rdma,
     * June 2023). To other devices it is 8 bytes more now and then.
     */
    void nudge(OneSidedRequest oneSidedRequest, long nowNs) throws IOException {
        Attachment range = oneSidedRequest.range;
        if (nudging || range == null || oneSidedRequest.done || nowNs - oneSidedRequest.movedNs < NUDGE_NS) {
            return;
        }
        oneSidedRequest.movedNs = nowNs;
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
        OneSidedRequest oneSidedRequest = operations[slot];
        domain.deviceCounters().completions.increment();
        if (oneSidedRequest.done) {
            return;
        }
        if (failure != 0) {
            finish(oneSidedRequest, failure == VerbsLink.REMOTE_ACCESS_ERROR ? Status.NO_ACCESS : Status.DISCONNECTED);
            return;
        }
        finish(oneSidedRequest, word(oneSidedRequest) == oneSidedRequest.wantedWord ? Status.DONE : Status.NO_ACCESS);
    }

    /** Ends all that is in flight; the queue pair has been destroyed. */
    void failAll(Status status) {
        for (OneSidedRequest oneSidedRequest : operations) {
            if (oneSidedRequest.requests > 0 && !oneSidedRequest.done) {
                finish(oneSidedRequest, status);
            }
        }
    }

    /** Ends posted operations whose time is over, whose buffers come back with their completion, and nudges the others. */
    void expire(long nowNs) throws IOException {
        for (OneSidedRequest oneSidedRequest : operations) {
            OneSidedRequest.Posted posted = oneSidedRequest.posted;
            if (posted != null && oneSidedRequest.deadlineNs - nowNs <= 0) {
                completions.complete(posted.number(), Status.DEADLINE, 0);
                abandon(oneSidedRequest);
            } else if (posted != null) {
                nudge(oneSidedRequest, nowNs);
            }
        }
    }

    /** Nobody waits for the operation any more. */
    void abandon(OneSidedRequest oneSidedRequest) {
        oneSidedRequest.posted = null;
        oneSidedRequest.abandoned = true;
        if (oneSidedRequest.done) {
            release(oneSidedRequest);
        }
    }

    /** Gives an operation and its buffers back; it is done, or was never posted. */
    void release(OneSidedRequest oneSidedRequest) {
        for (int i = 0; i < oneSidedRequest.count; i++) {
            domain.buffers().give(oneSidedRequest.buffers[i]);
        }
        if (oneSidedRequest.sums >= 0) {
            domain.buffers().give(oneSidedRequest.sums);
            oneSidedRequest.sums = -1;
        }
        oneSidedRequest.count = 0;
        freeRequests += oneSidedRequest.requests;
        oneSidedRequest.requests = 0;
        free.give(oneSidedRequest.slot);
    }

    void close() throws IOException {
        domain.deregister(wordsRegistration);
    }

    private void finish(OneSidedRequest oneSidedRequest, Status status) {
        oneSidedRequest.status = status;
        OneSidedRequest.Posted posted = oneSidedRequest.posted;
        if (oneSidedRequest.abandoned) {
            release(oneSidedRequest);
        } else if (posted != null) {
            boolean done = status == Status.DONE;
            ByteBuffer target = posted.target();
            if (done && target != null) {
                oneSidedRequest.copyTo(target, posted.position(), domain.buffers());
            }
            completions.complete(posted.number(), status, done ? oneSidedRequest.bytes : 0);
            oneSidedRequest.posted = null;
            release(oneSidedRequest);
        }
        oneSidedRequest.done = true;
    }

    private long word(OneSidedRequest oneSidedRequest) {
        return (long) WORD.getVolatile(words.bytes(), oneSidedRequest.slot * Long.BYTES);
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
