package io.terrace.placementctl.command;

import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import io.terrace.protocol.proto.AdminProtos.VerbProto;

/** A change of everything, which needs no words but its verb. */
public abstract class SwitchCommand extends ChangeCommand {

    private final VerbProto verb;
    private final String done;

    protected SwitchCommand(VerbProto verb, String done) {
        this.verb = verb;
        this.done = done;
    }

    @Override
    protected ChangeRequestProto request() {
        return of(verb, null);
    }

    @Override
    protected String done(ChangeResponseProto response) {
        return done;
    }
}
