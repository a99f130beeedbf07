package io.terrace.bench.tiers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import io.terrace.protocol.proto.AdminProtos.HeldWordProto;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import io.terrace.protocol.proto.AdminProtos.ReplicaProto;
import io.terrace.protocol.proto.AdminProtos.TiersRequestProto;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import io.terrace.protocol.proto.DataNodeProtos.TierStateProto;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeManager;
import org.apache.hadoop.hdfs.server.mover.Mover;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What operators say of tiers: annotations, and HDFS's own Mover. */
@Tag("cluster")
class OperatorTiersTest {

    private static final List<StorageType> ON_SSD = List.of(StorageType.SSD, StorageType.SSD);
    private static final List<StorageType> ON_DISK = List.of(StorageType.DISK, StorageType.DISK);
    private static final int MOVED = 20;

    private static FourTierCluster tiers;

    @BeforeAll
    static void start() throws Exception {
        tiers = new FourTierCluster(Map.of(
                "dfs.namenode.audit.loggers",
                "default,io.terrace.placement.hdfs.namesystem.AnnotationAuditLogger",
                "dfs.mover.retry.max.attempts",
                "2"));
    }

    @AfterAll
    static void stop() throws IOException {
        tiers.close();
    }

    private static Path file(String path) throws IOException {
        Path file = new Path(path);
        tiers.create(file);
        return file;
    }

    /** Reads files until the service knows of them. */
    private static void warm(List<Path> files) {
        await().atMost(FourTierCluster.PATIENCE).until(() -> {
            boolean known = true;
            for (Path file : files) {
                if (!tiers.explain(file).getBlocks(0).hasHeat()) {
                    read(file);
                    known = false;
                }
            }
            return known;
        });
    }

    private static void read(Path file) throws IOException {
        assertThat(DFSTestUtil.readFileAsBytes(tiers.fs, file)).isEqualTo(tiers.bytes);
    }

    private static void awaitTypes(Path file, List<StorageType> expected) {
        await().alias(file + " on " + expected).atMost(FourTierCluster.PATIENCE).until(() -> tiers.types(file)
                .equals(expected));
    }

    /** No order is open any more, so nothing moves but by others. */
    private static void awaitNoMoves() {
        await().atMost(FourTierCluster.PATIENCE)
                .until(() -> tiers.moves().getInFlight() == 0 && tiers.moves().getWaiting() == 0);
    }

    /** Whoever reads a file makes the service look at it in any case, so here nobody does after it is annotated. */
    @Test
    void annotation_isHeeded_withoutARead_andSoAreItsRemovalAndARename() throws Exception {
        tiers.rules("- path: /a/**", "  annotations: []");
        Path file = file("/a/cool/file");
        Path other = file("/a/other/file");
        warm(List.of(file, other));
        tiers.fs.mkdirs(new Path("/a/fast"));
        tiers.fs.setXAttr(new Path("/a/cool"), "trusted.terrace.tiers", "ssd".getBytes(StandardCharsets.UTF_8));
        awaitTypes(file, ON_SSD);
        assertThat(tiers.types(other)).isEqualTo(ON_DISK);
        assertThat(tiers.explain(file).getAnnotationsList())
                .extracting(HeldWordProto::getWord, HeldWordProto::getPath)
                .contains(org.assertj.core.groups.Tuple.tuple("tiers", "/a/cool"));

        // The annotation goes with the directory; what comes into it has it.
        tiers.fs.rename(new Path("/a/cool"), new Path("/a/warm"));
        tiers.fs.rename(new Path("/a/other"), new Path("/a/warm/other"));
        awaitTypes(new Path("/a/warm/other/file"), ON_SSD);
        assertThat(tiers.types(new Path("/a/warm/file"))).isEqualTo(ON_SSD);

        // Out of it, and without it: no rule gives tiers, so replicas stay where they are.
        tiers.fs.removeXAttr(new Path("/a/warm"), "trusted.terrace.tiers");
        Path moved = new Path("/a/warm/file");
        await().atMost(FourTierCluster.PATIENCE)
                .until(() -> !tiers.explain(moved).getBlocks(0).hasRange());
        assertThat(tiers.types(moved)).isEqualTo(ON_SSD);
        tiers.rules("- path: /a/**", "  annotations: []", "  tiers: disk");
        awaitTypes(moved, ON_DISK);
    }

