package io.terrace.datanode.hdfs.write;

import io.terrace.common.LogThrottle;
import io.terrace.datanode.write.BlockStore;
import io.terrace.datanode.write.OpenBlock;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.TerraceWriteAccess;
import org.apache.hadoop.security.token.SecretManager.InvalidToken;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens blocks in the dataset of a DataNode, for clients whose token allows it. Thread-safe. */
public final class DatasetBlockStore implements BlockStore {
    private static final Logger LOG = LoggerFactory.getLogger(DatasetBlockStore.class);

    /** The answer to a client says so much of why it failed. */
    private static final int MOST_TEXT = 1_000;

    private final DataNode datanode;
    private final LogThrottle badTokens = new LogThrottle(TimeUnit.SECONDS.toNanos(1));

    public DatasetBlockStore(DataNode datanode) {
        this.datanode = datanode;
    }

    @Override
    public OpenBlock open(byte[] request, Client client) throws IOException {
        WriteRequest wanted = WriteRequest.parse(request);
        checkAccess(wanted, client);
        LOG.info("Receiving {} src: {} dest: {} over the channel", wanted.block(), client.from(), client.to());
        return ReplicaWriter.create(datanode, wanted, client);
    }

    @Override
    public byte[] refusal(Throwable why) {
        String text = String.valueOf(why.getMessage());
        BlockOpResponseProto.Builder answer = BlockOpResponseProto.newBuilder()
                .setStatus(status(why))
                .setMessage(text.substring(0, Math.min(MOST_TEXT, text.length())));
        if (why instanceof InvalidToken) {
            answer.setFirstBadLink(datanode.getDatanodeId().getXferAddr());
        }
        return answer.build().toByteArray();
    }

    @Override
    public void connected() {
        datanode.getMetrics().incrDataNodeActiveXceiversCount();
        datanode.getMetrics().incrDataNodeWriteActiveXceiversCount();
    }

    @Override
    public void disconnected() {
        datanode.getMetrics().decrDataNodeWriteActiveXceiversCount();
        datanode.getMetrics().decrDataNodeActiveXceiversCount();
    }

    private static Status status(Throwable why) {
        if (why instanceof InvalidToken) {
            return Status.ERROR_ACCESS_TOKEN;
        }
        if (why instanceof ChecksumException) {
            return Status.ERROR_CHECKSUM;
        }
        return why instanceof WriteRequest.UnsupportedException ? Status.ERROR_UNSUPPORTED : Status.ERROR;
    }

    /** As stock: the secret of the token, its block, expiry and mode, and the storage that the NameNode chose. */
    private void checkAccess(WriteRequest wanted, Client client) throws IOException {
        awaitRegistration(wanted.block());
        if (!TerraceWriteAccess.needsTokens(datanode)) {
            return;
        }
        try {
            datanode.getBlockPoolTokenSecretManager()
                    .checkAccess(
                            wanted.token(),
                            null,
                            wanted.block(),
                            AccessMode.WRITE,
                            new StorageType[] {wanted.storageType()},
                            wanted.storageId().isEmpty() ? new String[0] : new String[] {wanted.storageId()});
        } catch (InvalidToken e) {
            Long others = badTokens.next(System.nanoTime());
            if (others != null) {
                LOG.warn(
                        "Block token of {} for {} refused: {} ({} others before it)",
                        client.from(),
                        wanted.block(),
                        e.getMessage(),
                        others);
            }
            throw e;
        } catch (RuntimeException e) {
            // Hadoop looks into a token before it looks at its secret.
            throw new InvalidToken("not a token of a block");
        }
    }

    /** Before the registration nobody knows whether tokens are needed. Stock waits for it as well. */
    private void awaitRegistration(ExtendedBlock block) throws IOException {
        long deadlineNs = System.nanoTime()
                + TimeUnit.SECONDS.toNanos(datanode.getDnConf().getBpReadyTimeout());
        while (true) {
            try {
                datanode.getDNRegistrationForBP(block.getBlockPoolId());
                return;
            } catch (IOException e) {
                if (System.nanoTime() - deadlineNs > 0) {
                    throw new IOException("block pool " + block.getBlockPoolId() + " is not registered", e);
                }
            }
            try {
                Thread.sleep(1_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while block pool " + block.getBlockPoolId() + " registers", e);
            }
        }
    }
}
