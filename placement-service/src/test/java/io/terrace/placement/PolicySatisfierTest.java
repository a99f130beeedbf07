package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.journal.SteppedJournal;
import io.terrace.placement.policyfile.PathAnnotations;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.NamespaceView.Home;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.NamespaceView.VolumeSpace;
import io.terrace.placement.state.OperatorState;
import io.terrace.placement.state.PolicyGaps;
import io.terrace.protocol.StampedBlock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rules and annotations that say {@code satisfy: true}, on directories whose files have one block each. */
class PolicySatisfierTest extends TieredCluster {

    /** Files by path with where their storage policy wants replicas; three are looked at at a time. */
    private final class Directories implements PolicyGaps {
        private final TreeMap<String, Long> blocks = new TreeMap<>();
        private final TreeMap<String, List<StorageTier>> wanted = new TreeMap<>();
        private final List<String> walked = new ArrayList<>();
        private final List<String> changed = new ArrayList<>();
        private final List<Root> annotated = new ArrayList<>();
        private long heldNs = 1_000;
        private boolean safeMode;

        @Override
        public Slice look(Root root, Position from) {
            if (safeMode) {
                return null;
            }
            if (from == null) {
                walked.add(root.path());
            }
            List<Home> off = new ArrayList<>();
            String last = from == null ? "" : String.join("/", from.names());
            int looked = 0;
            for (String path : blocks.tailMap(last, false).keySet()) {
                if (!root.holds(path)) {
                    continue;
                }
                if (looked++ == 3) {
                    return new Slice(off, 3, heldNs, new Position(List.of(last), 0));
                }
                last = path;
                Placed placed = names.placed(List.of(blocks.get(path))).get(0);
                off.add(new Home(placed, "ONE_SSD", wanted.get(path)));
            }
            return new Slice(off, looked, heldNs, null);
        }

        @Override
        public List<Root> annotated(boolean users) {
            return annotated;
        }

        @Override
        public List<String> changed(boolean users) {
            List<String> all = List.copyOf(changed);
            changed.clear();
            return all;
        }
    }

    private final Directories directories = new Directories();

    @BeforeEach
    void directories() {
        names.gaps = directories;
        placement = new PlacementEngine(settings, names, metricRegistry);
        placement.activate(EPOCH, OperatorState.initial());
    }

    private StampedBlock file(long id, String path, StorageTier... wanted) {
        StampedBlock block = block(id, 1);
        place(block, path, StorageTier.DISK, one, two);
        directories.blocks.put(path, id);
        directories.wanted.put(path, List.of(wanted));
        return block;
    }

    private static String number(int i) {
        return i < 10 ? "0" + i : "" + i;
    }

