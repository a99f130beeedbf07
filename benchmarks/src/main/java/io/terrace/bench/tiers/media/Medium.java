package io.terrace.bench.tiers.media;

import java.util.Locale;
import org.apache.hadoop.fs.StorageType;

/**
 * How fast a medium is read and written.
 *
 * @param openNs for each replica that is opened or written, which is the seek of a disk
 * @param bytesPerSecond from then on
 */
public record Medium(long openNs, long bytesPerSecond) {

    private static final Medium DISK = new Medium(8_000_000, 150_000_000);
    private static final Medium SSD = new Medium(100_000, 500_000_000);

    /** What a file system on NVM needed in the paper on NVFS: 4.49 ms to write a block of 128 MB. */
    private static final Medium NVM = new Medium(0, (long) ((128L << 20) / 4.49e-3));

    /** Of a storage type: a hard disk, an SSD on SATA or faster, or NVM. */
    public static Medium of(StorageType type) {
        return switch (type) {
            case NVDIMM, RAM_DISK -> NVM;
            case SSD -> SSD;
            case DISK, ARCHIVE, PROVIDED -> DISK;
        };
    }

    /** For a replica of so many bytes that is read to its end, or written. */
    long takesNs(long bytes) {
        return openNs + (long) (bytes * 1e9 / bytesPerSecond);
    }

    /** For people. */
    public static String described() {
        return "media: disk " + DISK + ", SSD " + SSD
                + ", NVM 4.49 ms for 128 MB (NVFS); for all reads through a DataNode and for what clients write, in all clusters"
                + " alike. A volume serves one request at a time. What a move writes waits for no medium, what it reads does";
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%.1f ms and %d MB/s", openNs / 1e6, bytesPerSecond / 1_000_000);
    }
}
