package io.terrace.channel.verbs.rdmacore;

import com.ibm.disni.verbs.SVCReqNotify;
import com.sun.jna.Function;
import com.sun.jna.Pointer;
import java.io.IOException;

/** Asks for an event at the next completion. */
final class NotifyCall extends SVCReqNotify {
    private final Handles.Queue queue;
    private final Function notify;
    private final Object[] arguments;

    NotifyCall(Handles.Queue queue, boolean solicitedOnly) {
        this.queue = queue;
        Handles.Context context = (Handles.Context) queue.getContext();
        this.notify = Function.getFunction(new Pointer(context.function(Layout.Context.REQ_NOTIFY_CQ)));
        this.arguments = new Object[] {queue.address, solicitedOnly ? 1 : 0};
    }

    @Override
    public SVCReqNotify execute() throws IOException {
        if (!queue.isOpen()) {
            throw new IOException("the completion queue has been destroyed");
        }
        RdmaCoreVerbs.require("ibv_req_notify_cq", notify.invokeInt(arguments));
        return this;
    }

    @Override
    public boolean isValid() {
        return queue.isOpen();
    }

    @Override
    public SVCReqNotify free() {
        return this;
    }
}
