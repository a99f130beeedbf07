package org.apache.hadoop.hdfs;

import io.terrace.client.write.EndedBlock;
import io.terrace.common.DaemonThreads;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.datatransfer.DataTransferProtoUtil;
import org.apache.hadoop.hdfs.protocol.datatransfer.IOStreamPair;
import org.apache.hadoop.hdfs.protocol.datatransfer.ReplaceDatanodeOnFailure;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.token.Token;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A block that stock's streamer has gone on from, with what it knew of it. Used by the streamer's thread, but for a copy that is made. */
final class StockEndedBlock implements EndedBlock {
    private static final Logger LOG = LoggerFactory.getLogger(StockEndedBlock.class);

    /** As stock. */
    private static final int MOST_FAILED = 3;

    /** Longer than a DataNode is waited for. A token is good for ten hours, unless the NameNode's settings say otherwise. */
    private static final long SOON_MS = TimeUnit.MINUTES.toMillis(20);

    private final TerraceDataStreamer streamer;
    private final DFSClient client;
    private final ExtendedBlock block;
    private final Token<BlockTokenIdentifier> token;
    private final DatanodeInfo[] nodes;
    private final StorageType[] types;
    private final String[] storages;
    private final CachingStrategy caching;

    /** DataNodes that have a copy, and their storages. */
    private final List<DatanodeInfo> copies = new ArrayList<>();

    private final List<String> copyStorages = new ArrayList<>();

    /** The present block of a streamer, with its length. */
    StockEndedBlock(
            TerraceDataStreamer streamer,
            DatanodeInfo[] nodes,
            StorageType[] types,
            String[] storages,
            CachingStrategy caching) {
        this.streamer = streamer;
        this.client = streamer.dfsClient;
        this.block = streamer.getBlock();
        this.token = lastingToken(streamer);
        this.nodes = nodes;
        this.types = types;
        this.storages = storages;
        this.caching = caching;
    }

    /**
     * The token of the block, or another one where that expires soon: a DataNode that is behind may have to open the block again.
     * The NameNode gives none for a block that it takes for written.
     */
    private static Token<BlockTokenIdentifier> lastingToken(TerraceDataStreamer streamer) {
        Token<BlockTokenIdentifier> token = streamer.getBlockToken();
        try {
            if (!expiresSoon(token)) {
                return token;
            }
            // The block's stamp remains: a new one counts when the pipeline is updated with it.
            return streamer.dfsClient
                    .namenode
                    .updateBlockForPipeline(streamer.getBlock(), streamer.dfsClient.clientName)
                    .getBlockToken();
        } catch (IOException e) {
            // Only a DataNode that fails needs it.
            LOG.warn("{} of {} keeps a token that expires soon", streamer.getBlock(), streamer.src, e);
            return token;
        }
    }

    private static boolean expiresSoon(Token<BlockTokenIdentifier> token) throws IOException {
        byte[] fields = token.getIdentifier();
        if (fields.length == 0) {
            // The cluster has no tokens.
            return false;
        }
        BlockTokenIdentifier identifier = new BlockTokenIdentifier();
        identifier.readFields(new DataInputStream(new ByteArrayInputStream(fields)));
        return identifier.getExpiryDate() < System.currentTimeMillis() + SOON_MS;
    }

    @Override
    public List<DatanodeInfo> nodes() {
        return List.of(nodes);
    }

    @Override
    public long answerTimeoutNs() {
        return streamer.answerTimeoutNs(1);
    }

    @Override
    public void acknowledged() {
        if (streamer.progress != null && !streamer.isCompleted()) {
            streamer.progress.progress();
        }
    }

    @Override
    public byte[] finalising(int node) throws IOException {
        // The token is for the storages of the block's own DataNodes, and a copy is where it is.
        return request(
                Math.min(node, nodes.length - 1), BlockConstructionStage.PIPELINE_CLOSE_RECOVERY, block.getNumBytes());
    }

    @Override
    public byte[] resuming(int node, long ackedBytes) throws IOException {
        return request(node, BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY, ackedBytes);
    }

    private byte[] request(int node, BlockConstructionStage stage, long leastBytes) throws IOException {
        return new OpenRequest(
                        block,
                        token,
                        client.clientName,
                        new DatanodeInfo[] {nodes[node]},
                        new StorageType[] {types[node]},
                        new String[] {storages[node]},
                        stage,
                        leastBytes,
                        block.getNumBytes(),
                        block.getGenerationStamp(),
                        streamer.checksum4WriteBlock,
                        caching,
                        false,
                        null)
                .encode();
    }

