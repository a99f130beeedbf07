package io.terrace.datanode.hdfs.volume;

import io.terrace.common.StorageTier;
import org.apache.hadoop.fs.StorageType;
import org.jspecify.annotations.Nullable;

/** Tiers as HDFS's storage types, and back. */
public final class StorageTiers {

    private StorageTiers() {}

    /** The tier of replicas on volumes of this type. */
    public static StorageTier of(StorageType type) {
        return switch (type) {
            case RAM_DISK -> StorageTier.MEMORY;
            case NVDIMM -> StorageTier.NVM;
            case SSD -> StorageTier.SSD;
            case ARCHIVE -> StorageTier.ARCHIVE;
            case DISK, PROVIDED -> StorageTier.DISK;
        };
    }

    /** The type of the tier's volumes; null for memory, where only copies are. */
    public static @Nullable StorageType volumesOf(StorageTier tier) {
        return switch (tier) {
            case MEMORY -> null;
            case NVM -> StorageType.NVDIMM;
            case SSD -> StorageType.SSD;
            case DISK -> StorageType.DISK;
            case ARCHIVE -> StorageType.ARCHIVE;
        };
    }
}
