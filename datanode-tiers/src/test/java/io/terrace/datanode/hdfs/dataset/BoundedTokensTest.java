package io.terrace.datanode.hdfs.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BoundedTokensTest {
    private static final long MOST_BYTES = 64 * 1024;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static Token<BlockTokenIdentifier> token(boolean protobuf) {
        BlockTokenIdentifier identifier = new BlockTokenIdentifier(
                "alice",
                "BP-1-127.0.0.1-1",
                7,
                EnumSet.of(AccessMode.READ, AccessMode.COPY),
                new StorageType[] {StorageType.DISK, StorageType.SSD},
                new String[] {"DS-1", "DS-2"},
                protobuf);
        identifier.setExpiryDate(1_900_000_000_000L);
        identifier.setKeyId(12);
        identifier.setHandshakeMsg(new byte[] {1, 2, 3});
        byte[] password = new byte[20];
        Arrays.fill(password, (byte) 5);
        return new Token<>(identifier.getBytes(), password, identifier.getKind(), new Text("127.0.0.1:1"));
    }

    private static byte[] bytes(Token<?> token) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        token.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private static BlockTokenIdentifier identifier(Token<BlockTokenIdentifier> token) throws IOException {
        BlockTokenIdentifier identifier = new BlockTokenIdentifier();
        identifier.readFields(new DataInputStream(new ByteArrayInputStream(token.getIdentifier())));
        return identifier;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void token_isReadAsHadoopReadsIt(boolean protobuf) throws IOException {
        Token<BlockTokenIdentifier> token = token(protobuf);
        assertThat(BoundedTokens.read(bytes(token))).isEqualTo(token);
        assertThat(identifier(BoundedTokens.read(bytes(token)))).isEqualTo(identifier(token));
    }

    /** NameNodes of before HDFS-6708 and HDFS-9807 send no storage types, those of before HDFS-14611 no secret. */
    @ParameterizedTest
    @ValueSource(ints = {4, 21, 31})
    void token_ofAnOlderNameNode_isReadAsHadoopReadsIt(int missing) throws IOException {
        Token<BlockTokenIdentifier> whole = token(false);
        byte[] identifier = whole.getIdentifier();
        Token<BlockTokenIdentifier> older = new Token<>(
                Arrays.copyOf(identifier, identifier.length - missing),
                whole.getPassword(),
                whole.getKind(),
                whole.getService());
        assertThat(identifier(BoundedTokens.read(bytes(older)))).isEqualTo(identifier(older));
    }

    /** One flipped bit makes a length of 2 GB, and Hadoop allocates it before it looks. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void token_withAnyBitFlipped_costsNoMoreMemoryThanItsSizeAllows(boolean protobuf) throws IOException {
        byte[] good = bytes(token(protobuf));
        int refused = 0;
        for (int bit = 0; bit < good.length * Byte.SIZE; bit++) {
            byte[] flipped = good.clone();
            flipped[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            // The first time may load classes.
            isRefused(flipped);
            long before = threads.getCurrentThreadAllocatedBytes();
            refused += isRefused(flipped) ? 1 : 0;
            long allocatedBytes = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(allocatedBytes).as("bit %d flipped", bit).isLessThan(MOST_BYTES);
        }
        assertThat(refused).isPositive();
    }

    /** As in a request to write, whose protobuf brings the identifier alone. */
    @Test
    void identifier_thatStatesMoreThanItHas_isRefusedBeforeItIsDecoded() throws IOException {
        byte[] identifier = token(false).getIdentifier();
        BoundedTokens.check(identifier);
        ByteArrayOutputStream lying = new ByteArrayOutputStream();
        lying.write(0);
        lying.write(0);
        lying.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(1 << 30).array());
        assertThatThrownBy(() -> BoundedTokens.check(lying.toByteArray())).isInstanceOf(IOException.class);
    }

    private static boolean isRefused(byte[] serialized) {
        try {
            identifier(BoundedTokens.read(serialized));
            return false;
        } catch (IOException | RuntimeException e) {
            return true;
        }
    }
}
