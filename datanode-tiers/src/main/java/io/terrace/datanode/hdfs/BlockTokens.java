package io.terrace.datanode.hdfs;

import io.terrace.channel.BlockKey;
import io.terrace.channel.RefusalReason;
import io.terrace.datanode.BlockAccess;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.security.token.SecretManager.InvalidToken;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.Time;

/**
 * Block tokens, checked as DataXceiver checks them for a read: the token's secret, block, expiry and mode; a read asks for
 * no storage types or ids. Thread-safe.
 */
final class BlockTokens implements BlockAccess {

    private final DataNode datanode;
    private final boolean tokensExpected;

    BlockTokens(DataNode datanode) {
        this.datanode = datanode;
        this.tokensExpected = datanode.getConf()
                .getBoolean(
                        DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY,
                        DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_DEFAULT);
    }

    @Override
    public Allowed check(BlockKey block, byte[] serialized) throws Denied {
        try {
            // As stock waits for it: before the registration nobody knows whether tokens are needed.
            datanode.getDNRegistrationForBP(block.pool());
        } catch (IOException e) {
            throw new Denied(RefusalReason.OFF, "block pool " + block.pool() + " is not registered");
        }
        BlockPoolTokenSecretManager secrets = datanode.getBlockPoolTokenSecretManager();
        if (!secrets.isBlockPoolRegistered(block.pool())) {
            if (tokensExpected) {
                throw new Denied(RefusalReason.OFF, "the keys of block pool " + block.pool() + " are not here yet");
            }
            return Allowed.TO_ALL;
        }
        return check(secrets, block, serialized);
    }

    /** What the keys of the block's pool say of a token. */
    static Allowed check(BlockPoolTokenSecretManager secrets, BlockKey block, byte[] serialized) throws Denied {
        Token<BlockTokenIdentifier> token;
        BlockTokenIdentifier identifier = new BlockTokenIdentifier();
        try {
            token = BoundedTokens.read(serialized);
            identifier.readFields(new DataInputStream(new ByteArrayInputStream(token.getIdentifier())));
        } catch (IOException | RuntimeException e) {
            throw new Denied(RefusalReason.BAD_TOKEN, "not a block token");
        }
        long validMs = identifier.getExpiryDate() - Time.now();
        try {
            secrets.checkAccess(
                    token,
                    null,
                    new ExtendedBlock(block.pool(), block.blockId(), 0, block.generationStamp()),
                    AccessMode.READ,
                    null,
                    null);
        } catch (InvalidToken | IllegalArgumentException e) {
            throw new Denied(
                    validMs <= 0 ? RefusalReason.EXPIRED_TOKEN : RefusalReason.BAD_TOKEN,
                    String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            // Hadoop looks into a token before it looks at its secret, and finds nothing where it expects a block pool.
            throw new Denied(RefusalReason.BAD_TOKEN, "not a token of a block");
        }
        return new Allowed(validMs, identifier.getUserId());
    }
}
