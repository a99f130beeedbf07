package io.terrace.bench.simulation.fault;

import io.terrace.bench.simulation.cluster.Replica;
import io.terrace.bench.simulation.kernel.MemoryChannel;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.replica.ReplicaSource;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Durable replicas with a missing check, for {@link Mutations}. */
abstract class MutatedSource implements ReplicaSource {

    private final ReplicaSource source;

    private MutatedSource(ReplicaSource source) {
        this.source = source;
    }

    @Override
    public @Nullable BlockVersion find(String pool, long blockId) {
        return source.find(pool, blockId);
    }

    @Override
    public OpenReplica open(BlockVersion block) throws IOException {
        return source.open(block);
    }

    @Override
    public boolean ifUnchanged(BlockVersion block, BooleanSupplier action) {
        return source.ifUnchanged(block, action);
    }

    @Override
    public void reportCorrupt(BlockVersion block) {
        source.reportCorrupt(block);
    }

    /** Computes the checksums from the bytes as they are, so that corrupt ones match. */
    static ReplicaSource withChecksumsOf(ReplicaSource source, LongFunction<byte @Nullable []> present) {
        return new MutatedSource(source) {
            @Override
            public OpenReplica open(BlockVersion block) throws IOException {
                OpenReplica replica = super.open(block);
                byte[] bytes = present.apply(block.key().blockId());
                return bytes == null
                        ? replica
                        : new AlteredReplica(replica, () -> {}) {
                            @Override
                            public ReadableByteChannel meta() {
                                return new MemoryChannel(
                                        new Replica(block.key().blockId(), 0, 0, bytes).meta,
                                        false,
                                        count -> count,
                                        () -> {});
                            }
                        };
            }
        };
    }

    /** Never closes the replicas it opens. */
    static ReplicaSource neverClosed(ReplicaSource source) {
        return new MutatedSource(source) {
            @Override
            public OpenReplica open(BlockVersion block) throws IOException {
                return new AlteredReplica(super.open(block), () -> {}) {
                    @Override
                    public void close() {
                        // Stays open until the process ends.
                    }
                };
            }
        };
    }

    /** Deletes the replica once it is copied. */
    static ReplicaSource deletedOnceCopied(ReplicaSource source, LongConsumer delete) {
        return new MutatedSource(source) {
            @Override
            public OpenReplica open(BlockVersion block) throws IOException {
                return new AlteredReplica(
                        super.open(block), () -> delete.accept(block.key().blockId()));
            }
        };
    }

    /** Treats every replica as unchanged. */
    static ReplicaSource neverChanged(ReplicaSource source) {
        return new MutatedSource(source) {
            @Override
            public boolean ifUnchanged(BlockVersion block, BooleanSupplier action) {
                return action.getAsBoolean();
            }
        };
    }

    private static class AlteredReplica implements OpenReplica {

        private final OpenReplica replica;
        private final Runnable copied;

        AlteredReplica(OpenReplica replica, Runnable copied) {
            this.replica = replica;
            this.copied = copied;
        }

        @Override
        public FileChannel data() {
            return replica.data();
        }

        @Override
        public ReadableByteChannel meta() {
            return replica.meta();
        }

        @Override
        public void dropPages() {
            copied.run();
        }

        @Override
        public void close() throws IOException {
            replica.close();
        }
    }
}
