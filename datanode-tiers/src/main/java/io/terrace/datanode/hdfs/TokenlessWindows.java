package io.terrace.datanode.hdfs;

import io.terrace.channel.write.LandingWindow;
import io.terrace.channel.write.LandingWindows;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/** Landing windows for as long as no block tokens are needed, as {@link TokenlessVerbs} is for reads. Thread-safe. */
record TokenlessWindows(LandingWindows rdma, BooleanSupplier tokens) implements LandingWindows {
    @Override
    public String where() {
        return tokens.getAsBoolean() ? "" : rdma.where();
    }

    @Override
    public LandingWindow open(String owner) throws IOException {
        if (tokens.getAsBoolean()) {
            throw new IOException(VerbsServing.UNTRUSTED);
        }
        return rdma.open(owner);
    }
}
