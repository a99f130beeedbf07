package io.terrace.placement.hdfs.namesystem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.common.DaemonThreads;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.BusyLoop;
import io.terrace.placement.ImpatientLoop;
import io.terrace.placement.Leadership;
import io.terrace.placement.PlacementEngine;
import io.terrace.placement.PlacementLoop;
import io.terrace.placement.PlacementSettings;
import io.terrace.placement.hdfs.EmptyNamespaceView;
import io.terrace.placement.hdfs.LoggedLines;
import io.terrace.placement.hdfs.health.PolicyHealthChecks;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.policy.PolicyChoice.Source;
import io.terrace.placement.policy.PolicyFactory;
import io.terrace.placement.policyfile.PolicyHistory;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.proto.AdminProtos.FindingProto;
import io.terrace.protocol.proto.DataNodeProtos.ConditionProto;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which policy is in force where an apply, the policy file and a busy loop meet. */
class PolicyStoreTest {

    private static final String WATCH = "terrace-watch";

    @TempDir
    Path dir;

    private final ScheduledExecutorService watch =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named(WATCH));

    private final PlacementSettings settings = PlacementSettings.from(key -> null);
    private final FakeAttribute stored = new FakeAttribute();
    private volatile Runnable amidAnApply = () -> {};
    private Path file;
    private PolicyStore policyStore;
    private PlacementLoop loop;

    private final class Leader implements Leadership {

        @Override
        public long epoch() {
            return 7;
        }

        @Override
        public OperatorState operatorState() {
            return OperatorState.initial();
        }

        @Override
        public PolicyChoice policy() {
            return policyStore.atActivation();
        }
    }

    @BeforeEach
    void start() throws Exception {
        file = Files.writeString(dir.resolve("policy.yaml"), "policy: lru\n");
        policyStore =
                new PolicyStore(stored, settings.policy(), new PolicyFileWatch(file, new MetricRegistry()), () -> {
                    amidAnApply.run();
                    return 1;
                });
        loop = new PlacementLoop(
                new PlacementEngine(settings, new EmptyNamespaceView(), new MetricRegistry()),
                new Leader(),
                new MetricRegistry(),
                10,
                () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
        loop.start();
        eventually().until(() -> loop.engineStatus().active());
        policyStore.serve(loop, 10, watch);
    }

    @AfterEach
    void stop() {
        watch.shutdownNow();
        loop.close();
    }

    private static ConditionFactory eventually() {
        return await().atMost(Duration.ofSeconds(30));
    }

    private PolicyChoice inForce() throws Exception {
        return loop.ask(PlacementEngine::policyInForce);
    }

    /** Whether the thread that looks at the file is telling what is in it, and cannot go on. */
    private static boolean fileIsHeldUp() {
        return Thread.getAllStackTraces().entrySet().stream()
                .anyMatch(thread -> thread.getKey().getName().equals(WATCH)
                        && thread.getKey().getState() == Thread.State.BLOCKED
                        && isOfPolicyStore(thread.getValue()));
    }

    private static boolean fileIsBeingTold() {
        return Thread.getAllStackTraces().entrySet().stream()
                .anyMatch(thread -> thread.getKey().getName().equals(WATCH) && isOfPolicyStore(thread.getValue()));
    }

    private static boolean isOfPolicyStore(StackTraceElement[] stack) {
        return Arrays.stream(stack)
                .anyMatch(frame -> frame.getClassName().equals(PolicyStore.class.getName())
                        && frame.getMethodName().startsWith("tell"));
    }

    @Test
    void file_thatChanges_isInForce() throws Exception {
        assertThat(inForce().spec().policy()).isEqualTo("lru");
        Files.writeString(file, "policy: idecider\n");
        eventually().until(() -> inForce().spec().policy().equals("idecider"));
        assertThat(inForce().source()).isEqualTo(Source.FILE);
    }

    @Test
    @Timeout(60)
    void apply_whileTheFileChanges_isStoredAndStaysInForce() throws Exception {
        amidAnApply = () -> {
            try {
                Files.writeString(file, "policy: idecider\n");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            eventually().until(PolicyStoreTest::fileIsHeldUp);
        };
        assertThat(policyStore.apply("policy: s3-fifo\n", "operator")).isEqualTo(1);
        assertThat(PolicyHistory.decoded(stored.value).inForce()).isEqualTo(1);
        eventually().until(() -> !fileIsBeingTold());
        assertThat(inForce().source()).isEqualTo(Source.APPLIED);
        assertThat(inForce().spec().policy()).isEqualTo("s3-fifo");
    }

    @Test
    void apply_thatTheLoopDoesNotComeTo_neverTakesEffect() throws Exception {
        try (BusyLoop busy = new BusyLoop(loop)) {
            assertThatThrownBy(() -> policyStore.apply("policy: s3-fifo\n", "operator"))
                    .isInstanceOf(TimeoutException.class);
        }
        assertThat(inForce().spec().policy()).isEqualTo("lru");
        assertThat(PolicyHistory.decoded(stored.value)).isEqualTo(PolicyHistory.EMPTY);
        assertThat(policyStore.history()).isEqualTo(PolicyHistory.EMPTY);
    }

    @Test
    @Timeout(60)
    void apply_thatTheLoopHangsIn_staysStored_andComesIntoForce() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        PolicyFactory hanging = (spec, tiers) -> {
            if (spec.policy().equals("s3-fifo")) {
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            return spec.make(tiers);
        };
        try (PlacementLoop hangs = ImpatientLoop.make(
                new PlacementEngine(settings, new EmptyNamespaceView(), new MetricRegistry(), hanging), new Leader())) {
            hangs.start();
            eventually().until(() -> hangs.engineStatus().active());
            policyStore.serve(hangs, 10, watch);
            assertThatThrownBy(() -> policyStore.apply("policy: s3-fifo\n", "operator"))
                    .hasMessageContaining("stored");
            assertThat(PolicyHistory.decoded(stored.value).inForce()).isEqualTo(1);
            goOn.countDown();
            assertThat(hangs.ask(PlacementEngine::policyInForce).spec().policy())
                    .isEqualTo("s3-fifo");
            assertThat(policyStore.history().inForce()).isEqualTo(1);
        }
    }

    @Test
    @Timeout(60)
    void apply_moreOftenThanIsKept_showsNoMoreThanIsStored() throws Exception {
        for (int i = 0; i < 55; i++) {
            policyStore.apply("policy: lru # " + i + "\n", "operator");
        }
        assertThat(policyStore.history()).isEqualTo(PolicyHistory.decoded(stored.value));
        policyStore.rollback();
        assertThat(policyStore.history()).isEqualTo(PolicyHistory.decoded(stored.value));
    }

    @Test
    @Timeout(60)
    void file_thatChangesWhileTheLoopTakesNoCalls_isInForceLater() throws Exception {
        PlacementLoop full = new PlacementLoop(
                new PlacementEngine(settings, new EmptyNamespaceView(), new MetricRegistry()),
                new Leader(),
                new MetricRegistry(),
                10,
                () -> 0);
        full.close();
        PolicyFileWatch other = new PolicyFileWatch(
                Files.writeString(dir.resolve("other.yaml"), "policy: lru\n"), new MetricRegistry());
        PolicyStore retrying = new PolicyStore(new FakeAttribute(), settings.policy(), other, () -> 1);
        try (LoggedLines log = new LoggedLines(PolicyStore.class.getName())) {
            retrying.serve(full, 10, watch);
            Files.writeString(other.file(), "policy: arc\n");
            eventually().until(() -> !log.lines().isEmpty());
            retrying.serve(loop, 10, watch);
            eventually().until(() -> inForce().spec().policy().equals("arc"));
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("tried again"))
                    .hasSize(1);
        }
    }

    @Test
    void storedPolicy_ofAnEarlierBuild_holds_thoughItIsNotTakenAgain() {
        String text = "policy: arc\nrules: [{path: /a/.snapshot/**, place: never}]\n";
        stored.value = PolicyHistory.EMPTY.apply(1, "operator", text).encoded();
        try (LoggedLines log = new LoggedLines(PolicyStore.class.getName())) {
            PolicyChoice choice = policyStore.atActivation();
            assertThat(choice.source()).isEqualTo(Source.APPLIED);
            assertThat(choice.spec().policy()).isEqualTo("arc");
            assertThat(log.lines()).singleElement().asString().contains("has no effect", "/a/.snapshot/**");
        }
        assertThatThrownBy(() -> policyStore.apply(text, "operator")).hasMessageContaining("never matches");
    }

    @Test
    void file_thatAnEarlierBuildTook_holdsAtTheStart_andItsMistakeIsNamed() throws Exception {
        String text = "policy: arc\nrules: [{path: /a/.snapshot/**, place: never}]\n";
        PolicyFileWatch old =
                new PolicyFileWatch(Files.writeString(dir.resolve("old.yaml"), text), new MetricRegistry());
        PolicyStore begun = new PolicyStore(new FakeAttribute(), settings.policy(), old, () -> 1);
        assertThat(begun.atActivation().spec().policy()).isEqualTo("arc");
        assertThat(old.problem()).contains("never matches");
        assertThat(old.poll()).isFalse();
        Files.writeString(old.file(), text.replace("arc", "2q"));
        assertThat(old.poll()).as("from then on it is refused").isFalse();
        assertThat(begun.atActivation().spec().policy()).isEqualTo("arc");
    }

    private List<ConditionProto> findings(PolicyStore of) {
        PlacementEngine engine = new PlacementEngine(settings, new EmptyNamespaceView(), new MetricRegistry());
        return PolicyHealthChecks.find(engine, new OperatorStateStore(new FakeAttribute()), of, new MetricRegistry())
                .stream()
                .map(FindingProto::getFinding)
                .toList();
    }

    @Test
    void appliedPolicies_thatCannotBeRead_areToldAndNotErased() throws Exception {
        byte[] unreadable = {9, 9, 9};
        stored.value = unreadable;

        assertThat(policyStore.atActivation().source()).isEqualTo(Source.FILE);

        assertThat(findings(policyStore)).anySatisfy(finding -> {
            assertThat(finding.getId()).isEqualTo("policy.unreadable");
            assertThat(finding.getText()).contains("trusted.terrace.policy of /", "the configured one is in force");
        });
        assertThatThrownBy(() -> policyStore.apply("policy: arc\n", "operator"))
                .hasMessageContaining("would erase it")
                .hasMessageContaining("-setfattr -x trusted.terrace.policy /");
        assertThat(stored.value).isEqualTo(unreadable);

        stored.value = null;
        policyStore.apply("policy: arc\n", "operator");
        assertThat(findings(policyStore)).noneMatch(finding -> finding.getId().equals("policy.unreadable"));
    }

    @Test
    void appliedPolicies_thatArePutRight_areInForceAgain() throws Exception {
        stored.value = new byte[] {9, 9, 9};
        policyStore.atActivation();
        assertThat(policyStore.problem()).isNotNull();

        stored.value = PolicyHistory.EMPTY.apply(1, "operator", "policy: arc\n").encoded();

        eventually().until(() -> inForce().spec().policy().equals("arc"));
        assertThat(policyStore.problem()).isNull();
    }

    /** The change reads the attribute again; whether it succeeds or not, the watch has nothing to read any more. */
    @Test
    void appliedPolicies_thatARefusedChangeReadAgain_areInForce() throws Exception {
        watch.shutdown();
        assertThat(watch.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        stored.value = new byte[] {9, 9, 9};
        assertThat(policyStore.atActivation().source()).isEqualTo(Source.FILE);
        stored.value = PolicyHistory.EMPTY.apply(1, "operator", "policy: arc\n").encoded();
        stored.fault = () -> {
            throw new IOException("planted");
        };
        assertThatThrownBy(() -> policyStore.apply("policy: 2q\n", "operator")).hasMessageContaining("planted");

        ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor(DaemonThreads.named(WATCH));
        try {
            policyStore.serve(loop, 10, later);
            eventually().until(() -> inForce().spec().policy().equals("arc"));
        } finally {
            later.shutdownNow();
        }
    }

    @Test
    void appliedPolicy_thatThisBuildCannotUse_isTold() throws Exception {
        stored.value =
                PolicyHistory.EMPTY.apply(1, "operator", "policy: nonsense\n").encoded();

        assertThat(policyStore.atActivation().source()).isEqualTo(Source.FILE);

        assertThat(findings(policyStore))
                .anySatisfy(finding -> assertThat(finding.getText()).contains("applied policy 1 cannot be used"));
        policyStore.apply("policy: arc\n", "operator");
        assertThat(policyStore.history().steps()).hasSize(2);
        assertThat(findings(policyStore)).noneMatch(finding -> finding.getId().equals("policy.unreadable"));
    }

    /** As root's file of mode 0600; root itself, as in this test, cannot be kept out but by a path below a file. */
    @Test
    void file_thatCannotBeRead_isRefusedWithTheReason() throws Exception {
        PolicyFileWatch below = new PolicyFileWatch(file.resolve("policy.yaml"), new MetricRegistry());
        assertThat(below.poll()).isFalse();
        assertThat(below.problem()).isEqualTo(file.resolve("policy.yaml") + " cannot be read: Not a directory");
    }
}
