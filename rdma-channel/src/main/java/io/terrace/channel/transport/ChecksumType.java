package io.terrace.channel.transport;

import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/** How the checksums of a block were computed. The order of the constants is on the wire; only append. */
public enum ChecksumType {
    NONE {
        @Override
        public Checksum start() {
            throw new IllegalStateException("no checksums to compare with");
        }
    },
    CRC32 {
        @Override
        public Checksum start() {
            return new CRC32();
        }
    },
    CRC32C {
        @Override
        public Checksum start() {
            return new CRC32C();
        }
    };

    /** One to compute with, by the JDK, which has instructions made for both. */
    public abstract Checksum start();
}
