package io.terrace.channel;

import io.terrace.channel.Message.Ask;
import io.terrace.channel.Message.Goodbye;
import io.terrace.channel.Message.Granted;
import io.terrace.channel.Message.Hello;
import io.terrace.channel.Message.Lease;
import io.terrace.channel.Message.Opened;
import io.terrace.channel.Message.Refused;
import io.terrace.channel.Message.Release;
import io.terrace.channel.Message.Renew;
import io.terrace.channel.Message.Renewed;
import io.terrace.channel.Message.Report;
import io.terrace.channel.Message.Revoke;
import io.terrace.channel.Message.Revoked;
import io.terrace.channel.Message.StartWrites;
import io.terrace.channel.Message.Welcome;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of a control message: version, type, then the fields in their order, big-endian; strings and byte arrays
 * with their length before them, lists with their count.
 *
 * <p>Everything has a limit, and whatever does not fit the format to the last byte is a {@link
 * MalformedMessageException}: no input makes the decoder allocate more than the frame it was given or throw anything
 * else. On the wire a frame is its length (4 bytes) and these bytes ({@link FrameDecoder}).
 */
public final class MessageCodec {
    /** Bytes of the longest message. */
    public static final int MAX_FRAME_BYTES = 64 * 1024;

    /** Entries of the longest list in one message. */
    public static final int MAX_LIST = 1024;

    /** Bytes of the longest block token. */
    public static final int MAX_TOKEN_BYTES = 16 * 1024;

    static final byte VERSION = 1;
    private static final int MAX_STRING_BYTES = 4096;

    private static final byte HELLO = 1;
    private static final byte WELCOME = 2;
    private static final byte ASK = 3;
    private static final byte GRANTED = 4;
    private static final byte REFUSED = 5;
    private static final byte OPENED = 6;
    private static final byte RELEASE = 7;
    private static final byte RENEW = 8;
    private static final byte RENEWED = 9;
    private static final byte REVOKE = 10;
    private static final byte REVOKED = 11;
    private static final byte REPORT = 12;
    private static final byte GOODBYE = 13;
    private static final byte START_WRITES = 14;

    private static final StorageTier[] TIERS = StorageTier.values();
    private static final RefusalReason[] REASONS = RefusalReason.values();

    private MessageCodec() {}

    /**
     * The frame of a message, its length included, ready to be written.
     *
     * @throws IllegalArgumentException when a field is over its limit: the sender's mistake
     */
    public static ByteBuffer encode(Message message) {
        ByteBuffer out = ByteBuffer.allocate(Integer.BYTES + boundBytes(message));
        out.putInt(0).put(VERSION);
        if (message instanceof Hello hello) {
            out.put(HELLO);
            putString(out, hello.client());
        } else if (message instanceof Welcome welcome) {
            out.put(WELCOME);
            putString(out, welcome.datanode());
            putString(out, welcome.slotTable());
            out.putLong(welcome.incarnation());
            putString(out, welcome.links());
        } else if (message instanceof Ask ask) {
            out.put(ASK).putLong(ask.requestId());
            putBlock(out, ask.request().block());
            putToken(out, ask.request().token());
            out.put((byte) (ask.request().write() ? 1 : 0));
        } else if (message instanceof Granted granted) {
            out.put(GRANTED).putLong(granted.requestId());
            putGrant(out, granted.grant());
        } else if (message instanceof Refused refused) {
            out.put(REFUSED).putLong(refused.requestId());
            out.put((byte) refused.refusal().reason().ordinal());
            putString(out, refused.refusal().message());
        } else if (message instanceof Opened opened) {
            out.put(OPENED).putLong(opened.grantId());
        } else if (message instanceof Release release) {
            out.put(RELEASE);
            putIds(out, release.grantIds());
        } else if (message instanceof Renew renew) {
            out.put(RENEW);
            putIds(out, renew.grantIds());
        } else if (message instanceof Renewed renewed) {
            out.put(RENEWED).putInt(listSize(renewed.leases()));
            renewed.leases().forEach(lease -> out.putLong(lease.grantId()).putLong(lease.leaseMs()));
        } else if (message instanceof Revoke revoke) {
            out.put(REVOKE).putLong(revoke.grantId()).putInt(revoke.slot()).putLong(revoke.sequence());
        } else if (message instanceof Revoked revoked) {
            out.put(REVOKED).putLong(revoked.grantId());
        } else if (message instanceof Report report) {
            out.put(REPORT).putInt(listSize(report.reports()));
            report.reports()
                    .forEach(r -> out.putLong(r.grantId()).putLong(r.reads()).putLong(r.bytes()));
        } else if (message instanceof Goodbye) {
            out.put(GOODBYE);
        } else if (message instanceof StartWrites) {
            out.put(START_WRITES);
        }
        out.flip();
        out.putInt(0, out.limit() - Integer.BYTES);
        return out;
    }

