package io.terrace.channel.verbs.rdmacore;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostSend;
import com.sun.jna.Function;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Posts a batch of requests in one call. The requests lie in memory of their own and are changed there between calls; the
 * driver has copied them when a call returns.
 */
final class PostSendCall extends SVCPostSend {
    private final Handles.Pair pair;
    private final NativeMemory memory;
    private final List<Request> requests = new ArrayList<>();
    private final Function post;
    private final Object[] arguments;

    PostSendCall(Handles.Pair pair, List<IbvSendWR> wanted) {
        this.pair = pair;
        int pieces = wanted.stream().mapToInt(IbvSendWR::getNum_sge).sum();
        int piecesAt = wanted.size() * Layout.SendRequest.BYTES;
        int badAt = piecesAt + pieces * Layout.Piece.BYTES;
        this.memory = NativeMemory.allocate(badAt + Long.BYTES);
        int pieceAt = piecesAt;
        for (int i = 0; i < wanted.size(); i++) {
            boolean last = i + 1 == wanted.size();
            requests.add(new Request(wanted.get(i), i * Layout.SendRequest.BYTES, pieceAt, last));
            pieceAt += wanted.get(i).getNum_sge() * Layout.Piece.BYTES;
        }
        Handles.Context context = (Handles.Context) pair.getContext();
        this.post = Function.getFunction(new Pointer(context.function(Layout.Context.POST_SEND)));
        this.arguments = new Object[] {pair.address, memory.address(), memory.address() + badAt};
    }

    @Override
    public SVCPostSend execute() throws IOException {
        if (!pair.isOpen()) {
            throw new IOException("the queue pair has been destroyed");
        }
        int error = post.invokeInt(arguments);
        if (error != 0) {
            throw new IOException("ibv_post_send failed with " + error);
        }
        return this;
    }

    @Override
    public SendWRMod getWrMod(int index) {
        return requests.get(index);
    }

    @Override
    public boolean isValid() {
        return pair.isOpen();
    }

    @Override
    public SVCPostSend free() {
        return this;
    }

    /** One request of the batch, in place. */
    private final class Request implements SendWRMod, RdmaMod {
        private final int at;
        private final List<Piece> pieces = new ArrayList<>();

        Request(IbvSendWR wanted, int at, int piecesAt, boolean last) {
            this.at = at;
            ByteBuffer bytes = memory.bytes();
            bytes.putLong(at + Layout.SendRequest.WR_ID, wanted.getWr_id());
            bytes.putLong(at + Layout.SendRequest.NEXT, last ? 0 : memory.address() + at + Layout.SendRequest.BYTES);
            bytes.putLong(at + Layout.SendRequest.SG_LIST, memory.address() + piecesAt);
            bytes.putInt(at + Layout.SendRequest.NUM_SGE, wanted.getNum_sge());
            bytes.putInt(at + Layout.SendRequest.OPCODE, wanted.getOpcode());
            bytes.putInt(at + Layout.SendRequest.SEND_FLAGS, wanted.getSend_flags());
            bytes.putLong(at + Layout.SendRequest.REMOTE_ADDR, wanted.getRdma().getRemote_addr());
            bytes.putInt(at + Layout.SendRequest.RKEY, wanted.getRdma().getRkey());
            int pieceAt = piecesAt;
            for (IbvSge sge : wanted.getSg_list()) {
                pieces.add(new Piece(sge, pieceAt));
                pieceAt += Layout.Piece.BYTES;
            }
        }

        @Override
        public void setWr_id(long id) {
            memory.bytes().putLong(at + Layout.SendRequest.WR_ID, id);
        }

        @Override
        public long getWr_id() {
            return memory.bytes().getLong(at + Layout.SendRequest.WR_ID);
        }

        @Override
        public void setSend_flags(int flags) {
            memory.bytes().putInt(at + Layout.SendRequest.SEND_FLAGS, flags);
        }

        @Override
        public int getSend_flags() {
            return memory.bytes().getInt(at + Layout.SendRequest.SEND_FLAGS);
        }

        @Override
        public int getNum_sge() {
            return pieces.size();
        }

        @Override
        public int getOpcode() {
            return memory.bytes().getInt(at + Layout.SendRequest.OPCODE);
        }

        @Override
        public RdmaMod getRdmaMod() {
            return this;
        }

        @Override
        public SgeMod getSgeMod(int index) {
            return pieces.get(index);
        }

        @Override
        public void setRemote_addr(long address) {
            memory.bytes().putLong(at + Layout.SendRequest.REMOTE_ADDR, address);
        }

        @Override
        public long getRemote_addr() {
            return memory.bytes().getLong(at + Layout.SendRequest.REMOTE_ADDR);
        }

        @Override
        public void setRkey(int key) {
            memory.bytes().putInt(at + Layout.SendRequest.RKEY, key);
        }

        @Override
        public int getRkey() {
            return memory.bytes().getInt(at + Layout.SendRequest.RKEY);
        }

        /** DiSNI's name for the padding behind the key. */
        @Override
        public void setReserved(int reserved) {
            memory.bytes().putInt(at + Layout.SendRequest.RKEY + Integer.BYTES, reserved);
        }

        @Override
        public int getReserved() {
            return memory.bytes().getInt(at + Layout.SendRequest.RKEY + Integer.BYTES);
        }
    }

    /** One local range of a request, in place. */
    private final class Piece implements SgeMod {
        private final int at;

        Piece(IbvSge wanted, int at) {
            this.at = at;
            setAddr(wanted.getAddr());
            setLength(wanted.getLength());
            setLkey(wanted.getLkey());
        }

        @Override
        public void setAddr(long address) {
            memory.bytes().putLong(at + Layout.Piece.ADDR, address);
        }

        @Override
        public long getAddr() {
            return memory.bytes().getLong(at + Layout.Piece.ADDR);
        }

        @Override
        public void setLength(int lengthBytes) {
            memory.bytes().putInt(at + Layout.Piece.LENGTH, lengthBytes);
        }

        @Override
        public int getLength() {
            return memory.bytes().getInt(at + Layout.Piece.LENGTH);
        }

        @Override
        public void setLkey(int key) {
            memory.bytes().putInt(at + Layout.Piece.LKEY, key);
        }

        @Override
        public int getLkey() {
            return memory.bytes().getInt(at + Layout.Piece.LKEY);
        }
    }
}
