package io.terrace.channel.verbs.rdmacore;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * DiSNI's provider over rdma-core. DiSNI makes its own provider, which needs libdisni, when none has been chosen, and
 * keeps the choice in a private field: {@link #install} puts this one there.
 */
public final class RdmaCore extends RdmaProvider {
    private static final int LAYOUT_VERSION = 1;

    private final RdmaCoreCm cm = new RdmaCoreCm();
    private final RdmaCoreVerbs verbs = new RdmaCoreVerbs();

    private RdmaCore() {}

    /** Whether DiSNI's API stands on rdma-core in this process. */
    public static boolean isInstalled() throws IOException {
        synchronized (RdmaProvider.class) {
            return chosen(null) instanceof RdmaCore;
        }
    }

    /**
     * Makes this the provider of DiSNI's API in this process, unless one is chosen already.
     *
     * @throws IOException when the machine is of another kind than {@link Layout}, or there is no RDMA device
     * @throws LinkageError when a library is missing
     */
    public static void install() throws IOException {
        if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN
                || !"64".equals(System.getProperty("sun.arch.data.model"))) {
            throw new IOException("RDMA is supported on 64-bit little-endian Linux only");
        }
        if (RdmaCoreVerbs.deviceNames().isEmpty()) {
            throw new IOException("there is no RDMA device");
        }
        synchronized (RdmaProvider.class) {
            Object unused = chosen(new RdmaCore());
        }
    }

    /** The provider that DiSNI has; sets it to this one first when there is none and one is given. */
    private static @Nullable Object chosen(@Nullable RdmaCore otherwise) throws IOException {
        try {
            Field chosen = RdmaProvider.class.getDeclaredField("provider");
            chosen.setAccessible(true);
            if (chosen.get(null) == null && otherwise != null) {
                chosen.set(null, otherwise);
            }
            return chosen.get(null);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new IOException("this DiSNI takes no other provider than its own", e);
        }
    }

    @Override
    public RdmaCm openCm() {
        return cm;
    }

    @Override
    public RdmaVerbs openVerbs() {
        return verbs;
    }

    @Override
    public int getVersion() {
        return LAYOUT_VERSION;
    }
}
