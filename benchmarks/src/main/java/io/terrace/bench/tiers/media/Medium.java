package io.terrace.bench.tiers.media;

import java.util.Locale;
import org.apache.hadoop.fs.StorageType;

/**
 * How fast a medium is read.
 *
 * @param openNs for each open of a replica, which is the seek of a disk
 * @param bytesPerSecond from then on
 */
public record Medium(long openNs, long bytesPerSecond) {

    private static final Medium DISK = new Medium(8_000_000, 150_000_000);
    private static final Medium SSD = new Medium(100_000, 500_000_000);

    /** Of a storage type: an SSD on SATA or faster, or a hard disk. */
    public static Medium of(StorageType type) {
        return type == StorageType.SSD || type == StorageType.NVDIMM ? SSD : DISK;
    }

    long readNs(long bytes) {
        return openNs + (long) (bytes * 1e9 / bytesPerSecond);
    }

    /** For people. */
    public static String described() {
        return "disk " + DISK + ", SSD " + SSD + "; a volume serves one request at a time, writes are not modelled";
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%.1f ms and %d MB/s", openNs / 1e6, bytesPerSecond / 1_000_000);
    }
}
