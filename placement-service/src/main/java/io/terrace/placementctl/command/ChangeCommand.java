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
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A command that changes something: it sends one verb and says what became of it. */
public abstract class ChangeCommand extends AdminCommand {

    protected abstract ChangeRequestProto request();

    protected abstract String done(ChangeResponseProto response);

    @Override
    protected int run(AdminClient client, Printer printer) throws Refused, Unreachable, InterruptedException {
        ChangeRequestProto request = request();
        ChangeResponseProto response = client.active(service -> service.change(null, request));
        boolean refused = response.getAccepted() == 0;
        if (cluster().json) {
            printer.json(json(request, response));
        } else {
            printer.line(refused ? printer.doubtful(nothing(response)) : done(response));
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
