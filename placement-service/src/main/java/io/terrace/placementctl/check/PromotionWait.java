package io.terrace.placementctl.check;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.common.Quantity;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProgressLine;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import io.terrace.protocol.proto.AdminProtos.MoveProto;
import io.terrace.protocol.proto.AdminProtos.MovesRequestProto;
import io.terrace.protocol.proto.AdminProtos.MovesResponseProto;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Waits for the moves of a promotion and says which blocks are in memory, and why the others are not. */
public final class PromotionWait {

    private static final long POLL_MS = 250;
    private static final int MOVES_PER_CALL = 1000;
    private static final int MOST_SHOWN = 20;

    private final AdminClient client;
    private final Printer printer;
    private final long timeoutMs;
    private final Set<Long> open = new LinkedHashSet<>();
    private final List<String> failures = new ArrayList<>();
    private int done;
    private int failed;

    public PromotionWait(AdminClient client, Printer printer, long timeoutMs) {
        this.client = client;
        this.printer = printer;
        this.timeoutMs = timeoutMs;
    }

    /**
     * Waits, prints, and says whether all blocks are in memory.
     *
     * @param json of the response, to be printed with the outcome; null for text
     */
    public boolean report(ChangeResponseProto response, @Nullable ObjectNode json)
            throws Refused, Unreachable, InterruptedException {
        open.addAll(response.getMoveIdsList());
        open.addAll(response.getOpenMoveIdsList());
        int refused = response.getRefused() - response.getInMemory() - response.getOpenMoveIdsCount();
        int all = response.getAccepted() + response.getRefused();
        if (refused > 0) {
            // The first say why blocks were refused, the others which are in memory, or on their way. An older service
            // does
            // not say how many are of the first kind: at most one for each refused block.
            int reasons = response.hasRefusalMessages() ? response.getRefusalMessages() : refused;
            response.getMessagesList().stream().limit(reasons).forEach(this::addFailure);
            failed += refused;
        }
        await(all - refused);
        done += response.getInMemory();
        if (!open.isEmpty()) {
            addFailure(open.size() + (open.size() == 1 ? " move is" : " moves are") + " not done after "
                    + Quantity.millis(timeoutMs) + " and will go on; see status and explain");
        }
        boolean ok = all > 0 && done == all;
        if (json != null) {
            ObjectNode outcome = json.putObject("wait");
            outcome.put("inMemory", done).put("failed", failed).put("open", open.size());
            ArrayNode messages = outcome.putArray("messages");
            failures.forEach(messages::add);
            printer.json(json);
        } else {
            print(all, ok);
        }
        return ok;
    }

    private void await(int total) throws Refused, Unreachable, InterruptedException {
        long beganNs = System.nanoTime();
        try (ProgressLine progress = new ProgressLine("promoting", total)) {
            while (!open.isEmpty()) {
                look();
                progress.at(total - open.size());
                long leftMs = timeoutMs - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
                if (open.isEmpty() || leftMs <= 0) {
                    return;
                }
                Thread.sleep(Math.min(POLL_MS, leftMs));
            }
        }
    }

    private void look() throws Refused, Unreachable {
        List<Long> asked = List.copyOf(open);
        for (int from = 0; from < asked.size(); from += MOVES_PER_CALL) {
            List<Long> some = asked.subList(from, Math.min(asked.size(), from + MOVES_PER_CALL));
            Map<Long, MoveProto> known = new LinkedHashMap<>();
            moves(some).getMovesList().forEach(move -> known.put(move.getId(), move));
            for (long id : some) {
                take(id, known.get(id));
            }
        }
    }

    private MovesResponseProto moves(List<Long> ids) throws Refused, Unreachable {
        try {
            return client.active(service -> service.moves(
                    null, MovesRequestProto.newBuilder().addAllIds(ids).build()));
        } catch (Refused e) {
            throw new Refused("the blocks were to be promoted, and what became of it is not known (" + e.getMessage()
                    + "); a failover ends the order: give the command again");
        }
    }

    private void take(long id, @Nullable MoveProto move) {
        if (move != null && !move.hasEndedAgoMs()) {
            return;
        }
        open.remove(id);
        if (move == null) {
            failed++;
            addFailure("move " + id + ": the service no longer knows it, as after a failover or very many other moves");
        } else if (move.getState().equals("done")) {
            done++;
        } else {
            failed++;
            String message = move.getMessage().isEmpty() ? outcome(move.getState()) : move.getMessage();
            addFailure("blk_" + move.getBlock().getBlockId() + " on " + move.getNode() + ": "
                    + move.getState().replace('_', ' ') + ": " + message);
        }
    }

    private static String outcome(String state) {
        for (MoveOutcome outcome : MoveOutcome.values()) {
            if (outcome.name().toLowerCase(Locale.ROOT).equals(state)) {
                return outcome.text();
            }
        }
        return state;
    }

    private void addFailure(String text) {
        if (failures.size() < MOST_SHOWN) {
            failures.add(text);
        }
    }

    private void print(int all, boolean ok) {
        if (ok) {
            printer.line(all == 1 ? "The block is in memory." : "All " + all + " blocks are in memory.");
            return;
        }
        printer.line(printer.doubtful(
                all == 0 ? "There is no block to promote." : done + " of " + all + " blocks are in memory."));
        for (String failure : failures) {
            Table.wrapped(failure).forEach(line -> printer.line("  " + line));
        }
    }
}