    @Override
    public @Nullable DatanodeInfo copy(
            boolean[] whole, List<DatanodeInfo> copied, List<DatanodeInfo> failed, Others others) throws IOException {
        ReplaceDatanodeOnFailure policy = client.dtpReplaceDatanodeOnFailure;
        List<DatanodeInfo> existing = new ArrayList<>();
        List<String> existingStorages = new ArrayList<>();
        List<DatanodeInfo> excluded = new ArrayList<>(failed);
        for (int i = 0; i < nodes.length; i++) {
            if (whole[i]) {
                existing.add(nodes[i]);
                existingStorages.add(storages[i]);
            } else {
                excluded.add(nodes[i]);
            }
        }
        for (DatanodeInfo copy : copied) {
            existing.add(copy);
            existingStorages.add(copyStorages.get(copies.indexOf(copy)));
        }
        DatanodeInfo[] found = existing.toArray(DatanodeInfo.EMPTY_ARRAY);
        boolean required = policy.satisfy(streamer.stat.getReplication(), found, false, streamer.isFlushed());
        // With these, only a policy that never replaces says no.
        boolean wanted = policy.satisfy((short) 3, new DatanodeInfo[] {nodes[0]}, false, true);
        if (!required && !wanted) {
            return null;
        }
        if (streamer.isCompleted()) {
            // Without the file's lease the NameNode names no DataNode.
            LOG.warn(
                    "{} of {} stays with {} of {} replicas, until the NameNode makes the others",
                    block,
                    streamer.src,
                    found.length,
                    nodes.length);
            return null;
        }
        try {
            if (failed.size() == MOST_FAILED) {
                throw new IOException("Failed to copy " + block + " to any of " + failed);
            }
            String[] foundStorages = existingStorages.toArray(new String[0]);
            DatanodeInfo[] not = excluded.toArray(DatanodeInfo.EMPTY_ARRAY);
            int tried = failed.size();
            Copy copy = await(() -> copy(found, foundStorages, not, tried), others);
            copies.add(copy.node());
            copyStorages.add(copy.storage());
            return copy.node();
        } catch (IOException e) {
            if (!streamer.isRunning()) {
                // The file has ended for a reason of its own.
                return null;
            }
            int least = client.dtpReplaceDatanodeOnFailureReplication;
            boolean mayBeLess = policy.isBestEffort() || (least > 0 && found.length >= least) || streamer.isCompleted();
            if (required && !mayBeLess) {
                throw e;
            }
            LOG.warn("{} of {} stays with {} of {} replicas", block, streamer.src, found.length, nodes.length, e);
            return null;
        }
    }

    /** A DataNode that was asked to take a copy, and its storage. */
    private record Copy(DatanodeInfo node, String storage) {}

    /**
     * Makes a copy on a thread of its own, which changes nothing here. Where the file ends meanwhile that thread is interrupted: its
     * call to the NameNode ends then, and its connection.
     */
    private Copy await(Callable<Copy> copy, Others others) throws IOException {
        FutureTask<Copy> task = new FutureTask<>(copy) {
            @Override
            protected void done() {
                streamer.output().wake();
            }
        };
        if (!DaemonThreads.tryStart(DaemonThreads.make("terrace-late-copy-" + block, task))) {
            throw new IOException("No thread can be started that copies " + block);
        }
        try {
            others.serveUntil(task::isDone);
            return task.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException fault ? fault : new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while " + block + " was copied");
        } finally {
            task.cancel(true);
        }
    }

    private Copy copy(DatanodeInfo[] existing, String[] existingStorages, DatanodeInfo[] excluded, int tried)
            throws IOException {
        LocatedBlock located = client.namenode.getAdditionalDatanode(
                streamer.src,
                streamer.stat.getFileId(),
                block,
                existing,
                existingStorages,
                excluded,
                1,
                client.clientName);
        DatanodeInfo[] now = located.getLocations();
        for (int i = 0; i < now.length; i++) {
            if (!Arrays.asList(existing).contains(now[i])) {
                transfer(existing[tried % existing.length], located, i);
                return new Copy(now[i], located.getStorageIDs()[i]);
            }
        }
        throw new IOException("Failed to replace a bad datanode of " + block
                + ", which is written already: no more good datanodes are available. Its replicas: "
                + Arrays.toString(existing) + ", excluded: " + Arrays.toString(excluded));
    }

    /** Whether it worked shows when the copy is asked for. */
    private void transfer(DatanodeInfo from, LocatedBlock to, int index) {
        int timeoutMs = client.getDatanodeReadTimeout(
                2 + (int) (block.getNumBytes() / client.getConf().getWritePacketSize()) / 200);
        try (Socket socket = DataStreamer.createSocketForPipeline(from, 2, client)) {
            IOStreamPair streams = client.saslClient.socketSend(
                    socket,
                    NetUtils.getOutputStream(socket, client.getDatanodeWriteTimeout(2)),
                    NetUtils.getInputStream(socket, timeoutMs),
                    client,
                    to.getBlockToken(),
                    from);
            DataOutputStream out = new DataOutputStream(streams.out);
            new Sender(out)
                    .transferBlock(
                            block,
                            to.getBlockToken(),
                            client.clientName,
                            new DatanodeInfo[] {to.getLocations()[index]},
                            new StorageType[] {to.getStorageTypes()[index]},
                            new String[] {to.getStorageIDs()[index]});
            out.flush();
            BlockOpResponseProto answer =
                    BlockOpResponseProto.parseFrom(PBHelperClient.vintPrefixed(new DataInputStream(streams.in)));
            DataTransferProtoUtil.checkBlockOpStatus(answer, "copy of " + block + " to another DataNode");
        } catch (IOException e) {
            LOG.warn("{} is not copied from {}", block, from, e);
        }
    }

    @Override
    public String toString() {
        return block + " of " + streamer.src + " at "
                + String.join(
                        ", ", Stream.of(nodes).map(DatanodeInfo::getXferAddr).toList());
    }
}
