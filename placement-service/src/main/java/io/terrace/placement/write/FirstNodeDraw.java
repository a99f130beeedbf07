package io.terrace.placement.write;

import io.terrace.placement.write.WriteSpeeds.Speed;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Draws the first DataNode of a block among those that its client writes to fastest. After SMARTH's first algorithm; docs/decisions
 * 21 says what differs. Thread-safe, keeps nothing.
 */
public final class FirstNodeDraw {
    /** One block of so many goes to any DataNode that is not known to be slow. */
    static final int EXPLORED_ONE_OF = 20;

    /** What a drawn DataNode may be slower than the fastest one, in percent. */
    private static final int LEAST_PERCENT = 75;

    /** How much slower the client's own DataNode may be. */
    private static final int OWN_LEAST_PERCENT = 50;

    private final WriteSpeeds speeds;
    private final IntUnaryOperator random;

    /** @param random a number of 0 to below its argument */
    public FirstNodeDraw(WriteSpeeds speeds, IntUnaryOperator random) {
        this.speeds = speeds;
        this.random = random;
    }

    /** What is to be done. */
    public enum Kind {
        /** Stock chooses. */
        STOCK,
        /** The block goes to the DataNode that was drawn. */
        DRAWN,
        /** The block goes to any DataNode that is not {@link #isSlow}. */
        ANY
    }

    /**
     * A result.
     *
     * @param node UUID of the DataNode that was drawn
     */
    public record Drawn(Kind kind, @Nullable String node) {
        private static final Drawn STOCK = new Drawn(Kind.STOCK, null);
        private static final Drawn ANY = new Drawn(Kind.ANY, null);
    }

    /**
     * Draws one.
     *
     * @param host of the client
     * @param own UUID of the DataNode on that host; null when there is none
     * @param most DataNodes that the blocks of a client are divided among, if so many are fast
     * @param usable whether a DataNode, by its UUID, may have the block
     */
    public Drawn draw(String host, @Nullable String own, int most, Predicate<String> usable) {
        List<Speed> known = speeds.of(host);
        long fastest = fastest(known, usable);
        if (fastest == 0 || (own != null && isOwnFast(known, own, fastest))) {
            return Drawn.STOCK;
        }
        if (random.applyAsInt(EXPLORED_ONE_OF) == 0) {
            return Drawn.ANY;
        }
        int fast = 0;
        int slow = 0;
        for (Speed speed : known) {
            fast += isFast(speed, fastest, usable) ? 1 : 0;
            slow += speeds.holds(speed) && isBelow(speed, fastest, LEAST_PERCENT) ? 1 : 0;
        }
        int at = random.applyAsInt(Math.max(fast, Math.max(1, most)));
        for (Speed speed : known) {
            if (isFast(speed, fastest, usable) && at-- == 0) {
                return new Drawn(Kind.DRAWN, speed.node());
            }
        }
        // Stock knows which DataNodes are near. But where it chose slow ones before it would do so again.
        return slow == 0 && own == null ? Drawn.STOCK : Drawn.ANY;
    }

    /** Whether a client writes to a DataNode more slowly than to those that are drawn. */
    public boolean isSlow(String host, String node, Predicate<String> usable) {
        List<Speed> known = speeds.of(host);
        long fastest = fastest(known, usable);
        for (Speed speed : known) {
            if (speed.node().equals(node) && speeds.holds(speed)) {
                return isBelow(speed, fastest, LEAST_PERCENT);
            }
        }
        return false;
    }

    private long fastest(List<Speed> known, Predicate<String> usable) {
        for (Speed speed : known) {
            if (speeds.holds(speed) && usable.test(speed.node())) {
                return speed.bytesPerSecond();
            }
        }
        return 0;
    }

    private boolean isFast(Speed speed, long fastest, Predicate<String> usable) {
        return !isBelow(speed, fastest, LEAST_PERCENT) && speeds.holds(speed) && usable.test(speed.node());
    }

    private boolean isOwnFast(List<Speed> known, String own, long fastest) {
        for (Speed speed : known) {
            if (speed.node().equals(own) && speeds.holds(speed)) {
                return !isBelow(speed, fastest, OWN_LEAST_PERCENT);
            }
        }
        return true;
    }

    private static boolean isBelow(Speed speed, long fastest, int percent) {
        return speed.bytesPerSecond() < fastest / 100 * percent;
    }
}
