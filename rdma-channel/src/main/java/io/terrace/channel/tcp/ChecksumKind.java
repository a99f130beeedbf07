package io.terrace.channel.tcp;

import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/** How the checksums of a block were computed. The order of the constants is on the wire; only append. */
public enum ChecksumKind {
    NONE {
        @Override
        Checksum start() {
            throw new IllegalStateException("no checksums to compare with");
        }
    },
    CRC32 {
        @Override
        Checksum start() {
            return new CRC32();
        }
    },
    CRC32C {
        @Override
        Checksum start() {
            return new CRC32C();
        }
    };

    /** The JDK computes both with instructions made for it. */
    abstract Checksum start();
}
