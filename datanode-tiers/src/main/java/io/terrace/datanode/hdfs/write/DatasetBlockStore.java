package io.terrace.datanode.hdfs.write;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.write.WriteThrough;
import io.terrace.common.LogThrottle;
import io.terrace.datanode.hdfs.dataset.BoundedTokens;
import io.terrace.datanode.write.BlockStore;
import io.terrace.datanode.write.NextNode;
import io.terrace.datanode.write.NextNodeException;
import io.terrace.datanode.write.OpenBlock;
import io.terrace.datanode.write.WholeBlock;
import io.terrace.datanode.writethrough.WriteThroughCopies;
import io.terrace.datanode.writethrough.WriteThroughRules;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.Replica;
import org.apache.hadoop.hdfs.server.datanode.TerraceWriteAccess;
import org.apache.hadoop.security.token.SecretManager.InvalidToken;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens blocks in the dataset of a DataNode, for clients whose token allows it. Thread-safe. */
public final class DatasetBlockStore implements BlockStore {
    private static final Logger LOG = LoggerFactory.getLogger(DatasetBlockStore.class);

    private final DataNode datanode;
    private final NextNodes nextNodes;
    private final WriteThroughCopies copies;
    private final WriteThroughRules rules;
    private final LogThrottle badTokens = new LogThrottle(TimeUnit.SECONDS.toNanos(1));

    /**
     * Makes it.
     *
     * @param copies in memory that clients may ask for
     * @param rules which other files get such copies
     * @param portOffset from a DataNode's transfer port to its tcp channel; 0 when there are none
     */
    public DatasetBlockStore(DataNode datanode, WriteThroughCopies copies, WriteThroughRules rules, int portOffset) {
        this.datanode = datanode;
        this.copies = copies;
        this.rules = rules;
        this.nextNodes = new NextNodes(datanode, portOffset);
    }

    @Override
    public @Nullable OpenBlock open(byte[] request, WriteThrough through, @Nullable WholeBlock whole, Client client)
            throws IOException {
        WriteRequest wanted = wanted(request, client);
        if (whole != null && wanted.stage() != BlockConstructionStage.PIPELINE_SETUP_CREATE) {
            throw new MalformedMessageException("all of a block with a request of stage " + wanted.stage());
        }
        if (wanted.stage() == BlockConstructionStage.PIPELINE_CLOSE_RECOVERY) {
            recoverClose(wanted, false);
            return null;
        }
        if (wanted.stage() == BlockConstructionStage.PIPELINE_SETUP_CREATE) {
            return create(wanted, through, atNext(wanted, through, whole, client), client);
        }
        ReplicaWriter writer = ReplicaWriter.open(datanode, wanted, client);
        boolean opened = false;
        try {
            writer.sendsTo(nextNodes.open(wanted, WriteThrough.NONE));
            opened = true;
            return writer;
        } finally {
            if (!opened) {
                writer.close();
            }
        }
    }

    private WriteRequest wanted(byte[] request, Client client) throws IOException {
        WriteRequest wanted = WriteRequest.parse(request);
        checkAccess(wanted, client);
        LOG.info("Receiving {} src: {} dest: {} over the channel", wanted.block(), client.from(), client.to());
        return wanted;
    }

    @Override
    public void finaliseSynced(byte[] request, Client client) throws IOException {
        WriteRequest wanted = wanted(request, client);
        if (wanted.stage() != BlockConstructionStage.PIPELINE_CLOSE_RECOVERY) {
            throw new MalformedMessageException("a sync of the replica with a request of stage " + wanted.stage());
        }
        recoverClose(wanted, true);
    }

    /** Opens a new block at the next DataNode, or sends all of it there; null where nothing more is to be sent there. */
    private @Nullable NextNode atNext(
            WriteRequest wanted, WriteThrough through, @Nullable WholeBlock whole, Client client) throws IOException {
        try {
            if (whole == null) {
                return nextNodes.open(wanted, through.next());
            }
            sendOn(wanted, through, whole, client);
            return null;
        } catch (NextNodeException e) {
            if (!e.unsupported()) {
                // As stock. Where there is a replica already, its writer counts this.
                TerraceWriteAccess.networkError(datanode, ClientTrace.host(client.from()));
            }
            throw e;
        }
    }