    @Test
    void mover_findsNothing_whereMovesEndWithinTheStoragePolicy() throws Exception {
        Path dir = new Path("/policy");
        tiers.fs.mkdirs(dir);
        tiers.fs.setStoragePolicy(dir, "ALL_SSD");
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < MOVED; i++) {
            files.add(file("/policy/f" + i));
            awaitTypes(files.get(i), ON_SSD);
        }
        tiers.fs.setStoragePolicy(dir, "HOT");
        tiers.rules("- path: /policy/**", "  tiers: disk");
        warm(files);
        files.forEach(file -> awaitTypes(file, ON_DISK));
        awaitNoMoves();
        List<String> before = new ArrayList<>();
        for (Path file : files) {
            before.add(storages(file));
        }
        assertThat(mover(dir)).as("exit code of the Mover").isZero();
        List<String> after = new ArrayList<>();
        for (Path file : files) {
            after.add(storages(file));
        }
        assertThat(after).isEqualTo(before);
    }

    @Test
    void whatTheMoverTookHome_staysThere() throws Exception {
        tiers.rules("- path: /yield/**", "  tiers: ssd..disk", "  replicas: all");
        Path file = file("/yield/file");
        await().atMost(FourTierCluster.PATIENCE).until(() -> {
            read(file);
            return tiers.types(file).equals(ON_SSD);
        });
        awaitNoMoves();
        // With other rules the service looks at once where replicas are; then it knows what it sees later is not its
        // own.
        tiers.rules("- path: /none", "  place: never", "- path: /yield/**", "  tiers: ssd..disk", "  replicas: all");
        await().atMost(FourTierCluster.PATIENCE)
                .until(() -> tiers.explain(file).getBlocks(0).getRange().startsWith("rule 2 "));
        assertThat(mover(new Path("/yield"))).as("exit code of the Mover").isZero();
        awaitTypes(file, ON_DISK);
        // It looks again at once, not with its next sweep.
        tiers.rules("- path: /yield/**", "  tiers: ssd..disk", "  replicas: all");
        await().atMost(FourTierCluster.PATIENCE).until(() -> {
            read(file);
            return tiers.explain(file).getBlocks(0).getReplicasList().stream()
                    .allMatch(replica -> replica.getStays().startsWith("moved from ssd to disk by others"));
        });
        assertThat(tiers.types(file)).isEqualTo(ON_DISK);
        awaitNoMoves();
        assertThat(tiers.types(file)).isEqualTo(ON_DISK);
    }

    @Test
    void release_bringsReplicasHome_andTheRuleLeavesThemThere() throws Exception {
        Path file = file("/release/file");
        tiers.rules("- path: /release/**", "  tiers: ssd");
        warm(List.of(file));
        awaitTypes(file, ON_SSD);
        awaitNoMoves();
        ChangeRequestProto dryRun = ChangeRequestProto.newBuilder()
                .setVerb(VerbProto.RELEASE)
                .setTarget(file.toString())
                .setDryRun(true)
                .build();
        ChangeResponseProto off = tiers.service.change(null, dryRun);
        assertThat(off.getOff()).isEqualTo(2);
        assertThat(off.getOffBytes()).isEqualTo(2L * FourTierCluster.BYTES);
        await().atMost(FourTierCluster.PATIENCE).until(() -> {
            tiers.service.change(null, dryRun.toBuilder().setDryRun(false).build());
            return tiers.types(file).equals(ON_DISK);
        });
        awaitNoMoves();
        assertThat(tiers.service.change(null, dryRun).getOff()).isZero();
        await().atMost(FourTierCluster.PATIENCE).until(() -> {
            read(file);
            return tiers.explain(file).getBlocks(0).getReplicasList().stream()
                    .allMatch(replica -> replica.getStays().startsWith("released by an operator"));
        });
        assertThat(tiers.types(file)).isEqualTo(ON_DISK);
    }

    private static List<NodeProto> nodes() throws ServiceException {
        return tiers.service.tiers(null, TiersRequestProto.getDefaultInstance()).getNodesList();
    }

    private static void resize(long bytes) throws ServiceException {
        ChangeResponseProto answer = tiers.service.change(
                null,
                ChangeRequestProto.newBuilder()
                        .setVerb(VerbProto.RESIZE)
                        .setCapacityBytes(bytes)
                        .build());
        assertThat(answer.getAccepted()).isEqualTo(2);
        await().atMost(FourTierCluster.PATIENCE).until(() -> nodes().stream()
                .allMatch(
                        node -> !node.hasResizingToBytes() && node.getResized().getCapacityBytes() == bytes));
    }

    private static Stream<Long> memory() throws ServiceException {
        return nodes().stream()
                .flatMap(node -> node.getTiersList().stream())
                .filter(tier -> tier.getTier() == TierProto.MEMORY)
                .map(TierStateProto::getCapacityBytes);
    }

    @Test
    void resize_changesTheMemoryOfAllDataNodes_withinTheirBound() throws Exception {
        resize(8 << 20);
        await().atMost(FourTierCluster.PATIENCE).until(() -> memory().allMatch(bytes -> bytes == 8 << 20));
        resize(17 << 20);
        assertThat(nodes()).allSatisfy(node -> assertThat(node.getResized().getRefusal())
                .contains("terrace.datanode.memory.capacity.max"));
        assertThat(memory()).containsOnly(8L << 20);
        resize(16 << 20);
        await().atMost(FourTierCluster.PATIENCE).until(() -> memory().allMatch(bytes -> bytes == 16 << 20));
    }

    @Test
    void copy_onADataNodeThatIsDecommissioned_isMadeOnTheOther() throws Exception {
        tiers.rules("- path: /none", "  place: never");
        Path file = file("/leaving/file");
        String first = tiers.cluster.getDataNodes().get(0).getDatanodeUuid();
        tiers.service.change(
                null,
                ChangeRequestProto.newBuilder()
                        .setVerb(VerbProto.PROMOTE_NOW)
                        .setTarget(file.toString())
                        .setNode(first)
                        .build());
        await().atMost(FourTierCluster.PATIENCE).until(() -> inMemory(file).equals(List.of(first)));
        DatanodeManager datanodes =
                tiers.cluster.getNamesystem().getBlockManager().getDatanodeManager();
        datanodes.getDatanodeAdminManager().startDecommission(datanodes.getDatanode(first));
        try {
            await().atMost(FourTierCluster.PATIENCE).until(() -> inMemory(file).size() == 2);
            assertThat(nodes().stream().filter(NodeProto::hasLeaving).map(NodeProto::getUuid))
                    .containsExactly(first);
        } finally {
            datanodes.getDatanodeAdminManager().stopDecommission(datanodes.getDatanode(first));
        }
    }

    private static List<String> inMemory(Path file) throws ServiceException {
        return tiers.explain(file).getBlocks(0).getReplicasList().stream()
                .filter(ReplicaProto::getInMemory)
                .map(ReplicaProto::getNode)
                .toList();
    }

    private static int mover(Path dir) throws Exception {
        Configuration conf = new Configuration(tiers.cluster.getConfiguration(0));
        // Of the Mover's own file; a cached client would have what the cluster without DataNodes began with.
        conf.setInt("dfs.replication", 1);
        conf.setBoolean("fs.hdfs.impl.disable.cache", true);
        // It pauses for two heartbeats and this after each round.
        conf.setInt("dfs.heartbeat.interval", 0);
        conf.setInt("dfs.namenode.redundancy.interval.seconds", 1);
        return ToolRunner.run(conf, new Mover.Cli(), new String[] {"-p", dir.toString()});
    }

    /** The very volumes that have the replicas. */
    private static String storages(Path file) throws IOException {
        List<String> ids = new ArrayList<>(List.of(tiers.fs
                .getClient()
                .getLocatedBlocks(file.toString(), 0, FourTierCluster.BYTES)
                .get(0)
                .getStorageIDs()));
        ids.sort(null);
        return String.join(" ", ids);
    }
}
