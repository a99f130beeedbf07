package io.terrace.datanode.hdfs.dataset;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.security.token.Token;

/**
 * Reads the block token that a client sent. Hadoop's own readers allocate whatever length a token states, up to 2 GB, before
 * they look whether so many bytes follow; here every length is held against what is left first.
 */
public final class BoundedTokens {
    private BoundedTokens() {}

    /**
     * What {@link Token#write} wrote.
     *
     * @return a token whose identifier can be decoded without allocating more than its size allows
     * @throws IOException when it is no such token
     */
    public static Token<BlockTokenIdentifier> read(byte[] serialized) throws IOException {
        Reader reader = new Reader(serialized);
        byte[] identifier = reader.bytes(reader.vint());
        byte[] password = reader.bytes(reader.vint());
        Text kind = new Text(reader.bytes(reader.vint()));
        Text service = new Text(reader.bytes(reader.vint()));
        check(identifier);
        return new Token<>(identifier, password, kind, service);
    }

    /**
     * Of a token that was read elsewhere.
     *
     * @throws IOException when the identifier cannot be decoded without allocating more than its size allows
     */
    public static void check(byte[] identifier) throws IOException {
        if (identifier.length > 0 && identifier[0] <= 0) {
            checkWritable(new Reader(identifier));
        }
    }

    /** The format before HDFS-11026, still the default; the other is protobuf, which bounds itself. */
    private static void checkWritable(Reader reader) throws IOException {
        reader.vlong();
        reader.vint();
        reader.skipString();
        reader.skipString();
        reader.vlong();
        for (int modes = reader.vint(); modes > 0; modes--) {
            reader.skip(reader.vint());
        }
        try {
            for (int types = reader.count(); types > 0; types--) {
                reader.skip(reader.vint());
            }
            for (int ids = reader.count(); ids > 0; ids--) {
                reader.skipString();
            }
            reader.skip(reader.vint());
        } catch (EOFException e) {
            // Tokens of before HDFS-6708, HDFS-9807 and HDFS-14611 end earlier, and Hadoop takes them too.
        }
    }

    private static final class Reader {
        private final ByteArrayInputStream bytes;
        private final DataInputStream in;

        Reader(byte[] bytes) {
            this.bytes = new ByteArrayInputStream(bytes);
            this.in = new DataInputStream(this.bytes);
        }

        int vint() throws IOException {
            return WritableUtils.readVInt(in);
        }

        void vlong() throws IOException {
            WritableUtils.readVLong(in);
        }

        /** A number of things of one byte or more. */
        int count() throws IOException {
            return bounded(vint());
        }

        byte[] bytes(int length) throws IOException {
            return bytes.readNBytes(bounded(length));
        }

        void skip(int length) throws IOException {
            bytes.skipNBytes(bounded(length));
        }

        /** As {@link WritableUtils#readString}, where -1 stands for none. */
        void skipString() throws IOException {
            int length = in.readInt();
            if (length != -1) {
                skip(length);
            }
        }

        private int bounded(int length) throws IOException {
            if (length < 0 || length > bytes.available()) {
                throw new IOException("a length of " + length + " where " + bytes.available() + " bytes are left");
            }
            return length;
        }
    }
}