    /**
     * The message in a frame; takes all of the frame's remaining bytes.
     *
     * @param frame without its length
     */
    public static Message decode(ByteBuffer frame) throws MalformedMessageException {
        Fields in = new Fields(frame);
        byte version = in.oneByte();
        if (version != VERSION) {
            throw new MalformedMessageException("protocol version " + version + ", expected " + VERSION);
        }
        Message message = body(in.oneByte(), in);
        if (frame.hasRemaining()) {
            throw new MalformedMessageException(frame.remaining() + " bytes after the end of a message");
        }
        return message;
    }

    private static Message body(byte type, Fields in) throws MalformedMessageException {
        return switch (type) {
            case HELLO -> new Hello(in.string());
            case WELCOME -> new Welcome(in.string(), in.string(), in.eightBytes(), in.string());
            case ASK -> new Ask(in.eightBytes(), new GrantRequest(in.block(), in.token(), in.flag()));
            case GRANTED -> new Granted(in.eightBytes(), in.grant());
            case REFUSED -> new Refused(in.eightBytes(), new Refusal(in.oneOf(REASONS), in.string()));
            case OPENED -> new Opened(in.eightBytes());
            case RELEASE -> new Release(in.ids());
            case RENEW -> new Renew(in.ids());
            case RENEWED -> new Renewed(in.leases());
            case REVOKE -> new Revoke(in.eightBytes(), in.fourBytes(), in.eightBytes());
            case REVOKED -> new Revoked(in.eightBytes());
            case REPORT -> new Report(in.reports());
            case GOODBYE -> new Goodbye();
            case START_WRITES -> new StartWrites();
            default -> throw new MalformedMessageException("message of unknown type " + type);
        };
    }

    /** An upper bound, so that one allocation does. */
    private static int boundBytes(Message message) {
        if (message instanceof Ask ask) {
            return 64 + utf8Bound(ask.request().block().pool()) + ask.request().token().length;
        }
        if (message instanceof Granted granted) {
            Grant grant = granted.grant();
            return 128 + utf8Bound(grant.descriptor().block().pool()) + utf8Bound(grant.linkName());
        }
        if (message instanceof Welcome welcome) {
            return 64 + utf8Bound(welcome.datanode()) + utf8Bound(welcome.slotTable()) + utf8Bound(welcome.links());
        }
        if (message instanceof Hello hello) {
            return 64 + utf8Bound(hello.client());
        }
        if (message instanceof Refused refused) {
            return 64 + utf8Bound(refused.refusal().message());
        }
        if (message instanceof Release release) {
            return 16 + Long.BYTES * listSize(release.grantIds());
        }
        if (message instanceof Renew renew) {
            return 16 + Long.BYTES * listSize(renew.grantIds());
        }
        if (message instanceof Renewed renewed) {
            return 16 + 2 * Long.BYTES * listSize(renewed.leases());
        }
        if (message instanceof Report report) {
            return 16 + 3 * Long.BYTES * listSize(report.reports());
        }
        return 64;
    }

    private static int utf8Bound(String text) {
        return 3 * text.length();
    }

    private static int listSize(List<?> list) {
        if (list.size() > MAX_LIST) {
            throw new IllegalArgumentException(list.size() + " entries in a message, at most " + MAX_LIST);
        }
        return list.size();
    }

    private static void putIds(ByteBuffer out, List<Long> ids) {
        out.putInt(listSize(ids));
        ids.forEach(out::putLong);
    }

