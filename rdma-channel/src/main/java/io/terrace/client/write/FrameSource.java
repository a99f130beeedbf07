package io.terrace.client.write;

import org.jspecify.annotations.Nullable;

/** Where a block's frames come from while it is sent. */
interface FrameSource {
    /** The next frame to send; null when there is none. */
    @Nullable
    DataFrame poll();

    /** All replicas have this frame's data. */
    void acked(DataFrame frame);
}
