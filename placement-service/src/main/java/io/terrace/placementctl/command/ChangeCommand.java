package io.terrace.placementctl.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A command that changes something: it sends one verb and says what became of it. */
public abstract class ChangeCommand extends AdminCommand {

    /** Of these some blocks may be refused and others not. */
    private static final Set<VerbProto> BY_BLOCK = EnumSet.of(VerbProto.PROMOTE_NOW, VerbProto.DEMOTE_NOW);

    protected abstract ChangeRequestProto request();

    protected abstract String done(ChangeResponseProto response);

    @Override
    protected int run(AdminClient client, Printer printer) throws Refused, Unreachable, InterruptedException {
        ChangeRequestProto request = request();
        ChangeResponseProto response = client.active(service -> service.change(null, request));
        int harmless = response.getInMemory() + response.getOpenMoveIdsCount();
        boolean nothing = response.getAccepted() == 0 && harmless == 0;
        boolean refused = nothing || BY_BLOCK.contains(request.getVerb()) && response.getRefused() > harmless;
        if (cluster().json) {
            printer.json(json(request, response));
        } else {
            if (nothing || response.getAccepted() == 0 && refused) {
                printer.line(printer.doubtful(nothing(response)));
            } else if (response.getAccepted() > 0) {
                String done = done(response);
                printer.line(refused ? printer.doubtful(done) : done);
            }
            if (harmless > 0) {
                printer.line(
                        blocks(harmless) + (harmless == 1 ? " is" : " are") + " in memory already, or on their way.");
            }
            response.getMessagesList().forEach(message -> printer.line("  " + Table.printable(message)));
            int unnamed = response.getRefused() - response.getMessagesCount();
            if (unnamed > 0) {
                printer.line("  and " + unnamed + " more");
            }
        }
        return refused ? ExitCode.REFUSED : ExitCode.OK;
    }

    private static String nothing(ChangeResponseProto response) {
        return response.getRefused() > 0 ? "Refused; nothing was changed." : "Nothing to do.";
    }

    protected static ObjectNode json(ChangeRequestProto request, ChangeResponseProto response) {
        return ProtoJson.object(response)
                .put("verb", request.getVerb().name().toLowerCase(Locale.ROOT).replace("_now", ""));
    }

    protected static ChangeRequestProto of(VerbProto verb, @Nullable String target) {
        ChangeRequestProto.Builder request = ChangeRequestProto.newBuilder().setVerb(verb);
        return target == null ? request.build() : request.setTarget(target).build();
    }

    protected static String blocks(int count) {
        return count + (count == 1 ? " block" : " blocks");
    }
}
