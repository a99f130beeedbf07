package io.terrace.datanode.hdfs.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.terrace.channel.RefusalReason;
import io.terrace.common.BlockKey;
import io.terrace.datanode.grant.TokenVerifier;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.ExportedBlockKeys;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.NodeType;
import org.apache.hadoop.hdfs.server.common.StorageInfo;
import org.apache.hadoop.hdfs.server.protocol.DatanodeRegistration;
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

    private TokenVerifier.Allowed check(byte[] token) throws TokenVerifier.Denied {
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
        TokenVerifier.Allowed allowed = check(bytes(token));
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
                .isInstanceOfSatisfying(TokenVerifier.Denied.class, denied -> assertThat(denied.reason())
                        .isEqualTo(RefusalReason.BAD_TOKEN));
    }

    /** The DataNode's configuration names no tokens; the NameNode's answer to the registration does, before its keys. */
    @Test
    void check_beforeTheKeysOfARegisteredPool_isRefused_whateverTheConfigurationSays() throws Exception {
        Map<String, DatanodeRegistration> registered = new HashMap<>();
        BlockPoolTokenSecretManager none = new BlockPoolTokenSecretManager();
        BlockTokens tokens = new BlockTokens(registrations(registered), none, false);
        assertRefused(tokens, BLOCK, RefusalReason.OFF);

        registered.put(POOL, registration(false));
        assertThat(tokens.check(BLOCK, new byte[0])).isEqualTo(TokenVerifier.Allowed.TO_ALL);
        assertThat(tokens.areNeeded()).isFalse();

        BlockKey ofAnother = new BlockKey("BP-2-127.0.0.1-2", 7, 1007);
        registered.put(ofAnother.pool(), registration(true));
        assertRefused(tokens, ofAnother, RefusalReason.OFF);
        assertThat(tokens.areNeeded()).isTrue();
        assertRefused(tokens, BLOCK, RefusalReason.OFF);
        none.addBlockPool(POOL, keys);
        assertRefused(tokens, BLOCK, RefusalReason.BAD_TOKEN);
    }

    private static BlockTokens.Registrations registrations(Map<String, DatanodeRegistration> known) {
        return pool -> {
            DatanodeRegistration registration = known.get(pool);
            if (registration == null) {
                throw new IOException("not yet");
            }
            return registration;
        };
    }

    private static DatanodeRegistration registration(boolean tokens) {
        return new DatanodeRegistration(
                new DatanodeID("127.0.0.1", "localhost", "uuid", 1, 2, 3, 4),
                new StorageInfo(NodeType.DATA_NODE),
                new ExportedBlockKeys(
                        tokens,
                        1,
                        1,
                        new org.apache.hadoop.hdfs.security.token.block.BlockKey(),
                        new org.apache.hadoop.hdfs.security.token.block.BlockKey[0]),
                "3.5.0");
    }

    private static void assertRefused(BlockTokens tokens, BlockKey block, RefusalReason reason) {
        assertThatThrownBy(() -> tokens.check(block, new byte[0]))
                .isInstanceOfSatisfying(TokenVerifier.Denied.class, denied -> assertThat(denied.reason())
                        .isEqualTo(reason));
    }
}
