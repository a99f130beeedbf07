package io.terrace.datanode.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.datanode.extent.SharedSlots;
import io.terrace.datanode.memory.MemoryDirectory;
import io.terrace.datanode.memory.MemoryTierListener;
import io.terrace.datanode.replica.MissingReplicas;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which orders are taken, in which order, and that each is answered once. */
class CopyQueueTest {

    private static final String POOL = "pool";
    private static final int BYTES = 1_000;
    private static final int LENGTH = 2;

    @TempDir
    private Path root;

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final List<String> answers = new ArrayList<>();
    private long nowNs;
    private long sleptNs;
    private Runnable whileAsleep = () -> {};
    private @Nullable RuntimeException fault;

    /** Has room for one copy. */
    private final LocalTier tier = new LocalTier(
            new LocalTier.Limits(BYTES, 1_000, 0),
            new AddressSpace(1 << 20, 1L << 30, 0),
            new GrantLedger(new GrantLedger.Limits(10, 10, 1, 1, 1, 1)),
            (extent, truncate) -> true,
            SharedSlots.NONE,
            new MemoryTierListener(metricRegistry, key -> {}, more -> {}),
            key -> false);

    private final CopyQueue copyQueue = new CopyQueue(tier, LENGTH, () -> nowNs, this::sleep);
    private MemoryDirectory directory;
    private MemoryCopier memoryCopier;

    @BeforeEach
    void open() throws IOException {
        directory = MemoryDirectory.open(root, false);
        MissingReplicas source = new MissingReplicas() {
            @Override
            public boolean has(BlockVersion block) {
                if (fault != null) {
                    throw fault;
                }
                return true;
            }
        };
        memoryCopier =
                new MemoryCopier(tier, source, directory, TokenBucket.ofSystem(0), false, metricRegistry, () -> nowNs);
    }

    @AfterEach
    void close() throws IOException {
        copyQueue.close();
        directory.close();
    }

    private void sleep(long ns) {
        nowNs += ns;
        sleptNs += ns;
        whileAsleep.run();
    }

    private static BlockKey key(long id) {
        return new BlockKey(POOL, id, 1);
    }

    private void submit(long id, BooleanSupplier stillWanted) {
        copyQueue.submit(new CopyQueue.Order(new BlockVersion(key(id), BYTES), false, stillWanted, result -> {
            answers.add(id + " " + result.outcome() + " " + result.message());
        }));
    }

    private void submit(long id) {
        submit(id, () -> true);
    }

    /** A copy that somebody reads, so that its room is not free at once when it goes. */
    private Extent lentCopy(long id) {
        Extent extent =
                Objects.requireNonNull(tier.begin(key(id), BYTES, false, nowNs).extent());
        assertThat(tier.publish(extent, nowNs)).isTrue();
        assertThat(tier.lend(key(id), false, nowNs)).isSameAs(extent);
        return extent;
    }

    @Test
    void order_thatFindsTheQueueFull_isRefusedAtOnce() {
        submit(1);
        submit(2);
        assertThat(answers).isEmpty();
        submit(3);
        assertThat(answers).containsExactly("3 REFUSED too many orders wait");
        assertThat(copyQueue.waiting()).isEqualTo(LENGTH);
    }

    @Test
    void step_carriesOutTheOrderThatWaitsForLongest_andSaysWhenThereIsNone() {
        submit(1);
        submit(2);
        assertThat(copyQueue.step(memoryCopier)).isTrue();
        assertThat(answers).singleElement().asString().startsWith("1 FAILED").contains("FileNotFoundException");
        assertThat(copyQueue.step(memoryCopier)).isTrue();
        assertThat(answers).hasSize(2).last().asString().startsWith("2 FAILED");
        assertThat(copyQueue.step(memoryCopier)).isFalse();
        assertThat(answers).hasSize(2);
    }

    @Test
    void order_thatIsNoLongerWanted_isRefusedWhenItsTurnComes() {
        submit(1, () -> false);
        assertThat(answers).isEmpty();
        assertThat(copyQueue.step(memoryCopier)).isTrue();
        assertThat(answers).singleElement().asString().startsWith("1 REFUSED cancelled");
        assertThat(sleptNs).isZero();
    }

    @Test
    void order_whoseRoomIsAboutToBeFreed_waitsForIt() {
        Extent lent = lentCopy(1);
        assertThat(tier.drop(key(1), RetireCause.ORDERED, nowNs)).isSameAs(lent);
        whileAsleep = () -> {
            if (sleptNs == TimeUnit.MILLISECONDS.toNanos(50)) {
                tier.giveBack(lent, nowNs);
            }
        };
        submit(2);
        assertThat(copyQueue.step(memoryCopier)).isTrue();
        // Had it no room, it would not have come to open the replica, which is not there.
        assertThat(answers).singleElement().asString().startsWith("2 FAILED").contains("FileNotFoundException");
        assertThat(sleptNs).isBetween(TimeUnit.MILLISECONDS.toNanos(50), TimeUnit.MILLISECONDS.toNanos(60));
    }

    @Test
    void order_whoseRoomIsNotFreedInTime_isAnsweredSo() {
        Extent lent = lentCopy(1);
        assertThat(tier.drop(key(1), RetireCause.ORDERED, nowNs)).isSameAs(lent);
        submit(2);
        assertThat(copyQueue.step(memoryCopier)).isTrue();
        assertThat(answers).containsExactly("2 NO_ROOM room is about to be freed");
        assertThat(sleptNs).isEqualTo(TimeUnit.MILLISECONDS.toNanos(1_500));
    }

    @Test
    void order_thatFindsATierThatStaysFull_doesNotWait() {
        lentCopy(1);
        submit(2);
        assertThat(copyQueue.step(memoryCopier)).isTrue();
        assertThat(answers).containsExactly("2 NO_ROOM the memory tier is full");
        assertThat(sleptNs).isZero();
    }

    @Test
    void order_thatEndsInAnException_isAnsweredOnce_andTheNextIsCarriedOut() {
        fault = new IllegalStateException("wanted");
        submit(1);
        assertThat(copyQueue.step(memoryCopier)).isTrue();
        assertThat(answers).singleElement().asString().startsWith("1 FAILED").contains("wanted");
        fault = null;
        submit(2);
        assertThat(copyQueue.step(memoryCopier)).isTrue();
        assertThat(answers).hasSize(2);
    }

    @Test
    void order_thatEndsInAnError_isAnswered_andTheErrorGoesOn() {
        List<MoveResult> results = new ArrayList<>();
        BooleanSupplier broken = () -> {
            throw new AssertionError("wanted");
        };
        copyQueue.submit(new CopyQueue.Order(new BlockVersion(key(1), BYTES), false, broken, results::add));
        assertThatThrownBy(() -> copyQueue.step(memoryCopier))
                .isInstanceOf(AssertionError.class)
                .hasMessage("wanted");
        assertThat(results).singleElement().satisfies(result -> assertThat(result.outcome())
                .isEqualTo(MoveOutcome.FAILED));
    }

    @Test
    void close_answersNoOrderThatWaits_andRefusesLaterOnes() {
        submit(1);
        copyQueue.close();
        assertThat(copyQueue.waiting()).isZero();
        assertThat(copyQueue.step(memoryCopier)).isFalse();
        assertThat(answers).isEmpty();
        submit(2);
        assertThat(answers).containsExactly("2 REFUSED shutting down");
    }
}
