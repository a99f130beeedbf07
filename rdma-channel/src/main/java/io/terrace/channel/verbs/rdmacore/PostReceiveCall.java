package io.terrace.channel.verbs.rdmacore;

import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostRecv;
import com.sun.jna.Function;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Posts buffers that messages arrive in. */
final class PostReceiveCall extends SVCPostRecv {
    private final Handles.Pair pair;
    private final NativeMemory memory;
    private final int requests;
    private final Function post;
    private final Object[] arguments;

    PostReceiveCall(Handles.Pair pair, List<IbvRecvWR> wanted) {
        this.pair = pair;
        this.requests = wanted.size();
        int pieces = wanted.stream().mapToInt(IbvRecvWR::getNum_sge).sum();
        int pieceAt = wanted.size() * Layout.ReceiveRequest.BYTES;
        int badAt = pieceAt + pieces * Layout.Piece.BYTES;
        this.memory = NativeMemory.allocate(badAt + Long.BYTES);
        ByteBuffer bytes = memory.bytes();
        for (int i = 0; i < requests; i++) {
            IbvRecvWR request = wanted.get(i);
            int at = i * Layout.ReceiveRequest.BYTES;
            long next = i + 1 == requests ? 0 : memory.address() + at + Layout.ReceiveRequest.BYTES;
            bytes.putLong(at + Layout.ReceiveRequest.WR_ID, request.getWr_id());
            bytes.putLong(at + Layout.ReceiveRequest.NEXT, next);
            bytes.putLong(at + Layout.ReceiveRequest.SG_LIST, memory.address() + pieceAt);
            bytes.putInt(at + Layout.ReceiveRequest.NUM_SGE, request.getNum_sge());
            for (IbvSge piece : request.getSg_list()) {
                bytes.putLong(pieceAt + Layout.Piece.ADDR, piece.getAddr());
                bytes.putInt(pieceAt + Layout.Piece.LENGTH, piece.getLength());
                bytes.putInt(pieceAt + Layout.Piece.LKEY, piece.getLkey());
                pieceAt += Layout.Piece.BYTES;
            }
        }
        Handles.Context context = (Handles.Context) pair.getContext();
        this.post = Function.getFunction(new Pointer(context.function(Layout.Context.POST_RECV)));
        this.arguments = new Object[] {pair.address, memory.address(), memory.address() + badAt};
    }

    @Override
    public SVCPostRecv execute() throws IOException {
        if (!pair.isOpen()) {
            throw new IOException("the queue pair has been destroyed");
        }
        int error = post.invokeInt(arguments);
        if (error != 0) {
            throw new IOException("ibv_post_recv failed with " + error);
        }
        return this;
    }

    @Override
    public RecvWRMod getWrMod(int index) {
        int at = index * Layout.ReceiveRequest.BYTES;
        return () -> memory.bytes().getLong(at + Layout.ReceiveRequest.WR_ID);
    }

    @Override
    public boolean isValid() {
        return pair.isOpen();
    }

    @Override
    public SVCPostRecv free() {
        return this;
    }
}
