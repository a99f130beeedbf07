package io.terrace.bench.simulation.kernel;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Messages between hosts. Each has its own delay, so they overtake each other; some are lost, some arrive twice; hosts
 * are partitioned for a while. The fault rates differ between seeds.
 */
public final class Network {

    private static final long FASTEST_NS = 50_000;

    private final Scheduler scheduler;
    private final int lossPerMille;
    private final int twicePerMille;
    private final long slowestNs;
    private final Set<String> parted = new LinkedHashSet<>();
    private boolean healed;

    /** @param messages what becomes of them; null to draw it */
    public Network(Scheduler scheduler, SeedMix.@Nullable Messages messages) {
        this.scheduler = scheduler;
        int loss = scheduler.oneIn(3) ? 0 : (int) scheduler.between(1, 80);
        int twice = scheduler.oneIn(3) ? 0 : (int) scheduler.between(1, 80);
        long slowest = scheduler.between(200_000, scheduler.oneIn(4) ? 800_000_000 : 20_000_000);
        this.lossPerMille = messages == null ? loss : messages.lossPerMille();
        this.twicePerMille = messages == null ? twice : messages.twicePerMille();
        this.slowestNs = messages == null ? slowest : messages.slowestMs() * 1_000_000;
    }

    /** Cuts a host off from all others, both ways. */
    public void cutOff(String host) {
        parted.add(host);
    }

    public void rejoin(String host) {
        parted.remove(host);
    }

    /** Ends all faults, before the checks at quiescence. */
    public void heal() {
        healed = true;
        parted.clear();
    }

    /** Sends a message to another process. It may be lost. */
    public void send(OsProcess from, OsProcess to, String what, Runnable delivery) {
        if (!healed && (parted.contains(from.name()) || parted.contains(to.name()) || chance(lossPerMille))) {
            from.say("%s to %s is lost", what, to.name());
            return;
        }
        to.after(delayNs(), what, delivery);
        if (!healed && chance(twicePerMille)) {
            to.after(delayNs(), what, delivery);
        }
    }

    private boolean chance(int perMille) {
        return scheduler.random().nextInt(1000) < perMille;
    }

    private long delayNs() {
        return scheduler.between(FASTEST_NS, healed ? 1_000_000 : slowestNs);
    }
}
