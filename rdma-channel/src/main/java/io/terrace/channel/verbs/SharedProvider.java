package io.terrace.channel.verbs;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What this process, a client, has of RDMA: found out once and kept. */
public final class SharedProvider {
    private static boolean tried;
    private static @Nullable VerbsProvider provider;

    private SharedProvider() {}

    /**
     * The provider of this process; null where it has no RDMA, for which one log line says why.
     *
     * @param libdisni whether DiSNI's own native library is used; the first who asks decides
     */
    public static synchronized @Nullable VerbsProvider get(boolean libdisni) {
        if (!tried) {
            tried = true;
            try {
                provider = VerbsProvider.open(VerbsLimits.DEFAULT, new VerbsOptions(libdisni, false));
                VerbsProvider.LOG.info("Exchanging data with other hosts by RDMA");
            } catch (IOException | RuntimeException | LinkageError e) {
                VerbsProvider.LOG.info("Exchanging data with other hosts over tcp: {}", String.valueOf(e.getMessage()));
            }
        }
        return provider;
    }
}
