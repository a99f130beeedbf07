package io.terrace.bench.fuzz;

import io.terrace.policy.replay.Trace;
import io.terrace.policy.replay.TraceFormat;
import io.terrace.policy.replay.TraceFormatException;
import io.terrace.policy.replay.TraceReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Traces of accesses. */
final class Traces implements FuzzTarget {

    @Override
    public List<byte[]> seeds() {
        return List.of(
                bytes(TraceFormat.HEADER + "\n0,a,100,R,1000,j1\n1.5,b,20,W,20,\n"),
                bytes(TraceFormat.HEADER + "\n\n0.001,1073741825,134217728,R,134217728,\n"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void read(byte[] input) throws IOException {
        try {
            Trace trace = TraceReader.read("fuzz", new StringReader(new String(input, StandardCharsets.UTF_8)));
            FuzzTarget.require(trace.rows() >= 0, "a trace of no length");
        } catch (TraceFormatException e) {
            FuzzTarget.require(e.getMessage() != null, "a refusal without a reason");
        }
    }
}
