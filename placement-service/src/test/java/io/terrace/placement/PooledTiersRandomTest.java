package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.placement.heartbeat.Heartbeat.Result;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.NamespaceView.PlacedReplica;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random reads of files in three pools, with moves that fail now and then. No move takes a pool above its most, none takes
 * what another pool keeps for itself, each can have its own share, no block goes up soon after it made room, and once reads
 * are steady nothing moves.
 */
class PooledTiersRandomTest extends TieredCluster {

    private static final List<String> POOLS = List.of("default", "etl", "bi");
    private static final List<StorageTier> DIVIDED = List.of(StorageTier.NVM, StorageTier.SSD);
    private static final long LARGEST = 6;
    /** Less what the order of the move down waited for. */
    private static final long STAYS_DOWN_MS = 600_000 - 20_000;

    private record Part(double share, double most, boolean lends) {}

    private final Map<StorageTier, List<Part>> parts = new HashMap<>();
    private final List<List<StampedBlock>> blocks = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    private final Map<Long, Integer> poolOf = new HashMap<>();
    private final Map<Long, Long> wentDownMs = new HashMap<>();
    private final Map<StorageTier, Long> strangers = new HashMap<>();
    private Random random;
    private boolean mayFail = true;

    static IntStream seeds() {
        return IntStream.range(0, 40);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void anyReads_keepTheSharesOfAllPools(int seed) {
        random = new Random(seed);
        DIVIDED.forEach(tier -> strangers.put(tier, random.nextInt(3) * 10 * MB));
        applyPools();
        one.carryOutVolumeMove = this::carryOut;
        for (int i = 0; i < 30; i++) {
            add(random.nextInt(3), 1 + random.nextInt((int) LARGEST));
        }
        countRoom();
        for (int i = 0; i < 60; i++) {
            int favoured = random.nextInt(3);
            for (int j = 0; j < 6; j++) {
                List<StampedBlock> some = blocks.get(random.nextInt(3) == 0 ? random.nextInt(3) : favoured);
                if (!some.isEmpty()) {
                    one.reads(some.get(random.nextInt(some.size())), 1 + random.nextInt(12));
                }
            }
            waits(1_000 + random.nextInt(20_000));
        }
        mayFail = false;
        int owner = random.nextInt(3);
        wants(owner);
        steady(owner);
    }

    private void applyPools() {
        StringBuilder pools = new StringBuilder();
        for (int pool = 1; pool < POOLS.size(); pool++) {
            pools.append(pool > 1 ? ", " : "")
                    .append("{name: ")
                    .append(POOLS.get(pool))
                    .append(", share: 10%, tiers: {");
            for (StorageTier tier : DIVIDED) {
                int share = 15 + random.nextInt(25);
                int most = share + random.nextInt(100 - share + 1);
                boolean lends = random.nextInt(3) > 0;
                parts.computeIfAbsent(tier, any -> new ArrayList<>(List.of(new Part(0, 1, true))))
                        .add(new Part(share / 100.0, most / 100.0, lends));
                pools.append(tier == StorageTier.NVM ? "nvm" : ", ssd")
                        .append(": {share: " + share + "%, most: " + most + "%, lend: " + lends + "}");
            }
            pools.append("}}");
        }
        for (List<Part> each : parts.values()) {
            each.set(0, new Part(1 - each.get(1).share - each.get(2).share, 1, true));
        }
        placement.policy(
                nowMs,
                applied(
                        "policy: idecider",
                        "pools: [" + pools + "]",
                        "rules: [{path: /etl/**, pool: etl, tiers: nvm..disk}, {path: /bi/**, pool: bi, tiers: nvm..disk},"
                                + " {path: /**, tiers: nvm..disk}]"));
    }

    private StampedBlock add(int pool, long megabytes) {
        StampedBlock block = block(poolOf.size() + 1, megabytes);
        poolOf.put(block.id(), pool);
        blocks.get(pool).add(block);
        place(block, "/" + POOLS.get(pool) + "/" + block.id(), StorageTier.DISK, one);
        return block;
    }

    private long used(StorageTier tier, int pool) {
        long sum = 0;
        for (Placed placed : names.places.values()) {
            for (PlacedReplica replica : placed.replicas()) {
                sum += replica.tier() == tier && poolOf.get(placed.block().id()) == pool
                        ? placed.block().lengthBytes()
                        : 0;
            }
        }
        return sum;
    }

    private void countRoom() {
        for (StorageTier tier : DIVIDED) {
            use(one, tier, strangers.get(tier) + used(tier, 0) + used(tier, 1) + used(tier, 2));
        }
    }

    private double dividedBytes(StorageTier tier) {
        return 0.9 * ROOM - strangers.get(tier);
    }

    private Result carryOut(long epoch, MoveOrder order) {
        if (mayFail && random.nextInt(8) == 0) {
            return result(epoch, order, MoveOutcome.FAILED, order.from());
        }
        Result result = done(one, epoch, order);
        countRoom();
        long id = order.block().id();
        if (order.to().compareTo(order.from()) < 0) {
            checkUp(order.to(), poolOf.get(id));
            assertThat(nowMs - wentDownMs.getOrDefault(id, -STAYS_DOWN_MS))
                    .as("ms since it made room")
                    .isGreaterThanOrEqualTo(STAYS_DOWN_MS);
        } else {
            wentDownMs.put(id, nowMs);
        }
        return result;
    }

    private void checkUp(StorageTier tier, int pool) {
        if (!DIVIDED.contains(tier)) {
            return;
        }
        double divided = dividedBytes(tier);
        Part part = parts.get(tier).get(pool);
        assertThat((double) used(tier, pool)).as("pool %d in %s", pool, tier).isLessThanOrEqualTo(part.most * divided);
        if (used(tier, pool) > part.share * divided) {
            double kept = used(tier, pool);
            for (int other = 0; other < POOLS.size(); other++) {
                Part theirs = parts.get(tier).get(other);
                kept += other == pool || theirs.lends ? 0 : theirs.share * divided;
            }
            assertThat(kept).as("with what others keep in %s", tier).isLessThanOrEqualTo(divided + 1);
        }
    }

    /** Many blocks of one pool become hot: it gets its own share of the fastest tier, and of the other one. */
    private void wants(int owner) {
        List<StampedBlock> wanted = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            wanted.add(add(owner, 1 + random.nextInt((int) LARGEST)));
        }
        for (int i = 0; i < 30; i++) {
            wanted.forEach(block -> one.reads(block, 2));
            waits(15_000);
        }
        for (StorageTier tier : DIVIDED) {
            assertThat((double) used(tier, owner))
                    .as("own share of pool %d in %s", owner, tier)
                    .isGreaterThan(parts.get(tier).get(owner).share * dividedBytes(tier) - 2 * LARGEST * MB);
        }
    }

    private void steady(int owner) {
        one.orders.clear();
        for (int i = 0; i < 50; i++) {
            blocks.get(owner).forEach(block -> one.reads(block, 8));
            waits(60_000);
            if (i == 39) {
                one.orders.clear();
            }
        }
        assertThat(ordered(one)).as("moves while nothing changes").isEmpty();
    }
}
