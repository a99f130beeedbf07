package io.terrace.placement.hdfs.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup.PolicyBelow;
import io.terrace.placement.policyfile.PolicyFile;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.protocol.proto.AdminProtos.FindingProto;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RangePolicyChecksTest {

    private static final PolicyBelow HOT = new PolicyBelow("HOT", List.of(StorageTier.DISK));

    private final List<List<String>> holds = new ArrayList<>();
    private long nowNs = 1;
    private @Nullable PolicyBelow policy = HOT;
    private final RangePolicyChecks checks = new RangePolicyChecks(this::policies, 5, () -> nowNs);

    private List<@Nullable PolicyBelow> policies(List<String> paths) {
        holds.add(paths);
        @Nullable PolicyBelow[] same = new @Nullable PolicyBelow[paths.size()];
        Arrays.fill(same, policy);
        return Arrays.asList(same);
    }

    private static PolicySpec ranges(int count, String range) throws Exception {
        return PolicyFile.read(
                "test",
                "policy: lru\nrules:\n"
                        + IntStream.range(0, count)
                                .mapToObj(i -> "- {path: /d" + i + "/**, tiers: " + range + "}\n")
                                .collect(Collectors.joining()));
    }

    private static List<String> ids(List<FindingProto> found) {
        return found.stream().map(each -> each.getFinding().getId()).toList();
    }

    @Test
    void manyQuestions_holdTheLockOnceInTenSeconds_andOnceMoreForAnotherPolicy() throws Exception {
        for (int second = 0; second < 10; second++) {
            assertThat(ids(checks.find(ranges(2, "nvm..ssd")))).containsExactly("range.off-policy", "range.off-policy");
            nowNs += TimeUnit.MILLISECONDS.toNanos(900);
        }
        assertThat(holds).hasSize(1);
        assertThat(checks.find(ranges(2, "ssd..disk"))).isEmpty();
        assertThat(holds).hasSize(2);
        policy = new PolicyBelow("COLD", List.of(StorageTier.ARCHIVE));
        nowNs += TimeUnit.SECONDS.toNanos(10);
        assertThat(ids(checks.find(ranges(2, "ssd..disk")))).containsExactly("range.off-policy", "range.off-policy");
        assertThat(holds).hasSize(3);
    }

    @Test
    void moreRangesThanOneLookTakes_areSaid_andNotLookedUp() throws Exception {
        List<FindingProto> found = checks.find(ranges(7, "nvm..ssd"));
        assertThat(holds).containsExactly(List.of("/d0", "/d1", "/d2", "/d3", "/d4"));
        assertThat(ids(found).subList(0, 5)).containsOnly("range.off-policy");
        assertThat(found.get(5).getFinding().getId()).isEqualTo("range.unchecked");
        assertThat(found.get(5).getFinding().getText()).startsWith("2 of 7 directories");
        assertThat(found).hasSize(6);
    }

    @Test
    void rangesOfAllFiles_orOfPathsThatAreNotThere_areNotFound() throws Exception {
        assertThat(checks.find(ranges(0, "nvm..ssd"))).isEmpty();
        assertThat(holds).isEmpty();
        policy = null;
        assertThat(checks.find(ranges(3, "nvm..ssd"))).isEmpty();
        policy = new PolicyBelow("PROVIDED", List.of());
        nowNs += TimeUnit.SECONDS.toNanos(10);
        assertThat(checks.find(ranges(3, "nvm..ssd"))).isEmpty();
    }
}
