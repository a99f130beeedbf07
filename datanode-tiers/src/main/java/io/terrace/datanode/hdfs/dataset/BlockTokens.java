package io.terrace.datanode.hdfs.dataset;

import io.terrace.channel.RefusalReason;
import io.terrace.common.BlockKey;
import io.terrace.datanode.grant.TokenVerifier;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.hdfs.security.token.block.ExportedBlockKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.protocol.DatanodeRegistration;
import org.apache.hadoop.security.token.SecretManager.InvalidToken;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.Time;

/**
 * Block tokens, checked as DataXceiver checks them for a read: the token's secret, block, expiry and mode; a read asks for
 * no storage types or ids. Thread-safe.
 *
 * <p>Whether they are needed is the NameNode's to say, in its answer to the registration for a block pool, or the
 * DataNode's configuration. As in stock, where one pool has them all are checked.
 */
public final class BlockTokens implements TokenVerifier {

    /** The registrations of a DataNode. */
    interface Registrations {
        /**
         * That for a block pool.
         *
         * @throws IOException as long as there is none
         */
        DatanodeRegistration of(String pool) throws IOException;
    }

    private final Registrations registrations;
    private final BlockPoolTokenSecretManager secrets;
    private volatile boolean needed;

    public BlockTokens(DataNode datanode) {
        this(
                datanode::getDNRegistrationForBP,
                datanode.getBlockPoolTokenSecretManager(),
                datanode.getConf()
                        .getBoolean(
                                DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY,
                                DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_DEFAULT));
    }

    /** @param needed whatever a NameNode says */
    BlockTokens(Registrations registrations, BlockPoolTokenSecretManager secrets, boolean needed) {
        this.registrations = registrations;
        this.secrets = secrets;
        this.needed = needed;
    }

    /** Whether tokens are known to be needed; sure of every block pool that somebody has asked for a block of. */
    public boolean areNeeded() {
        return needed;
    }

    @Override
    public Allowed check(BlockKey block, byte[] serialized) throws Denied {
        String pool = block.pool();
        try {
            // As stock waits for it: before the registration nobody knows whether tokens are needed.
            ExportedBlockKeys keys = registrations.of(pool).getExportedKeys();
            if (!needed && keys != null && keys.isBlockTokenEnabled()) {
                needed = true;
            }
        } catch (IOException e) {
            throw new Denied(RefusalReason.OFF, "block pool " + pool + " is not registered");
        }
        if (!secrets.isBlockPoolRegistered(pool)) {
            // The registration exists a moment before its keys do.
            if (needed) {
                throw new Denied(RefusalReason.OFF, "the keys of block pool " + pool + " are not here yet");
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
            // Hadoop reads a token before it checks its secret, and fails where the block pool is missing.
            throw new Denied(RefusalReason.BAD_TOKEN, "not a token of a block");
        }
        return new Allowed(validMs, identifier.getUserId());
    }
}
