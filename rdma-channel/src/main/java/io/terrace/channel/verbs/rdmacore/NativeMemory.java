package io.terrace.channel.verbs.rdmacore;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Memory outside the heap and its address; it lives as long as this object is reachable.
 *
 * @param bytes zero at first, in the machine's byte order
 */
public record NativeMemory(ByteBuffer bytes, long address) {
    /**
     * Memory of so many bytes.
     *
     * @throws UncheckedIOException when direct buffers have reached their limit: whoever asked can do without RDMA
     */
    public static NativeMemory allocate(int sizeBytes) {
        ByteBuffer bytes;
        try {
            bytes = ByteBuffer.allocateDirect(sizeBytes).order(ByteOrder.nativeOrder());
        } catch (OutOfMemoryError e) {
            throw new UncheckedIOException(
                    new IOException(sizeBytes + " bytes outside the heap cannot be had (-XX:MaxDirectMemorySize)", e));
        }
        return new NativeMemory(bytes, Pointer.nativeValue(Native.getDirectBufferPointer(bytes)));
    }

    /** Keeps the memory until here: a native call that was given the address only does not. */
    public void keep() {
        Reference.reachabilityFence(bytes);
    }
}
