package io.terrace.datanode.hdfs.dataset;

import io.terrace.channel.server.Peer;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The address of the host that the calling thread serves over the DataNode's socket, by the name that DataXceiver gives its
 * thread for every operation. It remembers {@value #REMEMBERED} addresses, so that none is made again for each read.
 * Thread-safe.
 */
public final class ReaderAddresses implements Supplier<@Nullable String> {

    static final int REMEMBERED = 1024;

    private final AtomicReferenceArray<@Nullable String> remembered = new AtomicReferenceArray<>(REMEMBERED);

    /** {@link Peer#THIS_HOST} for a client that came by a Unix socket; null where the name is not that of a client's thread. */
    @Override
    public @Nullable String get() {
        String name = Thread.currentThread().getName();
        int status = name.lastIndexOf(" [");
        int at = name.lastIndexOf(" at ", status);
        if (at < 0) {
            return null;
        }
        if (name.startsWith("unix:", at + 4)) {
            return Peer.THIS_HOST;
        }
        int from = name.indexOf('/', at) + 1;
        int end = name.lastIndexOf(':', status);
        if (from == 0 || end <= from) {
            return null;
        }
        boolean bracketed = name.charAt(from) == '[' && name.charAt(end - 1) == ']';
        return bracketed ? address(name, from + 1, end - 1) : address(name, from, end);
    }

    private String address(String name, int from, int end) {
        int hash = 0;
        for (int i = from; i < end; i++) {
            hash = 31 * hash + name.charAt(i);
        }
        int slot = (hash ^ hash >>> 16) & REMEMBERED - 1;
        String known = remembered.get(slot);
        if (known != null && known.length() == end - from && name.startsWith(known, from)) {
            return known;
        }
        String address = name.substring(from, end);
        remembered.set(slot, address);
        return address;
    }
}
