package io.terrace.placement.hdfs.admin;

import io.terrace.placement.hdfs.namesystem.NamesystemLookup;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup.FileFacts;
import io.terrace.placement.hdfs.namesystem.OperatorStateUpdater;
import io.terrace.placement.hdfs.namesystem.OperatorStateUpdater.Changed;
import io.terrace.placement.hdfs.namesystem.OperatorStateUpdater.Resolve;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Carries out {@code placementctl pin} and {@code unpin}; whoever calls has checked the caller's rights. Either takes
 * back the pins of files that have no path any more, for they could not be named.
 */
final class PinChanges {

    private final NamesystemLookup lookup;
    private final OperatorStateUpdater updater;

    PinChanges(NamesystemLookup lookup, OperatorStateUpdater updater) {
        this.lookup = lookup;
        this.updater = updater;
    }

    ChangeResponseProto pin(String target) throws IOException, TimeoutException, InterruptedException {
        FileFacts file = lookup.file(path(target));
        if (file.striped()) {
            throw new IllegalArgumentException(file.path() + " is erasure-coded; its blocks are not promoted");
        }
        if (file.blocks() == 0) {
            throw new IllegalArgumentException(file.path() + " is empty");
        }
        if (!lookup.gone(List.of(file.inode())).isEmpty()) {
            throw new IllegalArgumentException(target + " is deleted; a snapshot alone has it");
        }
        Changed changed = updater.change(state -> withoutGone(state).withPin(file.inode(), true), Resolve.IF_KEPT);
        return response(changed, 1, 0).build();
    }

    ChangeResponseProto unpin(String target) throws IOException, TimeoutException, InterruptedException {
        FileFacts file = find(path(target));
        Changed changed = updater.change(
                state -> file == null ? withoutGone(state) : withoutGone(state).withPin(file.inode(), false),
                Resolve.IF_KEPT);
        boolean pinned = file != null && changed.before().pins().containsKey(file.inode());
        int takenBack = changed.before().pins().size() - changed.after().pins().size();
        int gone = takenBack - (pinned ? 1 : 0);
        if (file == null && gone == 0) {
            throw new FileNotFoundException(target + " is no file");
        }
        ChangeResponseProto.Builder response = response(changed, takenBack, pinned ? 0 : 1);
        if (!pinned) {
            response.addMessages(target + (file == null ? " is no file" : " was not pinned"));
        }
        if (gone > 0) {
            response.addMessages("pins of files that are gone were taken back: " + gone);
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
            throw new IllegalArgumentException("files are pinned, not blocks: name a path");
        }
        return path;
    }

    private @Nullable FileFacts find(String path) throws IOException {
        try {
            return lookup.file(path);
        } catch (FileNotFoundException e) {
            return null;
        }
    }

    private OperatorState withoutGone(OperatorState state) {
        return state.withoutPins(lookup.gone(state.pins().keySet()));
    }
}
