package io.terrace.channel.verbs.rdmacore;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.SVCRegMr;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Registers a range of memory; DiSNI counts its length in an int, so it is shorter than 2 GB. */
final class RegisterCall extends SVCRegMr {
    private final Handles.Domain domain;
    private final long address;
    private final int lengthBytes;
    private final int access;
    private @Nullable IbvMr region;

    RegisterCall(Handles.Domain domain, long address, int lengthBytes, int access) {
        this.domain = domain;
        this.address = address;
        this.lengthBytes = lengthBytes;
        this.access = access;
    }

    @Override
    public SVCRegMr execute() throws IOException {
        long made =
                RdmaCoreVerbs.made("ibv_reg_mr", Libibverbs.ibv_reg_mr(domain.address, address, lengthBytes, access));
        region = new Handles.Region(domain, address, lengthBytes, access, made);
        return this;
    }

    @Override
    public IbvMr getMr() {
        if (region == null) {
            throw new IllegalStateException("not executed");
        }
        return region;
    }

    @Override
    public boolean isValid() {
        return true;
    }

    @Override
    public SVCRegMr free() {
        return this;
    }
}
