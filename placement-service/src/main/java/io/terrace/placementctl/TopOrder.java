package io.terrace.placementctl;

import io.terrace.protocol.proto.AdminProtos.HotBlockProto;
import io.terrace.protocol.proto.AdminProtos.TopResponseProto;
import java.util.Comparator;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Which blocks {@code placementctl top} shows first. */
enum TopOrder {
    HEAT(Comparator.comparing(HotBlockProto::getHeat)),
    READS(Comparator.comparing(HotBlockProto::getReads)),
    BYTES(Comparator.comparing(HotBlockProto::getBytesRead));

    private final Comparator<HotBlockProto> least;

    TopOrder(Comparator<HotBlockProto> least) {
        this.least = least;
    }

    /** As on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The first of an answer's blocks in this order.
     *
     * @param path of a file or directory that they must be below; null for any
     */
    TopResponseProto choose(TopResponseProto answer, @Nullable String path, int count) {
        TopResponseProto.Builder chosen = answer.toBuilder().clearBlocks();
        answer.getBlocksList().stream()
                .filter(block -> path == null || block.hasPath() && isBelow(block.getPath(), path))
                .sorted(least.reversed())
                .limit(count)
                .forEach(chosen::addBlocks);
        return chosen.build();
    }

    private static boolean isBelow(String path, String directory) {
        return path.equals(directory) || path.startsWith(directory.endsWith("/") ? directory : directory + "/");
    }
}
