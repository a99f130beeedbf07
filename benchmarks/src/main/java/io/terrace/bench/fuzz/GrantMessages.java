package io.terrace.bench.fuzz;

import io.terrace.channel.ExtentDescriptor;
import io.terrace.channel.Grant;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.ReadReport;
import io.terrace.channel.Refusal;
import io.terrace.channel.RefusalReason;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/** Control messages without their length. What is decoded says the same when it is encoded again. */
final class GrantMessages implements FuzzTarget {

    private static final BlockKey BLOCK = new BlockKey("BP-17-127.0.0.1-1700000000000", 1073741825L, 1001);

    static List<byte[]> valid() {
        ExtentDescriptor descriptor = new ExtentDescriptor(BLOCK, StorageTier.NVM, 5, 1L << 40, 1 << 25, 77);
        return List.of(
                        new Message.Hello("DFSClient_1"),
                        new Message.Welcome("uuid", "/dev/shm/slots", 7, "/dev/shm/links"),
                        new Message.Ask(5, new GrantRequest(BLOCK, new byte[] {1, 2, 3}, true)),
                        new Message.Granted(5, new Grant(9, descriptor, "0123456789abcdef0123456789abcdef", 60_000)),
                        new Message.Refused(6, new Refusal(RefusalReason.FAILED, "why")),
                        new Message.Opened(8),
                        new Message.Release(List.of(1L, 2L)),
                        new Message.Renew(List.of(3L)),
                        new Message.Renewed(List.of(new Message.Lease(3, 9))),
                        new Message.Revoke(1, 2, 3),
                        new Message.Revoked(4),
                        new Message.Report(List.of(new ReadReport(1, 2, 3))),
                        new Message.Goodbye(),
                        new Message.StartWrites())
                .stream()
                .map(GrantMessages::body)
                .toList();
    }

    private static byte[] body(Message message) {
        ByteBuffer encoded = MessageCodec.encode(message);
        byte[] body = new byte[encoded.getInt()];
        encoded.get(body);
        return body;
    }

    @Override
    public List<byte[]> seeds() {
        return valid();
    }

    @Override
    public void read(byte[] input) throws Exception {
        Message message;
        try {
            message = MessageCodec.decode(ByteBuffer.wrap(input));
        } catch (MalformedMessageException e) {
            return;
        }
        byte[] once = body(message);
        byte[] twice = body(MessageCodec.decode(ByteBuffer.wrap(once)));
        FuzzTarget.require(Arrays.equals(once, twice), "a message changes when it is sent on: " + message);
    }
}
