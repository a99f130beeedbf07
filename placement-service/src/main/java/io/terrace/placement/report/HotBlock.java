package io.terrace.placement.report;

import io.terrace.protocol.StampedBlock;
import org.jspecify.annotations.Nullable;

/** One of the hottest blocks. */
public record HotBlock(
        StampedBlock block,
        double heat,
        long reads,
        long bytesRead,
        long bytesFromMemory,
        long lastReadAgoMs,
        @Nullable String home,
        boolean inMemory) {}
