package io.terrace.channel.write;

/** Which DataNodes of a block a client asks to fill a copy in memory while they write the block. */
public enum WriteThrough {
    /** None of them. */
    NONE((byte) 0),
    /** The one that is asked, and none after it. */
    FIRST(WriteFrame.MEMORY),
    /** The one that is asked, and all after it. */
    ALL((byte) (WriteFrame.MEMORY | WriteFrame.MEMORY_ALL));

    private final byte flags;

    WriteThrough(byte flags) {
        this.flags = flags;
    }

    /** What an OPEN frame asks for. */
    public static WriteThrough of(WriteFrame open) {
        if (!open.has(WriteFrame.MEMORY)) {
            return NONE;
        }
        return open.has(WriteFrame.MEMORY_ALL) ? ALL : FIRST;
    }

    /** The flags of the OPEN frame that asks for it. */
    public byte flags() {
        return flags;
    }

    /** What the DataNode that is asked asks of the next one. */
    public WriteThrough next() {
        return this == ALL ? ALL : NONE;
    }
}
