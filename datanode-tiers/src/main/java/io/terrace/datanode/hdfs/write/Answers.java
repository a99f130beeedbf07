package io.terrace.datanode.hdfs.write;

import io.terrace.datanode.write.NextNodeException;
import java.io.IOException;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.security.token.SecretManager.InvalidToken;

/** What a DataNode answers to a client that wants to write a block, in Hadoop's message. */
final class Answers {
    /** An answer says so much of why something failed. */
    private static final int MOST_TEXT = 1_000;

    private Answers() {}

    static byte[] success() {
        return BlockOpResponseProto.newBuilder()
                .setStatus(Status.SUCCESS)
                .setFirstBadLink("")
                .build()
                .toByteArray();
    }

    /** Tells a client to wait for this DataNode, which is started again. */
    static byte[] restarting() {
        return BlockOpResponseProto.newBuilder()
                .setStatus(Status.OOB_RESTART)
                .setMessage("the DataNode restarts")
                .build()
                .toByteArray();
    }

    /**
     * Tells a client why its block cannot be opened or written, and which DataNode is at fault.
     *
     * @param ownAddress the transfer address of this DataNode
     */
    static byte[] refusal(Throwable why, String ownAddress) {
        if (why instanceof NextNodeException next) {
            return ofNext(next).toByteArray();
        }
        BlockOpResponseProto.Builder answer =
                BlockOpResponseProto.newBuilder().setStatus(status(why)).setMessage(text(why));
        if (why instanceof InvalidToken) {
            answer.setFirstBadLink(ownAddress);
        }
        return answer.build().toByteArray();
    }

    /** Whether the next DataNode has opened a block; fails with what it says otherwise. */
    static void check(String address, byte[] answer) throws NextNodeException {
        if (!isSuccess(answer)) {
            throw NextNodeException.said(address, answer);
        }
    }

    static boolean isSuccess(byte[] answer) {
        return parse(answer).getStatus() == Status.SUCCESS;
    }

    private static BlockOpResponseProto ofNext(NextNodeException why) {
        BlockOpResponseProto said = parse(why.answer());
        boolean names = said.hasFirstBadLink() && !said.getFirstBadLink().isEmpty();
        Status status = said.getStatus() == Status.SUCCESS ? Status.ERROR : said.getStatus();
        String text = said.getMessage().isEmpty() ? text(why) : said.getMessage();
        if (status == Status.ERROR_CHECKSUM && !names) {
            // As stock: the next one verified what this one had verified too, so it went wrong here.
            return BlockOpResponseProto.newBuilder()
                    .setStatus(Status.ERROR)
                    .setMessage("the next DataNode has got data that is not what was written here: " + text)
                    .build();
        }
        return BlockOpResponseProto.newBuilder()
                .setStatus(why.unsupported() ? Status.ERROR_UNSUPPORTED : status)
                .setMessage(text.substring(0, Math.min(MOST_TEXT, text.length())))
                .setFirstBadLink(names ? said.getFirstBadLink() : why.address())
                .build();
    }

    /** An error where there is no answer, or none of Hadoop's. */
    private static BlockOpResponseProto parse(byte[] answer) {
        if (answer.length > 0) {
            try {
                return BlockOpResponseProto.parseFrom(answer);
            } catch (IOException e) {
                // As good as none.
            }
        }
        return BlockOpResponseProto.newBuilder().setStatus(Status.ERROR).build();
    }

    private static String text(Throwable why) {
        String text = String.valueOf(why.getMessage());
        return text.substring(0, Math.min(MOST_TEXT, text.length()));
    }

    private static Status status(Throwable why) {
        if (why instanceof InvalidToken) {
            return Status.ERROR_ACCESS_TOKEN;
        }
        if (why instanceof ChecksumException) {
            return Status.ERROR_CHECKSUM;
        }
        return why instanceof WriteRequest.UnsupportedException ? Status.ERROR_UNSUPPORTED : Status.ERROR;
    }
}
