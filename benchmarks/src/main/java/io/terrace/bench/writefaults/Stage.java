package io.terrace.bench.writefaults;

import java.util.Locale;
import java.util.Optional;

/** Where in the writing of a file a fault comes. */
enum Stage {
    /** The file is created, nothing is written. */
    FIRST_BYTE("", false),
    /** So many bytes were handed to the stream. */
    AT_OFFSET("", false),
    /** All bytes of a block were handed to the stream, none of the next. */
    BLOCK_END("", false),
    /** The client is about to ask the NameNode for a block. */
    ADD_BLOCK("addBlock", false),
    /** The NameNode has given a block, and the client does not know yet. */
    BLOCK_ADDED("addBlock", true),
    /** The NameNode is to learn of the first flush of a block. */
    FSYNC("fsync", false),
    /** All blocks are finalised at the first DataNode; the NameNode is to complete the file. */
    COMPLETE("complete", false),
    /** The NameNode has answered, and the client does not know yet. */
    COMPLETED("complete", true),
    /** The client asks for a new generation stamp, after another fault. */
    NEW_STAMP("updateBlockForPipeline", false),
    /** The DataNodes that are left have the new stamp, the NameNode is to learn of it. */
    NEW_PIPELINE("updatePipeline", false);

    private final String call;
    private final boolean answered;

    Stage(String call, boolean answered) {
        this.call = call;
        this.answered = answered;
    }

    /** The call of the NameNode that marks it; empty where none does. */
    Optional<String> call() {
        return call.isEmpty() ? Optional.empty() : Optional.of(call);
    }

    /** Whether the call has been answered. */
    boolean answered() {
        return answered;
    }

    /** For messages. */
    String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