    private static void putString(ByteBuffer out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAX_STRING_BYTES) {
            throw new IllegalArgumentException("a string of " + bytes.length + " bytes in a message");
        }
        out.putShort((short) bytes.length).put(bytes);
    }

    private static void putToken(ByteBuffer out, byte[] token) {
        if (token.length > MAX_TOKEN_BYTES) {
            throw new IllegalArgumentException("a block token of " + token.length + " bytes");
        }
        out.putShort((short) token.length).put(token);
    }

    private static void putBlock(ByteBuffer out, BlockKey block) {
        putString(out, block.pool());
        out.putLong(block.blockId()).putLong(block.generationStamp());
    }

    private static void putGrant(ByteBuffer out, Grant grant) {
        ExtentDescriptor descriptor = grant.descriptor();
        out.putLong(grant.grantId());
        putBlock(out, descriptor.block());
        out.put((byte) descriptor.tier().ordinal())
                .putLong(descriptor.address())
                .putLong(descriptor.lengthBytes())
                .putInt(descriptor.slot())
                .putLong(descriptor.sequence());
        putString(out, grant.linkName());
        out.putLong(grant.leaseMs());
    }

    /** Takes fields off a frame and never more than it has. */
    private record Fields(ByteBuffer frame) {
        byte oneByte() throws MalformedMessageException {
            need(Byte.BYTES);
            return frame.get();
        }

        int fourBytes() throws MalformedMessageException {
            need(Integer.BYTES);
            return frame.getInt();
        }

        long eightBytes() throws MalformedMessageException {
            need(Long.BYTES);
            return frame.getLong();
        }

        boolean flag() throws MalformedMessageException {
            byte value = oneByte();
            if (value != 0 && value != 1) {
                throw new MalformedMessageException("a flag of " + value);
            }
            return value == 1;
        }

        <T> T oneOf(T[] constants) throws MalformedMessageException {
            int ordinal = oneByte();
            if (ordinal < 0 || ordinal >= constants.length) {
                throw new MalformedMessageException("a constant numbered " + ordinal);
            }
            return constants[ordinal];
        }

        byte[] bytes(int limit) throws MalformedMessageException {
            need(Short.BYTES);
            int length = Short.toUnsignedInt(frame.getShort());
            if (length > limit) {
                throw new MalformedMessageException("a field of " + length + " bytes, at most " + limit);
            }
            need(length);
            byte[] bytes = new byte[length];
            frame.get(bytes);
            return bytes;
        }

        byte[] token() throws MalformedMessageException {
            return bytes(MAX_TOKEN_BYTES);
        }

        String string() throws MalformedMessageException {
            try {
                CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes(MAX_STRING_BYTES)));
                return text.toString();
            } catch (CharacterCodingException e) {
                throw new MalformedMessageException("a string that is not UTF-8");
            }
        }

        BlockKey block() throws MalformedMessageException {
            return new BlockKey(string(), eightBytes(), eightBytes());
        }

        Grant grant() throws MalformedMessageException {
            long grantId = eightBytes();
            BlockKey block = block();
            StorageTier tier = oneOf(TIERS);
            long address = eightBytes();
            long lengthBytes = eightBytes();
            int slot = fourBytes();
            long sequence = eightBytes();
            String link = string();
            long leaseMs = eightBytes();
            if (grantId <= 0 || leaseMs <= 0 || lengthBytes < 0 || slot < 0 || sequence < 0) {
                throw new MalformedMessageException("a grant with a negative id, lease, length, slot or sequence");
            }
            return new Grant(
                    grantId, new ExtentDescriptor(block, tier, address, lengthBytes, slot, sequence), link, leaseMs);
        }

        int count(int entryBytes) throws MalformedMessageException {
            int count = fourBytes();
            if (count < 0 || count > MAX_LIST) {
                throw new MalformedMessageException("a list of " + count + " entries, at most " + MAX_LIST);
            }
            need(count * entryBytes);
            return count;
        }

        List<Long> ids() throws MalformedMessageException {
            int count = count(Long.BYTES);
            List<Long> ids = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                ids.add(frame.getLong());
            }
            return ids;
        }

        List<Lease> leases() throws MalformedMessageException {
            int count = count(2 * Long.BYTES);
            List<Lease> leases = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                leases.add(new Lease(frame.getLong(), frame.getLong()));
            }
            return leases;
        }

        List<ReadReport> reports() throws MalformedMessageException {
            int count = count(3 * Long.BYTES);
            List<ReadReport> reports = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                long grantId = frame.getLong();
                long reads = frame.getLong();
                long bytes = frame.getLong();
                if (grantId <= 0 || reads < 0 || bytes < 0) {
                    throw new MalformedMessageException("a report with negative figures");
                }
                reports.add(new ReadReport(grantId, reads, bytes));
            }
            return reports;
        }

        private void need(int bytes) throws MalformedMessageException {
            if (frame.remaining() < bytes) {
                throw new MalformedMessageException("a message cut short: " + bytes + " more bytes expected");
            }
        }
    }
}
