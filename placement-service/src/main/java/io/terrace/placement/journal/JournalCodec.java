package io.terrace.placement.journal;

import io.terrace.common.StorageTier;
import io.terrace.placement.journal.HeatRecord.Share;
import io.terrace.protocol.ProtoConverter;
import io.terrace.protocol.StampedBlock;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of records. Keys are big-endian: of heat the block, of moves the block, the complement of the time at which it
 * ended, so that the latest comes first, and the move. Values begin with {@link #VERSION}; numbers in them are unsigned
 * base-128 with the low bits first, texts are UTF-8 after their length.
 *
 * <pre>
 * heat  version, stamp, length, last read (ms), reads, bytes read, of them from memory, home + 1 or 0,
 *       shares: count, then DataNode and reads (float) of each
 * move  version, epoch, id, stamp, length, flags (1 up, 2 between volumes), [tier from, tier to], requested (ms), bytes,
 *       node, cause, reason, outcome, message
 * note  version, until (ms), text; the key is its own, as UTF-8
 * </pre>
 *
 * <p>Not thread-safe where it writes.
 */
final class JournalCodec {

    static final byte VERSION = 1;

    private static final int UP = 1;
    private static final int BETWEEN = 2;
    private static final int MOVE_KEY = 24;
    private static final int LONGEST_NUMBER = 10;

    private final NodeNumbers nodes;
    private ByteBuffer out = ByteBuffer.allocate(4096);

    JournalCodec(NodeNumbers nodes) {
        this.nodes = nodes;
    }

    static byte[] heatKey(long blockId) {
        return ByteBuffer.allocate(8).putLong(blockId).array();
    }

    static byte[] moveKey(MoveRecord move) {
        return ByteBuffer.allocate(MOVE_KEY)
                .putLong(move.block().id())
                .putLong(~move.endedMs())
                .putLong(move.id())
                .array();
    }

    byte[] value(HeatRecord heat) {
        out.clear().put(VERSION);
        number(heat.block().stamp());
        number(heat.block().lengthBytes());
        number(heat.lastMs());
        number(heat.reads());
        number(heat.bytesRead());
        number(heat.bytesFromMemory());
        number(heat.home() == null ? 0 : nodes.number(heat.home()) + 1);
        List<Share> known = heat.shares().stream()
                .filter(share -> nodes.number(share.node()) >= 0)
                .toList();
        number(known.size());
        for (Share share : known) {
            number(nodes.number(share.node()));
            out.putFloat(share.reads());
        }
        return Arrays.copyOf(out.array(), out.position());
    }

    byte[] value(MoveRecord move) {
        StorageTier from = move.from();
        StorageTier to = move.to();
        boolean between = from != null && to != null;
        out.clear().put(VERSION);
        number(move.epoch());
        number(move.id());
        number(move.block().stamp());
        number(move.block().lengthBytes());
        number((move.up() ? UP : 0) | (between ? BETWEEN : 0));
        if (from != null && to != null) {
            number(ProtoConverter.tier(from).getNumber());
            number(ProtoConverter.tier(to).getNumber());
        }
        number(move.requestedMs());
        number(move.bytesMoved());
        text(move.node());
        text(move.cause());
        text(move.reason());
        text(move.outcome());
        text(move.message());
        return Arrays.copyOf(out.array(), out.position());
    }

    byte[] value(NoteRecord note) {
        byte[] text = note.text().getBytes(StandardCharsets.UTF_8);
        if (out.capacity() < 2 * LONGEST_NUMBER + 1 + text.length) {
            out = ByteBuffer.allocate(2 * LONGEST_NUMBER + 1 + text.length);
        }
        out.clear().put(VERSION);
        number(note.untilMs());
        number(text.length);
        out.put(text);
        return Arrays.copyOf(out.array(), out.position());
    }

    /** @throws JournalException when the value is no record of this version */
    static NoteRecord note(String key, byte[] value) throws JournalException {
        try {
            ByteBuffer in = begin(value);
            return new NoteRecord(key, number(in), text(in));
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw unreadable(e);
        }
    }

    private void number(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            out.put((byte) (rest & 0x7F | 0x80));
            rest >>>= 7;
        }
        out.put((byte) rest);
    }

    private void text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        number(bytes.length);
        out.put(bytes);
    }

    /** @throws JournalException when the value is no record of this version */
    static HeatRecord heat(long blockId, byte[] value, NodeNumbers nodes) throws JournalException {
        try {
            ByteBuffer in = begin(value);
            StampedBlock block = new StampedBlock(blockId, number(in), number(in));
            long lastMs = number(in);
            long reads = number(in);
            long bytesRead = number(in);
            long fromMemory = number(in);
            String home = nodes.name((int) number(in) - 1);
            int count = (int) number(in);
            List<Share> shares = new ArrayList<>(Math.min(count, 16));
            for (int i = 0; i < count; i++) {
                String node = nodes.name((int) number(in));
                float share = in.getFloat();
                if (node != null) {
                    shares.add(new Share(node, share));
                }
            }
            return new HeatRecord(block, lastMs, reads, bytesRead, fromMemory, home, shares);
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw unreadable(e);
        }
    }

    /** Goes to the time of the last read in a value. */
    static void skipToLast(ByteBuffer in) throws JournalException {
        checkVersion(in.get());
        number(in);
        number(in);
    }

    /** From behind the time of the last read, the sum of the shares. */
    static float sumOfShares(ByteBuffer in) {
        for (int i = 0; i < 4; i++) {
            number(in);
        }
        float sum = 0;
        for (long left = number(in); left > 0; left--) {
            number(in);
            sum += in.getFloat();
        }
        return sum;
    }

    static long number(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            byte part = in.get();
            value |= (long) (part & 0x7F) << shift;
            if (part >= 0) {
                break;
            }
        }
        return value;
    }

    /** @throws JournalException when the value is no record of this version */
    static MoveRecord move(byte[] key, byte[] value) throws JournalException {
        try {
            ByteBuffer keys = ByteBuffer.wrap(key);
            long blockId = keys.getLong();
            long endedMs = ~keys.getLong();
            ByteBuffer in = begin(value);
            long epoch = number(in);
            long id = number(in);
            StampedBlock block = new StampedBlock(blockId, number(in), number(in));
            int flags = (int) number(in);
            StorageTier from = (flags & BETWEEN) == 0 ? null : tier(in);
            StorageTier to = (flags & BETWEEN) == 0 ? null : tier(in);
            long requestedMs = number(in);
            long bytes = number(in);
            String node = text(in);
            String cause = text(in);
            String reason = text(in);
            String outcome = text(in);
            String message = text(in);
            boolean up = (flags & UP) != 0;
            return new MoveRecord(
                    epoch, id, block, node, up, from, to, cause, reason, outcome, message, requestedMs, endedMs, bytes);
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw unreadable(e);
        }
    }

    private static @Nullable StorageTier tier(ByteBuffer in) {
        TierProto proto = TierProto.forNumber((int) number(in));
        return proto == null ? null : ProtoConverter.tier(proto);
    }

    private static String text(ByteBuffer in) {
        int length = (int) number(in);
        if (length < 0 || length > in.remaining()) {
            throw new IllegalArgumentException("a text of " + length + " bytes in " + in.remaining());
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static ByteBuffer begin(byte[] value) throws JournalException {
        ByteBuffer in = ByteBuffer.wrap(value);
        checkVersion(in.get());
        return in;
    }

    private static void checkVersion(byte version) throws JournalException {
        if (version != VERSION) {
            throw new JournalException(
                    JournalException.Next.BEGIN_ANEW, "a record has format " + version + " instead of " + VERSION);
        }
    }

    static JournalException unreadable(RuntimeException e) {
        return new JournalException(JournalException.Next.BEGIN_ANEW, "a record cannot be read", e);
    }
}
