package io.terrace.channel.verbs.rdmacore;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Memory outside the heap and its address; it lives as long as this object is reachable.
 *
 * @param bytes zero at first, in the machine's byte order
 */
public record NativeMemory(ByteBuffer bytes, long address) {
    public static NativeMemory allocate(int sizeBytes) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(sizeBytes).order(ByteOrder.nativeOrder());
        return new NativeMemory(bytes, Pointer.nativeValue(Native.getDirectBufferPointer(bytes)));
    }

    /** Keeps the memory until here: a native call that was given the address only does not. */
    public void keep() {
        Reference.reachabilityFence(bytes);
    }
}
