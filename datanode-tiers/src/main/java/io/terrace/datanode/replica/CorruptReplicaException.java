package io.terrace.datanode.replica;

import java.io.IOException;

/** Bytes do not match their checksums, or there are too few of either: whoever holds the replica must look again. */
public final class CorruptReplicaException extends IOException {

    private static final long serialVersionUID = 1;

    public CorruptReplicaException(String message) {
        super(message);
    }
}
