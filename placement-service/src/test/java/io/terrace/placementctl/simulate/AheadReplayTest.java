package io.terrace.placementctl.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placementctl.cluster.ClusterReplay.Outcome;
import io.terrace.policy.firstread.FileBlocks;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies before reads in simulations of the placement over two DataNodes with room for 40 blocks each. */
class AheadReplayTest {

    private static final long BLOCK = 1 << 20;
    private static final String NODES = "#node,11,1," + 40 * BLOCK + "\n#node,12,2," + 40 * BLOCK + "\n";
    private static final PolicySpec LRU = PolicySpec.plain("lru", Map.of());
    private static final int BLOCKS_OF_A_FILE = 20;

    @TempDir
    Path dir;

    private AccessLogTrace log(String text) throws Exception {
        Path file = dir.resolve("000000.csv.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(("time_s,object_id,bytes,op,obj_size,job\n" + NODES + text).getBytes(StandardCharsets.UTF_8));
        }
        return AccessLogTrace.of(List.of(file), 0);
    }

    private static String row(int second, int block, char kind) {
        return "#by,1,11\n" + second + ".000," + block + "," + BLOCK + "," + kind + "," + BLOCK + ",\n";
    }

    private static Outcome replay(AccessLogTrace log, RuleAssignments rules, double reach, int vainPercent)
            throws Exception {
        return PlacementReplay.of(LRU, rules, log.trace(), log.numbers(), log.places(), 0, 0, reach, vainPercent)
                .cluster();
    }

    /** Each block is written, and read a minute later. */
    private static String writtenAndRead() {
        StringBuilder text = new StringBuilder();
        for (int block = 101; block <= 130; block++) {
            text.append("#held," + block + ",11,12\n");
        }
        for (int i = 0; i < 30; i++) {
            text.append(row(120 * i, 101 + i, 'W')).append(row(120 * i + 60, 101 + i, 'R'));
        }
        return text.toString();
    }

    private static RuleAssignments alike(AccessLogTrace log) {
        int objects = log.trace().objects();
        long[] directories = new long[objects];
        Arrays.fill(directories, 0x1234_5678_9abcL);
        return new RuleAssignments(new int[objects], directories);
    }

    @Test
    void firstReads_ofADirectoryWhereAllAreRead_comeFromMemory() throws Exception {
        AccessLogTrace log = log(writtenAndRead());
        Outcome with = replay(log, alike(log), 1, 10);
        assertThat(with.ahead()).isGreaterThanOrEqualTo(20);
        assertThat(with.hits()).isGreaterThanOrEqualTo(with.ahead());
        assertThat(with.vainBytes()).isZero();
        assertThat(replay(log, alike(log), 1, 0).hits()).isZero();
        RuleAssignments unknown = RuleAssignments.none(log.trace().objects());
        assertThat(replay(log, unknown, 1, 10).hits())
                .as("each directory is unlike")
                .isZero();
    }

    @Test
    void files_readOn_areCopiedAheadOfTheirReaders() throws Exception {
        StringBuilder text = new StringBuilder();
        int blocks = 6 * BLOCKS_OF_A_FILE;
        for (int block = 0; block < blocks; block++) {
            text.append("#held," + (101 + block) + ",11,12\n");
        }
        for (int block = 0; block < blocks; block++) {
            text.append(row(2 * block, 101 + block, 'R'));
        }
        AccessLogTrace log = log(text.toString());
        RuleAssignments alike = alike(log);
        RuleAssignments inFiles = new RuleAssignments(alike.rules(), alike.directories(), files(log));
        Outcome with = replay(log, inFiles, 1, 10);
        assertThat(with.ahead()).isGreaterThanOrEqualTo(20);
        assertThat(with.hits()).isGreaterThanOrEqualTo(with.ahead());
        assertThat(replay(log, alike, 1, 10).hits())
                .as("files that are not known")
                .isZero();
    }

    private static FileBlocks files(AccessLogTrace log) {
        return new FileBlocks() {
            @Override
            public long file(long block) {
                return (id(block) - 101) / BLOCKS_OF_A_FILE;
            }

            private int id(long object) {
                return log.numbers().entrySet().stream()
                        .filter(entry -> entry.getValue() == object)
                        .mapToInt(entry -> Integer.parseInt(entry.getKey()))
                        .findFirst()
                        .orElseThrow();
            }

            @Override
            public int index(long block) {
                return (id(block) - 101) % BLOCKS_OF_A_FILE;
            }

            @Override
            public int blocks(long file) {
                return BLOCKS_OF_A_FILE;
            }

            @Override
            public long block(long file, int index) {
                return log.numbers().get(Long.toString(101 + file * BLOCKS_OF_A_FILE + index));
            }

            @Override
            public long sizeBytes(long block) {
                return BLOCK;
            }
        };
    }
}
