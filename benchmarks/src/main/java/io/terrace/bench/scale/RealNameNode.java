package io.terrace.bench.scale;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.permission.PermissionStatus;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.BlockListAsLongs;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.security.token.block.ExportedBlockKeys;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfoContiguous;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.NodeType;
import org.apache.hadoop.hdfs.server.common.StorageInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNodeLayoutVersion;
import org.apache.hadoop.hdfs.server.datanode.FinalizedReplica;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.INodeDirectory;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.protocol.BlockReportContext;
import org.apache.hadoop.hdfs.server.protocol.DatanodeRegistration;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.hdfs.server.protocol.NamespaceInfo;
import org.apache.hadoop.hdfs.util.RwLockMode;
import org.apache.hadoop.util.VersionInfo;

/**
 * A NameNode in this process, with DataNodes that are no processes. Files and replicas are put into its maps as loading an image and
 * block reports put them there, without the edit log.
 */
final class RealNameNode implements Closeable {

    private static final int BLOCKS_OF_A_FILE = 100;
    private static final int FILES_OF_A_DIRECTORY = 1_000;
    private static final long FIRST_INODE = 1L << 24;
    private static final PermissionStatus PERMISSIONS =
            new PermissionStatus("bench", "bench", FsPermission.getDefault());

    private final NameNode nameNode;
    private final Configuration conf;

    /** Formats and starts one. */
    RealNameNode(Path dir) throws IOException {
        conf = new Configuration();
        conf.set("fs.defaultFS", "hdfs://localhost:0");
        conf.set("dfs.namenode.name.dir", dir.resolve("name").toUri().toString());
        conf.set("dfs.namenode.rpc-address", "localhost:0");
        conf.set("dfs.namenode.http-address", "localhost:0");
        // No DataNode of this NameNode is given up while the benchmark runs: they say nothing to it.
        conf.setInt("dfs.namenode.heartbeat.recheck-interval", 3_600_000);
        NameNode.format(conf);
        nameNode = new NameNode(conf);
    }

    Configuration conf() {
        return conf;
    }

    FSNamesystem namesystem() {
        return nameNode.getNamesystem();
    }

    String pool() {
        return namesystem().getBlockPoolId();
    }

    static String uuid(int dataNode) {
        return new UUID(0x7e55ace, dataNode).toString();
    }

    static long inode(long block) {
        return FIRST_INODE + block / BLOCKS_OF_A_FILE;
    }

    static String path(long block) {
        long file = block / BLOCKS_OF_A_FILE;
        return "/d" + file / FILES_OF_A_DIRECTORY + "/f" + file;
    }

    void register(int dataNodes) throws IOException {
        NamespaceInfo namespace = nameNode.getRpcServer().versionRequest();
        for (int i = 0; i < dataNodes; i++) {
            DatanodeID id = new DatanodeID(
                    "10." + (i >> 16) + "." + (i >> 8 & 255) + "." + (i & 255), host(i), uuid(i), 9866, 9864, 9867, 0);
            StorageInfo storage = new StorageInfo(
                    DataNodeLayoutVersion.getCurrentLayoutVersion(),
                    namespace.getNamespaceID(),
                    namespace.getClusterID(),
                    namespace.getCTime(),
                    NodeType.DATA_NODE);
            nameNode.getRpcServer()
                    .registerDatanode(
                            new DatanodeRegistration(id, storage, new ExportedBlockKeys(), VersionInfo.getVersion()));
        }
    }

    static String host(int dataNode) {
        return "dn%05d.example".formatted(dataNode);
    }

    /** Makes the files of all these blocks, and has each DataNode report its replicas. */
    void load(BlockSpread spread) throws IOException {
        // As while an image is loaded: replicas that are missing yet are not queued for replication.
        namesystem().getBlockManager().setInitializedReplQueues(false);
        addFiles(spread);
        for (int node = 0; node < spread.dataNodes(); node++) {
            report(spread, node);
        }
        namesystem().getBlockManager().setInitializedReplQueues(true);
    }

    private void addFiles(BlockSpread spread) {
        BlockManager blocks = namesystem().getBlockManager();
        namesystem().writeLock(RwLockMode.GLOBAL);
        try {
            INodeDirectory directory = addDirectory(0);
            for (long first = 0; first < spread.blocks(); first += BLOCKS_OF_A_FILE) {
                if (first > 0 && first % ((long) BLOCKS_OF_A_FILE * FILES_OF_A_DIRECTORY) == 0) {
                    directory = addDirectory(first);
                }
                int count = (int) Math.min(BLOCKS_OF_A_FILE, spread.blocks() - first);
                BlockInfo[] infos = new BlockInfo[count];
                for (int i = 0; i < count; i++) {
                    infos[i] = new BlockInfoContiguous(block(first + i), (short) BlockSpread.REPLICAS);
                }
                INodeFile file = new INodeFile(
                        inode(first),
                        name(path(first)),
                        PERMISSIONS,
                        0,
                        0,
                        infos,
                        (short) BlockSpread.REPLICAS,
                        BlockSpread.BLOCK_BYTES);
                directory.addChild(file);
                namesystem().getFSDirectory().addToInodeMap(file);
                for (BlockInfo info : infos) {
                    blocks.addBlockCollection(info, file);
                }
            }
        } finally {
            namesystem().writeUnlock(RwLockMode.GLOBAL, "benchFiles");
        }
    }

    private INodeDirectory addDirectory(long firstBlock) {
        String path = path(firstBlock);
        INodeDirectory directory = new INodeDirectory(
                FIRST_INODE - 1 - firstBlock / BLOCKS_OF_A_FILE,
                name(path.substring(0, path.lastIndexOf('/'))),
                PERMISSIONS,
                0);
        namesystem().getFSDirectory().getRoot().addChild(directory);
        namesystem().getFSDirectory().addToInodeMap(directory);
        return directory;
    }

    private static byte[] name(String path) {
        return path.substring(path.lastIndexOf('/') + 1).getBytes(StandardCharsets.UTF_8);
    }

    private static Block block(long number) {
        return new Block(BlockSpread.stamped(number).id(), BlockSpread.BLOCK_BYTES, BlockSpread.STAMP);
    }

    private void report(BlockSpread spread, int node) throws IOException {
        BlockListAsLongs.Builder replicas = BlockListAsLongs.builder();
        for (int row = 0; row < spread.rows(); row++) {
            for (int replica = 0; replica < BlockSpread.REPLICAS; replica++) {
                replicas.add(new FinalizedReplica(block(spread.held(node, row, replica)), null, null));
            }
        }
        BlockManager blocks = namesystem().getBlockManager();
        DatanodeID id = blocks.getDatanodeManager().getDatanode(uuid(node));
        boolean unused = blocks.processReport(
                id,
                new DatanodeStorage("DS-" + id.getDatanodeUuid()),
                replicas.build(),
                new BlockReportContext(1, 0, 1, 0));
    }

    @Override
    public void close() {
        nameNode.stop();
    }
}
