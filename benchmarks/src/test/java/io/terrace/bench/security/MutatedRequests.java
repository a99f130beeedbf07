package io.terrace.bench.security;

import io.terrace.channel.GrantRequest;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.ReadReport;
import io.terrace.common.BlockKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;

/** What a client may say, requests for a grant mostly, with flipped bits, half of it cut short. */
final class MutatedRequests {

    /** A token that states an identifier of 2 GB, as Hadoop's writable integers are written. */
    static final byte[] OF_TWO_GIGABYTES = {-116, 127, -1, -1, -1, 1, 2, 3};

    /** That no few flips make the number of an honest request. */
    private static final long NUMBER = -1;

    private MutatedRequests() {}

    /** One such message, twice. */
    static byte[] next(BlockKey block, byte[] token, Random random) {
        ByteBuffer said = MessageCodec.encode(message(block, token, random));
        byte[] once = new byte[random.nextBoolean() ? said.remaining() : 1 + random.nextInt(said.remaining())];
        said.get(once);
        for (int flips = random.nextInt(4); flips >= 0; flips--) {
            once[random.nextInt(once.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return ByteBuffer.allocate(2 * once.length).put(once).put(once).array();
    }

    /** Of grants of small numbers, whosever they are. */
    private static Message message(BlockKey block, byte[] token, Random random) {
        List<Long> grantIds = random.longs(random.nextInt(5), 1, 100).boxed().toList();
        return switch (random.nextInt(8)) {
            case 0 -> new Message.Opened(random.nextInt(100));
            case 1 -> new Message.Revoked(random.nextInt(100));
            case 2 -> new Message.Renew(grantIds);
            case 3 -> new Message.Release(grantIds);
            case 4 -> new Message.Report(grantIds.stream()
                    .map(grantId -> new ReadReport(grantId, random.nextInt(1000), random.nextInt() & Integer.MAX_VALUE))
                    .toList());
            default -> new Message.Ask(NUMBER, new GrantRequest(block, token, random.nextBoolean()));
        };
    }

    /** Whether these bytes are whole messages that a client may send, so that their sender is answered and not cut. */
    static boolean areAllValid(byte[] bytes) {
        ByteBuffer left = ByteBuffer.wrap(bytes);
        while (left.remaining() >= Integer.BYTES) {
            int length = left.getInt();
            if (length < 0 || length > left.remaining() || !isOfAClient(left.slice(left.position(), length))) {
                return false;
            }
            left.position(left.position() + length);
        }
        return !left.hasRemaining();
    }

    private static boolean isOfAClient(ByteBuffer frame) {
        try {
            Message message = MessageCodec.decode(frame);
            return message instanceof Message.Ask
                    || message instanceof Message.Opened
                    || message instanceof Message.Renew
                    || message instanceof Message.Release
                    || message instanceof Message.Revoked
                    || message instanceof Message.Report;
        } catch (IOException e) {
            return false;
        }
    }
}
