package io.terrace.bench.fuzz;

import io.terrace.policy.replay.TraceFormat;
import io.terrace.policy.replay.TraceFormatException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Lines of the access log, which a cut or a later version may have changed. */
final class AccessLogs implements FuzzTarget {

    @Override
    public List<byte[]> seeds() {
        StringBuilder line = new StringBuilder();
        TraceFormat.append(line, 1_700_000_000_000L, 1073741825L, 1 << 20, false, 1 << 27);
        return List.of(
                line.toString().getBytes(StandardCharsets.UTF_8),
                (line + "\n0,2,3,W,4,more,columns\n,,,,\n").getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void read(byte[] input) {
        TraceFormat row = TraceFormat.lenient("fuzz");
        int number = 1;
        for (String line : new String(input, StandardCharsets.UTF_8).split("\n", -1)) {
            try {
                if (row.parse(line, number++)) {
                    FuzzTarget.require(row.bytes() >= 0 && row.sizeBytes() >= 0, "an access of no length");
                }
            } catch (TraceFormatException e) {
                FuzzTarget.require(e.getMessage() != null, "a refusal without a reason");
            }
        }
    }
}
