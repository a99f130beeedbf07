package io.terrace.channel.verbs.rdmacore;

import com.ibm.disni.verbs.SVCDeregMr;
import java.io.IOException;

/** Deregisters a range, once. */
final class DeregisterCall extends SVCDeregMr {
    private final Handles.Region region;

    DeregisterCall(Handles.Region region) {
        this.region = region;
    }

    @Override
    public SVCDeregMr execute() throws IOException {
        if (!region.isOpen()) {
            throw new IOException("deregistered already");
        }
        region.close();
        RdmaCoreVerbs.require("ibv_dereg_mr", Libibverbs.ibv_dereg_mr(region.structure));
        return this;
    }

    @Override
    public boolean isValid() {
        return region.isOpen();
    }

    @Override
    public SVCDeregMr free() {
        return this;
    }
}
