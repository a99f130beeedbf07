package io.terrace.datanode.write;

import java.io.IOException;

/** The next DataNode of a block refused it, failed, or cannot be reached. */
public final class NextNodeException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String address;
    private final boolean unsupported;
    private final byte[] answer;

    private NextNodeException(String address, boolean unsupported, byte[] answer, String message) {
        super("the next DataNode " + address + ": " + message);
        this.address = address;
        this.unsupported = unsupported;
        this.answer = answer;
    }

    /** It says nothing, or what it says makes no sense. */
    public static NextNodeException failed(String address, Exception why) {
        NextNodeException failed = new NextNodeException(address, false, new byte[0], why.toString());
        failed.initCause(why);
        return failed;
    }

    /** It is there, but has no channel. */
    public static NextNodeException withoutChannel(String address) {
        return new NextNodeException(address, true, new byte[0], "takes no writes over the channel");
    }

    /** It says so itself. */
    public static NextNodeException said(String address, byte[] answer) {
        return new NextNodeException(address, false, answer, "ended the block");
    }

    /** The transfer address. */
    public String address() {
        return address;
    }

    /** Whether stock could write the block to it. */
    public boolean unsupported() {
        return unsupported;
    }

    /** Hadoop's {@code BlockOpResponseProto}, which the DataNode sent; empty when it sent none. */
    public byte[] answer() {
        return answer.clone();
    }
}
