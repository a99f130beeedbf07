package io.terrace.channel.verbs;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostSend;
import io.terrace.channel.verbs.device.CompletionChannel;
import io.terrace.channel.verbs.device.ConnectSequence;
import io.terrace.channel.verbs.device.ConnectionEvents;
import io.terrace.channel.verbs.device.ControlFrame;
import io.terrace.channel.verbs.device.DeviceCounters;
import io.terrace.channel.verbs.device.ProtectionDomain;
import io.terrace.channel.verbs.device.QueuePair;
import io.terrace.channel.verbs.rdmacore.NativeMemory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/** A client that keeps to no rule: it sends whatever it is told to. */
final class RawPeer implements AutoCloseable {
    private static final int REQUESTS = 64;
    private static final int MOST_BYTES = 2 * ControlFrame.FRAME_BYTES;

    private final RdmaVerbs verbs = RdmaVerbs.open();
    private final ConnectionEvents events;
    private final ConnectSequence connectSequence;
    private final ProtectionDomain domain;
    private final CompletionChannel queue;
    private final QueuePair pair;
    private final NativeMemory memory = NativeMemory.allocate(MOST_BYTES);
    private final IbvMr registration;
    private final SVCPostSend send;
    private final SVCPollCq poll;

    RawPeer(InetSocketAddress where) throws IOException {
        RdmaCm cm = RdmaCm.open();
        events = new ConnectionEvents(cm);
        connectSequence = new ConnectSequence(cm, events, ListenerFixture.PATIENCE_NS);
        connectSequence.resolve(where);
        domain = new ProtectionDomain(verbs, connectSequence.id().getVerbs(), new DeviceCounters(), false);
        queue = CompletionChannel.create(verbs, domain.device(), REQUESTS);
        pair = new QueuePair(domain, cm, events, connectSequence.id(), queue.queue(), 0, REQUESTS);
        registration = domain.register(memory.address(), MOST_BYTES, IbvMr.IBV_ACCESS_LOCAL_WRITE);
        IbvSendWR request = QueuePair.request(IbvSendWR.IBV_WR_SEND);
        request.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
        send = pair.batch(List.of(request));
        poll = verbs.pollCQ(queue.queue(), new IbvWC[] {new IbvWC()}, 1);
        connectSequence.connect(where);
    }

    /** Sends bytes as one message of the device. */
    void send(byte[] bytes) throws IOException {
        memory.bytes().put(0, bytes);
        SVCPostSend.SendWRMod message = send.getWrMod(0);
        message.setWr_id(pair.workId(QueuePair.ONE_SIDED, 0));
        SVCPostSend.SgeMod piece = message.getSgeMod(0);
        piece.setAddr(memory.address());
        piece.setLength(bytes.length);
        piece.setLkey(registration.getLkey());
        SVCPostSend unused = send.execute();
    }

    /** Takes completions, and tells whether the other side has ended the connection. */
    boolean hasEnded() throws IOException {
        while (poll.execute().getPolls() > 0) {
            continue;
        }
        return connectSequence.isOverAlready();
    }

    @Override
    public void close() throws IOException {
        pair.destroy();
        domain.deregister(registration);
        queue.close();
        pair.free();
        domain.close();
        events.close();
    }
}
