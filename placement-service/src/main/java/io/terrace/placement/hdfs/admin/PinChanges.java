package io.terrace.placement.hdfs.admin;

import io.terrace.placement.hdfs.namesystem.NamesystemLookup;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup.FileFacts;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup.Present;
import io.terrace.placement.hdfs.namesystem.OperatorStateUpdater;
import io.terrace.placement.hdfs.namesystem.OperatorStateUpdater.Changed;
import io.terrace.placement.hdfs.namesystem.OperatorStateUpdater.Resolve;
import io.terrace.placement.state.OperatorState;
import io.terrace.placement.state.OperatorState.Order;
import io.terrace.placement.state.OperatorState.Pin;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Carries out {@code placementctl pin} and {@code unpin}; whoever calls has checked the caller's rights. Either takes
 * back the pins of what has no path any more, for it could not be named.
 */
final class PinChanges {

    private static final long LONGEST_TTL_MS = 3650L * 24 * 3_600_000;

    private final NamesystemLookup lookup;
    private final OperatorStateUpdater updater;

    PinChanges(NamesystemLookup lookup, OperatorStateUpdater updater) {
        this.lookup = lookup;
        this.updater = updater;
    }

    /** @param user who pins */
    ChangeResponseProto pin(ChangeRequestProto request, String user)
            throws IOException, TimeoutException, InterruptedException {
        String path = path(request.getTarget());
        long nowMs = System.currentTimeMillis();
        long untilMs = request.hasTtlMs() ? nowMs + ttl(request.getTtlMs()) : 0;
        Present directory = lookup.present(path);
        Pin pin;
        long inode;
        if (directory != null && directory.directory()) {
            checkDirectory(path, request.getRecursive());
            inode = directory.inode();
            pin = new Pin(new Order(user, nowMs), untilMs, true);
        } else {
            inode = file(path).inode();
            pin = new Pin(new Order(user, nowMs), untilMs, false);
        }
        Changed changed = updater.change(state -> withoutGone(state).withPin(inode, pin), Resolve.IF_KEPT);
        return response(changed, 1, 0).build();
    }

    private static long ttl(long ttlMs) {
        if (ttlMs <= 0 || ttlMs > LONGEST_TTL_MS) {
            throw new IllegalArgumentException(
                    "a pin lasts for more than 0 s and at most 3650d; without a time it lasts until unpin");
        }
        return ttlMs;
    }

    private static void checkDirectory(String path, boolean recursive) {
        if (!recursive) {
            throw new IllegalArgumentException(path + " is a directory; --recursive pins all files below it");
        }
        if (path.equals("/")) {
            throw new IllegalArgumentException(
                    "/ takes in every file, and not all fit memory; pin directories below it, or leave it to the"
                            + " policy");
        }
    }

    private FileFacts file(String path) throws IOException {
        FileFacts file = lookup.file(path);
        if (file.striped()) {
            throw new IllegalArgumentException(file.path() + " is erasure-coded; its blocks are not promoted");
        }
        if (file.blocks() == 0) {
            throw new IllegalArgumentException(file.path() + " is empty");
        }
        if (!lookup.gone(List.of(file.inode())).isEmpty()) {
            throw new IllegalArgumentException(path + " is deleted; a snapshot alone has it");
        }
        return file;
    }

    ChangeResponseProto unpin(String target) throws IOException, TimeoutException, InterruptedException {
        Long inode = find(path(target));
        Changed changed = updater.change(
                state -> inode == null ? withoutGone(state) : withoutGone(state).withoutPins(List.of(inode)),
                Resolve.IF_KEPT);
        boolean pinned = inode != null && changed.before().pins().containsKey(inode);
        int takenBack = changed.before().pins().size() - changed.after().pins().size();
        int gone = takenBack - (pinned ? 1 : 0);
        if (inode == null && gone == 0) {
            throw new FileNotFoundException(target + " is no file or directory");
        }
        ChangeResponseProto.Builder response = response(changed, takenBack, pinned ? 0 : 1);
        if (!pinned) {
            response.addMessages(target + (inode == null ? " is no file or directory" : " was not pinned"));
        }
        if (gone > 0) {
            response.addMessages("pins of what is gone were taken back: " + gone);
        }
        return response.build();
    }

    /** With what is to be said of the change as a whole. */
    private static ChangeResponseProto.Builder response(Changed changed, int accepted, int refused) {
        ChangeResponseProto.Builder response =
                ChangeResponseProto.newBuilder().setAccepted(accepted).setRefused(refused);
        String error = changed.error();
        return error == null ? response : response.addMessages(error);
    }

    private static String path(String target) {
        String path = AdminTarget.parse(target).path();
        if (path == null) {
            throw new IllegalArgumentException("files and directories are pinned, not blocks: name a path");
        }
        return path;
    }

    /** Id of the file or directory; also of a file that is named through a snapshot. */
    private @Nullable Long find(String path) throws IOException {
        Present present = lookup.present(path);
        if (present != null) {
            return present.inode();
        }
        try {
            return lookup.file(path).inode();
        } catch (FileNotFoundException e) {
            return null;
        }
    }

    private OperatorState withoutGone(OperatorState state) {
        return state.withoutPins(lookup.gone(state.pins().keySet()));
    }
}
