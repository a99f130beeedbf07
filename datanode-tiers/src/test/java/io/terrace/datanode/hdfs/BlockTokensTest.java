package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.terrace.channel.BlockKey;
import io.terrace.channel.RefusalReason;
import io.terrace.datanode.BlockAccess;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.EnumSet;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockTokensTest {
    private static final String POOL = "BP-1-127.0.0.1-1";
    private static final int STATED_BYTES = 64 << 20;
    private static final BlockKey BLOCK = new BlockKey(POOL, 7, 1007);

    private final BlockPoolTokenSecretManager secrets = new BlockPoolTokenSecretManager();
    private BlockTokenSecretManager keys;

    @BeforeEach
    void makeKeys() {
        keys = new BlockTokenSecretManager(600_000, 600_000, 0, 1, POOL, null, false);
        secrets.addBlockPool(POOL, keys);
    }

    private static byte[] bytes(Token<BlockTokenIdentifier> token) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        token.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private BlockAccess.Allowed check(byte[] token) throws BlockAccess.Denied {
        return BlockTokens.check(secrets, BLOCK, token);
    }

    @Test
    void token_ofTheBlock_allowsItsUser() throws Exception {
        Token<BlockTokenIdentifier> token = keys.generateToken(
                "alice",
                new ExtendedBlock(POOL, 7, 0, 1007),
                EnumSet.of(AccessMode.READ),
                StorageType.EMPTY_ARRAY,
                new String[0]);
        BlockAccess.Allowed allowed = check(bytes(token));
        assertThat(allowed.user()).isEqualTo("alice");
        assertThat(allowed.validMs()).isPositive();
    }

    /** Made by anybody: nothing of it is secret. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void token_withoutAPool_isABadToken_andNoFailure(boolean protobuf) throws IOException {
        BlockTokenIdentifier identifier = new BlockTokenIdentifier(
                "mallory", null, 7, EnumSet.of(AccessMode.READ), new StorageType[0], new String[0], protobuf);
        identifier.setExpiryDate(Long.MAX_VALUE);
        byte[] forged =
                bytes(new Token<>(identifier.getBytes(), new byte[20], identifier.getKind(), new Text("127.0.0.1:1")));
        assertBad(forged);
    }

    @Test
    void token_thatStatesALengthBeyondItsBytes_isABadToken_andNothingOfThatLengthIsAllocated() throws IOException {
        ByteArrayOutputStream stated = new ByteArrayOutputStream();
        WritableUtils.writeVInt(new DataOutputStream(stated), STATED_BYTES);
        // The first time may load classes.
        assertBad(stated.toByteArray());
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        assertBad(stated.toByteArray());
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(STATED_BYTES / 10);
    }

    private void assertBad(byte[] token) {
        assertThatThrownBy(() -> check(token))
                .isInstanceOfSatisfying(BlockAccess.Denied.class, denied -> assertThat(denied.reason())
                        .isEqualTo(RefusalReason.BAD_TOKEN));
    }
}