    private void sendOn(WriteRequest wanted, WriteThrough through, WholeBlock whole, Client client) throws IOException {
        whole.receive(wanted.checksum().getBytesPerChecksum());
        if (wanted.targets().isEmpty()) {
            return;
        }
        // The next one may blame this one for what is wrong.
        int wrongAt = wanted.verifier().firstWrong(whole.data(), whole.sums());
        if (wrongAt >= 0) {
            throw ReplicaWriter.wrong(wanted.block(), wrongAt, client);
        }
        nextNodes.write(wanted, through.next(), whole);
        whole.sentOn();
    }

    /**
     * The last DataNode first: where one has no channel, none has a replica, and stock can write the block.
     *
     * @param next has opened the block; null where there is none that is to get it yet
     */
    private OpenBlock create(WriteRequest wanted, WriteThrough through, @Nullable NextNode next, Client client)
            throws IOException {
        ReplicaWriter writer = null;
        boolean opened = false;
        try {
            writer = ReplicaWriter.open(datanode, wanted, client);
            writer.sendsTo(next);
            if (through != WriteThrough.NONE
                    || (wanted.isFirst() && rules.wantCopy(wanted.block().getBlockPoolId(), wanted.path()))) {
                writer.copiesTo(copies);
            }
            opened = true;
            return writer;
        } finally {
            Closeable left = writer == null ? next : writer;
            if (!opened && left != null) {
                left.close();
            }
        }
    }

    private void recoverClose(WriteRequest wanted, boolean sync) throws IOException {
        Replica replica = ReplicaOpening.close(datanode, wanted);
        if (sync) {
            ReplicaOpening.sync(datanode, wanted.block());
        }
        try (NextNode next = sync ? nextNodes.finaliseSynced(wanted) : nextNodes.open(wanted, WriteThrough.NONE)) {
            ReplicaOpening.closed(datanode, wanted, replica);
            if (next != null) {
                next.giveBack();
            }
        }
    }

    @Override
    public byte[] success() {
        return Answers.success();
    }

    @Override
    public byte[] refusal(Throwable why) {
        if (isRestarting()) {
            return Answers.restarting();
        }
        return Answers.refusal(why, datanode.getDatanodeId().getXferAddr());
    }

    @Override
    public boolean isRestarting() {
        return TerraceWriteAccess.isRestarting(datanode);
    }

    /**
     * As stock, which has two threads for a block, so that the NameNode sees the same load. They end with the block: a client that
     * waits for the next one is no load.
     */
    @Override
    public void blockBegun() {
        datanode.getMetrics().incrDataNodeActiveXceiversCount();
        datanode.getMetrics().incrDataNodeWriteActiveXceiversCount();
        datanode.getMetrics().incrDataNodePacketResponderCount();
    }

    @Override
    public void blockEnded() {
        datanode.getMetrics().decrDataNodePacketResponderCount();
        datanode.getMetrics().decrDataNodeWriteActiveXceiversCount();
        datanode.getMetrics().decrDataNodeActiveXceiversCount();
    }

    /** As stock: the secret of the token, its block, expiry and mode, and the storage that the NameNode chose. */
    private void checkAccess(WriteRequest wanted, Client client) throws IOException {
        awaitRegistration(wanted.block());
        if (!TerraceWriteAccess.needsTokens(datanode)) {
            return;
        }
        try {
            checkBounds(wanted);
            datanode.getBlockPoolTokenSecretManager()
                    .checkAccess(
                            wanted.token(),
                            null,
                            wanted.block(),
                            AccessMode.WRITE,
                            wanted.checkedTypes().toArray(new StorageType[0]),
                            wanted.checkedIds().toArray(new String[0]));
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

    /** Hadoop decodes the identifier before it looks at the password, and allocates whatever lengths it states. */
    private static void checkBounds(WriteRequest wanted) throws InvalidToken {
        try {
            BoundedTokens.check(wanted.token().getIdentifier());
        } catch (IOException e) {
            throw new InvalidToken("not a token of a block: " + e.getMessage());
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
