package io.terrace.placement.explain;

import io.terrace.common.Quantity;
import io.terrace.conf.TerraceSettings;
import io.terrace.placement.explain.Verdicts.Verdict;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.placement.report.ReplicaReport.Host;
import io.terrace.policy.api.Explanation;
import io.terrace.policy.api.Explanation.Worth;

/** What is said of a block that is read and could be in memory, and that the policy keeps out. */
final class ComparisonTexts {

    private static final String NOT = "NOT IN MEMORY: ";

    private final BlockSituation situation;
    private final FileSituation file;
    private final ReplicaReport replica;
    private final Host host;
    private final String reads;

    /** @param replica where it would be */
    ComparisonTexts(BlockSituation situation, ReplicaReport replica) {
        this.situation = situation;
        this.file = situation.file();
        this.replica = replica;
        this.host = replica.host();
        String known = Verdicts.reads(situation);
        this.reads = known == null ? "Read lately" : known;
    }

    Verdict verdict() {
        if (host.hasRoom(situation.block().lengthBytes())) {
            return host.budgetUsedUp()
                    ? budgetUsedUp()
                    : new Verdict(
                            NOT + "not read often enough yet",
                            room() + " " + reads + ": too little for a copy.",
                            "Comes in when it is read again soon. " + AbsenceTexts.now(file));
        }
        Explanation why = replica.why();
        Worth worth = why == null ? null : why.worth();
        if (why != null && worth != null && why.competitor() != Explanation.NO_COMPETITOR) {
            return compared(worth, file.other(why.competitor()));
        }
        String first = why == null || why.competitor() == Explanation.NO_COMPETITOR
                ? ""
                : ", of which " + file.other(why.competitor()) + " would leave first";
        return new Verdict(
                NOT + "the policy keeps others there",
                room() + " " + reads + ", this block comes after those there" + first + ".",
                "Comes in when it is read more often, or when the others are read less. " + AbsenceTexts.now(file));
    }

    private Verdict budgetUsedUp() {
        return new Verdict(
                NOT + "the move budget of " + Words.name(replica.name()) + " is used up",
                "Other blocks wait to be copied there. One more would wait for longer than "
                        + Quantity.millis(file.waitMs()) + ".",
                "Comes in when it is read again and fewer wait. The budget: "
                        + TerraceSettings.PLACEMENT_MOVE_BANDWIDTH.key() + ".");
    }

    private Verdict compared(Worth worth, String rival) {
        String compared = room() + " " + reads + ", this block is worth " + Words.ratio(worth)
                + " as the least worth keeping there, " + rival;
        String saved = Words.saved(worth);
        if (Words.isEven(worth)) {
            return new Verdict(
                    NOT + "about as much worth as the last ones there",
                    compared + ": too little for a move." + saved,
                    "Comes in when it is read clearly more than that one.");
        }
        if (worth.ratio() >= 1 && host.budgetUsedUp()) {
            return budgetUsedUp();
        }
        return worth.ratio() < 1
                ? new Verdict(
                        NOT + "others there are worth more",
                        compared + "." + saved,
                        "Comes in when it is read " + Words.moreOften(worth) + ", or when the others are read less. "
                                + AbsenceTexts.now(file))
                : new Verdict(
                        NOT + "not worth a move yet",
                        compared + ": too little for a move." + saved,
                        "Comes in when it is read clearly more than that one. " + AbsenceTexts.now(file));
    }

    private String room() {
        String used = Words.ofMemory(Math.min(host.usedBytes(), host.capacityBytes()), host.capacityBytes());
        return "Memory of " + Words.name(replica.name())
                + (host.hasRoom(situation.block().lengthBytes())
                        ? " has room (" + used + " are used)."
                        : " is full (" + used + ").");
    }
}