    @Test
    void filesBelowTheRule_getWhatTheirPolicyWants_andOthersStay() {
        List<StampedBlock> inside = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            inside.add(file(1 + i, "/a/" + number(i), StorageTier.SSD, StorageTier.DISK));
        }
        StampedBlock outside = file(50, "/b/x", StorageTier.SSD, StorageTier.DISK);
        rules("- path: /a/**", "  satisfy: true");
        waits(10_000);
        for (StampedBlock block : inside) {
            assertThat(List.of(tier(block, one), tier(block, two)))
                    .containsExactlyInAnyOrder(StorageTier.SSD, StorageTier.DISK);
        }
        assertThat(ordered(one).size() + ordered(two).size()).isEqualTo(10);
        assertThat(tier(outside, one)).isEqualTo(StorageTier.DISK);
        assertThat(lastMove().cause()).isEqualTo(Cause.RULE);
        assertThat(lastMove().reason()).isEqualTo("rule 1 of the policy satisfies storage policy ONE_SSD");
        assertThat(directories.walked).containsExactly("/a");
    }

    @Test
    void aWalkThatFoundNothing_isMadeAgainAfterAnHour_andAfterOneThatDidWithinTwoMinutes() {
        file(1, "/a/x", StorageTier.DISK, StorageTier.SSD);
        rules("- path: /a/**", "  satisfy: true");
        waits(6_000);
        assertThat(directories.walked).hasSize(1);
        waits(TimeUnit.MINUTES.toMillis(2));
        assertThat(directories.walked).hasSize(2);
        waits(TimeUnit.MINUTES.toMillis(50));
        assertThat(directories.walked).hasSize(2);
        waits(TimeUnit.MINUTES.toMillis(11));
        assertThat(directories.walked).hasSize(3);
    }

    private void beginAWalkOf30() {
        for (int i = 0; i < 30; i++) {
            file(1 + i, "/a/" + number(i), StorageTier.SSD, StorageTier.DISK);
        }
        directories.heldNs = TimeUnit.MILLISECONDS.toNanos(3);
        rules("- path: /a/**", "  satisfy: true");
        waits(15_000);
    }

    @Test
    void restartedAmidAWalk_goesOnWhereItStood_andWalksAgainSoon() {
        SteppedJournal journal = keepJournal();
        beginAWalkOf30();
        int before = ordered(one).size() + ordered(two).size();
        assertThat(before).isBetween(6, 20);
        restart(journal, EPOCH + 1);
        rules("- path: /a/**", "  satisfy: true");
        waits(40_000);
        assertThat(directories.walked).as("it did not begin again").containsExactly("/a");
        assertThat(ordered(one).size() + ordered(two).size()).isEqualTo(30);
        waits(TimeUnit.MINUTES.toMillis(2));
        assertThat(directories.walked).hasSize(2);
        restart(journal, EPOCH + 2);
        rules("- path: /a/**", "  satisfy: true");
        waits(10_000);
        assertThat(directories.walked).as("no walk was under way").hasSize(3);
    }

    @Test
    void restartedAmidAWalk_whileTheNameNodeIsInSafeMode_goesOnWhereItStood() {
        SteppedJournal journal = keepJournal();
        beginAWalkOf30();
        restart(journal, EPOCH + 1);
        directories.safeMode = true;
        rules("- path: /a/**", "  satisfy: true");
        waits(10_000);
        directories.safeMode = false;
        waits(40_000);
        assertThat(directories.walked).as("it did not begin again").containsExactly("/a");
        assertThat(ordered(one).size() + ordered(two).size()).isEqualTo(30);
    }

    @Test
    void restartedWhileAChangedPathIsWalkedOutOfTurn_goesOnWhereTheWholeWalkStood() {
        SteppedJournal journal = keepJournal();
        for (int i = 0; i < 12; i++) {
            file(1 + i, "/a/" + number(i), StorageTier.DISK, StorageTier.DISK);
        }
        for (int i = 0; i < 30; i++) {
            file(50 + i, "/c/changed/" + number(i), StorageTier.DISK, StorageTier.DISK);
        }
        directories.heldNs = TimeUnit.MILLISECONDS.toNanos(3);
        rules("- path: /a/**", "  satisfy: true", "- path: /c/**", "  satisfy: true");
        waits(10_000);
        directories.changed.add("/c/changed");
        waits(20_000);
        assertThat(directories.walked).containsExactly("/a", "/c/changed");
        directories.walked.clear();
        restart(journal, EPOCH + 1);
        rules("- path: /a/**", "  satisfy: true", "- path: /c/**", "  satisfy: true");
        waits(60_000);
        assertThat(directories.walked).containsExactly("/c");
    }

    @Test
    void moreChangesThanMayWait_othersAreAskedForLater() {
        file(1, "/a/x", StorageTier.DISK, StorageTier.DISK);
        rules("- path: /a/**", "  satisfy: true");
        waits(6_000);
        for (int i = 0; i < 11_000; i++) {
            directories.changed.add("/a/" + i);
        }
        waits(1_500);
        directories.changed.add("/a/late");
        waits(2_000);
        assertThat(directories.changed).containsExactly("/a/late");
        waits(60_000);
        assertThat(directories.walked).contains("/a/late");
    }

    @Test
    void changesBelowARoot_areWalkedAtOnce_andOthersAreNot() {
        file(1, "/a/sub/x", StorageTier.DISK, StorageTier.DISK);
        file(2, "/a/y", StorageTier.DISK, StorageTier.DISK);
        rules("- path: /a/**", "  satisfy: true");
        waits(6_000);
        directories.walked.clear();
        directories.wanted.put("/a/sub/x", List.of(StorageTier.ARCHIVE, StorageTier.ARCHIVE));
        directories.changed.addAll(List.of("/a/sub", "/b", "/ab"));
        waits(3_000);
        assertThat(directories.walked).containsExactly("/a/sub");
        assertThat(ordered(one)).containsExactly("1 DISK ARCHIVE");
        assertThat(ordered(two)).containsExactly("1 DISK ARCHIVE");
        directories.changed.add("/");
        waits(3_000);
        assertThat(directories.walked).containsExactly("/a/sub", "/a");
    }

    @Test
    void manySinglePaths_areWalkedWithinSeconds() {
        rules("- path: /a/**", "  satisfy: true");
        waits(6_000);
        directories.walked.clear();
        for (int i = 0; i < 200; i++) {
            directories.changed.add("/a/" + i);
        }
        waits(4_000);
        assertThat(directories.walked).hasSize(200);
    }

    @Test
    void annotatedDirectories_areWalked_ifThereAreRules() {
        StampedBlock block = file(1, "/c/x", StorageTier.SSD, StorageTier.SSD);
        names.annotations.put(
                block.id(),
                PathAnnotations.of(Map.of("trusted.terrace.satisfy", "true".getBytes(StandardCharsets.UTF_8))));
        directories.annotated.add(new PolicyGaps.Root("/c", 77));
        waits(6_000);
        assertThat(directories.walked).isEmpty();
        rules("- path: /other", "  place: never");
        waits(6_000);
        assertThat(ordered(one)).containsExactly("1 DISK SSD");
        assertThat(ordered(two)).containsExactly("1 DISK SSD");
        assertThat(lastMove().reason()).isEqualTo("an annotation satisfies storage policy ONE_SSD");
    }

    @Test
    void theLock_isHeldForAThousandthOfTheTimeAtMost() {
        for (int i = 0; i < 9; i++) {
            file(1 + i, "/a/" + number(i), StorageTier.DISK, StorageTier.DISK);
        }
        directories.heldNs = TimeUnit.MILLISECONDS.toNanos(10);
        rules("- path: /a/**", "  satisfy: true");
        waits(15_000);
        assertThat(metricRegistry.value(Metric.PLACEMENT_SATISFY_LOOKED)).isEqualTo(6);
        waits(10_000);
        assertThat(metricRegistry.value(Metric.PLACEMENT_SATISFY_LOOKED)).isEqualTo(9);
    }

    @Test
    void inSafeMode_theWalkWaits_andAnotherEpochBeginsIt() {
        file(1, "/a/x", StorageTier.SSD, StorageTier.DISK);
        directories.safeMode = true;
        rules("- path: /a/**", "  satisfy: true");
        waits(10_000);
        assertThat(directories.walked).isEmpty();
        directories.safeMode = false;
        waits(6_000);
        assertThat(directories.walked).containsExactly("/a");
        placement.standDown();
        placement.activate(EPOCH + 1, OperatorState.initial());
        waits(6_000);
        assertThat(directories.walked).containsExactly("/a", "/a");
    }

    @Test
    void withoutAVolumeOfTheType_itWaits_andThatIsSaid() {
        for (FakeDataNode node : List.of(one, two)) {
            names.spaces.put(node.uuid, Map.of(StorageTier.DISK, new VolumeSpace(ROOM, ROOM)));
        }
        StampedBlock block = file(1, "/a/x", StorageTier.SSD, StorageTier.DISK);
        rules("- path: /a/**", "  satisfy: true");
        waits(6_000);
        assertThat(ordered(one)).isEmpty();
        assertThat(placement.lacking().get(StorageTier.SSD)).hasSize(2);
        assertThat(metricRegistry.value(Metric.PLACEMENT_SATISFY_WAITING)).isPositive();
        Home home = new Home(names.places.get(block.id()), "ONE_SSD", List.of(StorageTier.SSD, StorageTier.DISK));
        assertThat(placement.satisfying(nowMs, home))
                .startsWith("satisfy: wanted ssd, waits for what keeps a replica: ")
                .contains("no other volume with room of a type that storage policy ONE_SSD wants");
        rules("- path: /b/**", "  satisfy: true");
        assertThat(placement.satisfying(nowMs, home)).isNull();
    }

    @Test
    void erasureCodedBlocks_andPoliciesOnRamDisk_stay() {
        StampedBlock coded = file(1, "/a/coded", StorageTier.SSD);
        Placed placed = names.places.get(coded.id());
        names.places.put(coded.id(), new Placed(coded, placed.path(), "the block is erasure-coded", placed.replicas()));
        file(2, "/a/ram");
        rules("- path: /a/**", "  satisfy: true");
        waits(6_000);
        assertThat(ordered(one)).isEmpty();
        assertThat(ordered(two)).isEmpty();
        assertThat(placement.satisfying(
                        nowMs, new Home(names.places.get(coded.id()), "ONE_SSD", List.of(StorageTier.SSD))))
                .endsWith("the block is erasure-coded");
    }
}
