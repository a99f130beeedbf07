package io.terrace.bench.tiers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import io.terrace.protocol.proto.AdminProtos.BlockReportProto;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import io.terrace.protocol.proto.AdminProtos.ExplainResponseProto;
import io.terrace.protocol.proto.AdminProtos.StatusRequestProto;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import io.terrace.protocol.proto.DataNodeProtos.FigureValueProto;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@code explain} says of blocks of real DataNodes, each with memory for three of them. */
@Tag("cluster")
class ExplainTest {

    private static FourTierCluster tiers;

    @BeforeAll
    static void start() throws IOException {
        tiers = new FourTierCluster(Map.of(TerraceSettings.DATANODE_MEMORY_CAPACITY.key(), "1m"));
    }

    @AfterAll
    static void stop() throws IOException {
        tiers.close();
    }

    private static BlockReportProto block(Path file) throws ServiceException {
        return tiers.explain(file).getBlocks(0);
    }

    private static boolean isInMemory(Path file) throws ServiceException {
        return block(file).getVerdict().startsWith("IN MEMORY of ");
    }

    private static void read(Path file) throws IOException {
        try (FSDataInputStream in = tiers.fs.open(file)) {
            in.readFully(0, new byte[FourTierCluster.BYTES]);
        }
    }

    private static ChangeResponseProto change(VerbProto verb, String target) throws ServiceException {
        return tiers.service.change(
                null,
                ChangeRequestProto.newBuilder()
                        .setVerb(verb)
                        .setTarget(target)
                        .setRecursive(true)
                        .build());
    }

    /** More files than fit, read until the memories are full or nearly so. */
    private static void fill(List<Path> files) throws IOException {
        for (Path file : files) {
            tiers.create(file);
        }
        await().atMost(FourTierCluster.PATIENCE).ignoreExceptions().until(() -> {
            for (Path file : files) {
                read(file);
            }
            long resident = 0;
            for (Path file : files) {
                resident += isInMemory(file) ? 1 : 0;
            }
            return resident >= 4;
        });
    }

    /**
     * Moves that are under way end, and what was read until now leads to no others. Without a pause, under which moves that the
     * budget lets wait would stay.
     */
    private static void settle() {
        await().atMost(FourTierCluster.PATIENCE).during(Duration.ofSeconds(2)).until(() -> openMoves() == 0);
    }

    private static double openMoves() throws ServiceException {
        return tiers.service.status(null, StatusRequestProto.getDefaultInstance()).getFiguresList().stream()
                .filter(figure -> figure.getId().equals(Metric.PLACEMENT_MOVES_WAITING.id())
                        || figure.getId().equals(Metric.PLACEMENT_MOVES_IN_FLIGHT.id()))
                .mapToDouble(FigureValueProto::getValue)
                .sum();
    }

    @Test
    void states_ofBlocks_areSaidWithTheirReasons() throws Exception {
        List<Path> files =
                IntStream.range(0, 10).mapToObj(i -> new Path("/w/part-" + i)).toList();
        fill(files);
        settle();
        Path out = files.stream().filter(file -> !inMemory(file)).findFirst().orElseThrow();
        Path in = files.stream().filter(ExplainTest::inMemory).findFirst().orElseThrow();
        assertThat(block(in).getBecause()).startsWith("Read ").contains(" times, last ");
        assertThat(block(in).getNext()).startsWith("Stays until it is among the least read of the ");
        assertThat(block(in).getMoveRows(0).getResult()).startsWith("done, 293 KB in ");
        assertThat(block(in).getReplicaRowsList()).hasSize(2);

        change(VerbProto.PROMOTE_NOW, out.toString());
        await().atMost(FourTierCluster.PATIENCE).until(() -> isInMemory(out));
        BlockReportProto promoted = block(out);
        assertThat(promoted.getVerdict()).endsWith(", held");
        assertThat(promoted.getBecause()).contains(" promoted it; no policy decides about it yet.");
        Path left = files.stream().filter(file -> !inMemory(file)).findFirst().orElseThrow();
        assertThat(block(left).getVerdict()).startsWith("NOT IN MEMORY: ");

        change(VerbProto.PAUSE, "");
        assertThat(block(left).getVerdict())
                .matches("NOT IN MEMORY: moves are paused since \\d+ m?s by \\S+ \\(placementctl resume\\)");
        change(VerbProto.RESUME, "");
    }

    @Test
    void directory_thatIsPinned_takesInWhatComesLater() throws Exception {
        Path early = new Path("/dim/a/early");
        tiers.create(early);
        change(VerbProto.PIN, "/dim");
        await().atMost(FourTierCluster.PATIENCE).until(() -> isInMemory(early));
        Path late = new Path("/dim/b/late");
        tiers.create(late);
        await().atMost(FourTierCluster.PATIENCE).until(() -> isInMemory(late));
        tiers.fs.rename(new Path("/dim"), new Path("/dim2"));
        ExplainResponseProto answer = tiers.explain(new Path("/dim2/b/late"));
        assertThat(answer.getPin())
                .startsWith("PINNED by /dim2 (recursive) since ")
                .endsWith(", for ever");
        assertThat(answer.getBlocks(0).getBecause()).contains(" pinned /dim2 with all files below it;");
        assertThat(answer.getBlocks(0).getNext()).startsWith("Stays until placementctl unpin /dim2, ");
        change(VerbProto.UNPIN, "/dim2");
        tiers.fs.delete(new Path("/dim2"), true);
    }

    private static boolean inMemory(Path file) {
        try {
            return isInMemory(file);
        } catch (ServiceException e) {
            throw new IllegalStateException(e);
        }
    }
}
