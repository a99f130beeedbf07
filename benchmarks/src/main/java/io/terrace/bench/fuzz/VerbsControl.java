package io.terrace.bench.fuzz;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.verbs.device.ControlFrame;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/** A frame as the device hands it over: the first byte says how far the received length is from the true one. */
final class VerbsControl implements FuzzTarget {

    @Override
    public List<byte[]> seeds() {
        ByteBuffer frame = ByteBuffer.allocate(1 + ControlFrame.HEADER_BYTES + 3);
        ControlFrame.put(frame, 1, ControlFrame.MESSAGE, 2, 7, ByteBuffer.wrap(new byte[] {1, 2, 3}));
        ByteBuffer credit = ByteBuffer.allocate(1 + ControlFrame.HEADER_BYTES);
        ControlFrame.put(credit, 1, ControlFrame.CREDIT, 1, 0, ByteBuffer.allocate(0));
        return List.of(frame.array(), credit.array());
    }

    @Override
    public void read(byte[] input) {
        if (input.length == 0) {
            return;
        }
        // The buffer that was posted has room for a whole frame, whatever came.
        byte[] posted = Arrays.copyOf(Arrays.copyOfRange(input, 1, input.length), ControlFrame.FRAME_BYTES);
        int received = input.length - 1 + input[0];
        try {
            ControlFrame frame = ControlFrame.get(ByteBuffer.wrap(posted), 0, received);
            FuzzTarget.require(
                    frame.bodyBytes() >= 0 && ControlFrame.HEADER_BYTES + frame.bodyBytes() <= received,
                    "a body of " + frame.bodyBytes() + " bytes in " + received);
            frame.requireExpected((posted[0] & 1) == 0, (posted[0] & 2) == 0);
        } catch (MalformedMessageException e) {
            // Refused.
        }
    }
}
