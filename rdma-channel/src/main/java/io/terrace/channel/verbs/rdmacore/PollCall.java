package io.terrace.channel.verbs.rdmacore;

import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import com.sun.jna.Function;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Takes completions from a queue. The arguments are boxed once, so that JNA's copy of their array (32 bytes) is all that a
 * poll allocates.
 */
final class PollCall extends SVCPollCq {
    private final Handles.Queue queue;
    private final IbvWC[] completions;
    private final NativeMemory entries;
    private final Function poll;
    private final Object[] arguments;
    private int taken;

    PollCall(Handles.Queue queue, IbvWC[] completions, int most) {
        this.queue = queue;
        this.completions = completions;
        this.entries = NativeMemory.allocate(most * Layout.WorkCompletion.BYTES);
        Handles.Context context = (Handles.Context) queue.getContext();
        this.poll = Function.getFunction(new Pointer(context.function(Layout.Context.POLL_CQ)));
        this.arguments = new Object[] {queue.address, most, entries.address()};
    }

    @Override
    public SVCPollCq execute() throws IOException {
        if (!queue.isOpen()) {
            throw new IOException("the completion queue has been destroyed");
        }
        taken = poll.invokeInt(arguments);
        if (taken < 0) {
            throw new IOException("polling failed with " + taken);
        }
        for (int i = 0; i < taken; i++) {
            update(completions[i], entries.bytes(), i * Layout.WorkCompletion.BYTES);
        }
        return this;
    }

    @Override
    public int getPolls() {
        return taken;
    }

    @Override
    public boolean isValid() {
        return queue.isOpen();
    }

    @Override
    public SVCPollCq free() {
        return this;
    }

    /** The fields that are defined: of a failed operation, its id and status only. */
    private static void update(IbvWC completion, ByteBuffer entry, int at) {
        int status = entry.getInt(at + Layout.WorkCompletion.STATUS);
        completion.setWr_id(entry.getLong(at + Layout.WorkCompletion.WR_ID));
        completion.setStatus(status);
        if (status == 0) {
            completion.setOpcode(entry.getInt(at + Layout.WorkCompletion.OPCODE));
            completion.setByte_len(entry.getInt(at + Layout.WorkCompletion.BYTE_LEN));
            completion.setQp_num(entry.getInt(at + Layout.WorkCompletion.QP_NUM));
        }
    }
}
