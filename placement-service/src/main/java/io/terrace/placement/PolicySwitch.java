package io.terrace.placement;

import io.terrace.placement.Move.Cause;
import io.terrace.placement.Node.Resident;
import io.terrace.placement.Node.Wish;
import io.terrace.policy.Access;
import io.terrace.policy.Policy;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Puts another policy in the place of the one in force, on every DataNode or on none. The new instances learn what is
 * resident and, from the heat of the {@value #REPLAYED_BLOCKS} blocks read last, what is hot: each block once, at the time
 * of its last read, as a burst of as many reads as its heat. What they wish for meanwhile is answered with the truth, so
 * the act of switching moves nothing. Orders that were sent stand; those that wait are withdrawn.
 *
 * <p>About a microsecond a block. Owned by the loop's thread.
 */
final class PolicySwitch {

    static final int REPLAYED_BLOCKS = 50_000;

    /** Wishes that one block's replay may lead to; a policy that goes on wishing has its way at the next access. */
    private static final int MOST_WISHES = 10_000;

    private final Board board;
    private final Regime regime;
    private final Access access = new Access();
    private final ArrayDeque<Wish> wishes = new ArrayDeque<>();

    PolicySwitch(Board board, Regime regime) {
        this.board = board;
        this.regime = regime;
    }

    /** @return null, or why the policy stays as it is */
    @Nullable
    String to(long nowMs, PolicyChoice wanted) {
        Map<Node, Policy> made = new LinkedHashMap<>();
        for (Node node : board.nodes().values()) {
            Policy policy = regime.tryOut(wanted);
            if (policy == null) {
                return regime.trouble();
            }
            made.put(node, policy);
        }
        if (made.isEmpty() && regime.tryOut(wanted) == null) {
            return regime.trouble();
        }
        regime.enter(wanted);
        for (Node node : made.keySet()) {
            retract(nowMs, node);
        }
        try {
            install(nowMs, made);
        } catch (RuntimeException | LinkageError e) {
            regime.failed(e);
            wishes.clear();
            made.replaceAll((node, policy) -> regime.make());
            install(nowMs, made);
            return regime.trouble();
        }
        return null;
    }

    private void install(long nowMs, Map<Node, Policy> made) {
        List<BlockHeat> latest = board.heat().latest(REPLAYED_BLOCKS);
        long sinceMs = latest.stream().mapToLong(BlockHeat::lastMs).min().orElse(nowMs);
        made.forEach((node, policy) -> node.obey(sinceMs, policy));
        adopt(sinceMs, made.keySet());
        if (regime.spec().pools().isEmpty()) {
            // With pools nobody knows whose heat it is before the block's path is looked up.
            latest.forEach(this::replay);
        }
    }

    private void retract(long nowMs, Node node) {
        for (Move move : node.agenda().all()) {
            if (move.isSent()) {
                move.overtaken(false);
            } else if (move.outcome() == null && move.cause() == Cause.POLICY) {
                board.withdraw(nowMs, node, move, Outcome.CANCELLED, "another policy is in force", false);
            }
        }
    }

    /** Tells the new policies what stands in memory, the block read longest ago first. */
    private void adopt(long sinceMs, Collection<Node> nodes) {
        Map<Node, Map<Long, Resident>> byRecency = new HashMap<>();
        for (Node node : nodes) {
            byRecency.put(node, new LinkedHashMap<>(node.residents()));
        }
        for (BlockHeat heat : board.heat().all()) {
            for (int i = 0; i < heat.nodeCount(); i++) {
                Map<Long, Resident> residents = byRecency.getOrDefault(heat.node(i), Map.of());
                Resident resident = residents.remove(heat.block().id());
                if (resident != null) {
                    residents.put(heat.block().id(), resident);
                }
            }
        }
        byRecency.forEach((node, residents) -> residents.values().forEach(resident -> {
            StampedBlock block = resident.block;
            if (!node.isPinned(block.id()) && stays(node, block.id())) {
                node.policy().moved(sinceMs, block.id(), block.lengthBytes(), Node.MEMORY, this::note);
                answer(sinceMs, node);
            }
        }));
    }

    private static boolean stays(Node node, long blockId) {
        Move open = node.agenda().open(blockId);
        return open == null || open.isPromotion();
    }

    private void replay(BlockHeat heat) {
        Node home = heat.home();
        StampedBlock block = heat.block();
        if (home == null || heat.reads() == 0 || heat.excluded() != null || home.isPinned(block.id())) {
            return;
        }
        long atMs = heat.lastMs();
        double warmth = heat.heat(atMs, board.settings().halfLifeMs());
        int reads = (int) Math.min(Integer.MAX_VALUE, Math.max(1, Math.round(warmth)));
        long bytes = Math.round((double) heat.bytesRead() / heat.reads() * reads);
        int tier = home.residents().containsKey(block.id()) ? Node.MEMORY : Node.HOME;
        access.read(atMs, block.id(), block.lengthBytes(), bytes, tier).burst(reads);
        home.policy().access(access, this::note);
        answer(atMs, home);
    }

    private void note(long blockId, long sizeBytes, int fromTier, int toTier) {
        wishes.add(new Wish(blockId, sizeBytes, toTier == Node.MEMORY));
    }

    private void answer(long nowMs, Node node) {
        for (int i = 0; i < MOST_WISHES && !wishes.isEmpty(); i++) {
            Wish wish = wishes.remove();
            boolean there = node.residents().containsKey(wish.blockId()) && stays(node, wish.blockId());
            int tier = there ? Node.MEMORY : Node.HOME;
            node.policy().moveFailed(nowMs, wish.blockId(), wish.sizeBytes(), tier, this::note);
        }
        wishes.forEach(wish -> node.wish(
                wish.blockId(),
                wish.sizeBytes(),
                wish.toMemory() ? Node.HOME : Node.MEMORY,
                wish.toMemory() ? Node.MEMORY : Node.HOME));
        wishes.clear();
    }
}
