package io.terrace.bench.tiers.media;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.FileOutputStream;
import java.io.RandomAccessFile;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MediumTest {

    @Test
    void nvm_takesWhatNvfsTook_andOthersTheirSeekAndTheirRate() {
        assertThat(Medium.of(StorageType.NVDIMM).takesNs(128L << 20)).isBetween(4_489_000L, 4_491_000L);
        assertThat(Medium.of(StorageType.SSD).takesNs(1_000_000)).isEqualTo(2_100_000);
        assertThat(Medium.of(StorageType.DISK).takesNs(1_500_000)).isEqualTo(18_000_000);
        assertThat(Medium.of(StorageType.ARCHIVE)).isEqualTo(Medium.of(StorageType.DISK));
        assertThat(Medium.described()).contains("4.49 ms for 128 MB", "150 MB/s", "500 MB/s");
    }

    @Test
    void writtenReplica_waitsForItsMediumWhenItIsClosed_andItsChecksumsDoNot(@TempDir Path dir) throws Exception {
        FsVolumeSpi disk = (FsVolumeSpi) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {FsVolumeSpi.class},
                (self, method, arguments) -> switch (method.getName()) {
                    case "getStorageType" -> StorageType.DISK;
                    case "getStorageID" -> "DS-1";
                    default -> null;
                });
        MediaFileIo io = new MediaFileIo(new Configuration(), null);
        long waitedNs = closes(io, disk, dir.resolve("blk_1").toFile());
        assertThat(waitedNs).isGreaterThanOrEqualTo(Medium.of(StorageType.DISK).takesNs(3_000));
        FileOutputStream sums = io.getFileOutputStream(
                disk,
                io.getRandomAccessFile(disk, dir.resolve("blk_1_7.meta").toFile(), "rw")
                        .getFD());
        assertThat(sums.getClass().getSimpleName()).isNotEqualTo("WrittenReplica");
        sums.close();
    }

    private static long closes(MediaFileIo io, FsVolumeSpi disk, File file) throws Exception {
        RandomAccessFile opened = io.getRandomAccessFile(disk, file, "rw");
        try (FileOutputStream out = io.getFileOutputStream(disk, opened.getFD())) {
            out.write(new byte[3_000]);
            long beganNs = System.nanoTime();
            out.close();
            return System.nanoTime() - beganNs;
        } finally {
            assertThat(file).hasSize(3_000);
        }
    }
}
