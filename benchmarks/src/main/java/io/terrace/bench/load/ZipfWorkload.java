package io.terrace.bench.load;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * Reads of one size at aligned random positions, of blocks drawn by Zipf's law: which block is how popular is drawn from
 * the seed too, so popular blocks lie anywhere in the data. Endless.
 */
public final class ZipfWorkload implements Workload {
    /** One block of a file. */
    private record Piece(int file, long position, long lengthBytes) {}

    private final List<Piece> byRank;
    private final Zipf zipf;
    private final SplittableRandom random;
    private final int readBytes;

    /**
     * @param blockBytes what is drawn by rank: the cluster's block size
     * @param readBytes size of a read; less where a block is shorter
     */
    public ZipfWorkload(DataSet data, long blockBytes, int readBytes, double skew, long seed) {
        List<Piece> pieces = new ArrayList<>();
        for (int file = 0; file < data.files().size(); file++) {
            long length = data.files().get(file).lengthBytes();
            for (long at = 0; at < length; at += blockBytes) {
                pieces.add(new Piece(file, at, Math.min(blockBytes, length - at)));
            }
        }
        Collections.shuffle(pieces, new Random(seed));
        this.byRank = pieces;
        this.zipf = new Zipf(pieces.size(), skew);
        this.random = new SplittableRandom(seed);
        this.readBytes = readBytes;
    }

    @Override
    public Optional<Step> next() {
        Piece piece = byRank.get(zipf.draw(random));
        long aligned = Math.max(1, piece.lengthBytes / readBytes);
        long offset = random.nextLong(aligned) * readBytes;
        long length = Math.min(readBytes, piece.lengthBytes - offset);
        return Optional.of(new Step(Step.Kind.READ, piece.file, piece.position + offset, length));
    }
}
