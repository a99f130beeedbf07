package io.terrace.channel;

import java.util.List;
import java.util.Objects;

/**
 * One control message between a client and a DataNode. {@link MessageCodec} gives each its bytes.
 *
 * <p>A client opens with {@link Hello} and is told where the slot table and the links are ({@link Welcome}). It asks
 * ({@link Ask}) and gets a {@link Granted} or {@link Refused} with the number of its request, says {@link Opened} once it
 * has the file, renews and releases, and reports what it read. The DataNode may ask for an extent back at any time
 * ({@link Revoke}); the client answers {@link Revoked} when its reads in progress have ended.
 *
 * <p>A client that writes opens with {@link StartWrites} instead.
 */
public sealed interface Message {
    /** First message of a client. */
    record Hello(String client) implements Message {
        public Hello {
            Objects.requireNonNull(client, "client");
        }
    }

    /**
     * The DataNode's answer to {@link Hello}.
     *
     * @param datanode its uuid
     * @param slotTable path of the slot table on this host
     * @param incarnation the table's, to tell it from an earlier process's
     * @param links path of the directory that links lie in
     */
    record Welcome(String datanode, String slotTable, long incarnation, String links) implements Message {
        public Welcome {
            Objects.requireNonNull(datanode, "datanode");
            Objects.requireNonNull(slotTable, "slotTable");
            Objects.requireNonNull(links, "links");
        }
    }

    /** Asks for a grant; the answer carries the same number. */
    record Ask(long requestId, GrantRequest request) implements Message {
        public Ask {
            Objects.requireNonNull(request, "request");
        }
    }

    record Granted(long requestId, Grant grant) implements Message {
        public Granted {
            Objects.requireNonNull(grant, "grant");
        }
    }

    record Refused(long requestId, Refusal refusal) implements Message {
        public Refused {
            Objects.requireNonNull(refusal, "refusal");
        }
    }

    /** The client has the extent file open; its link may go. */
    record Opened(long grantId) implements Message {}

    /** The client reads through these no more. */
    record Release(List<Long> grantIds) implements Message {
        public Release {
            grantIds = List.copyOf(grantIds);
        }
    }

    /** The client still uses these. */
    record Renew(List<Long> grantIds) implements Message {
        public Renew {
            grantIds = List.copyOf(grantIds);
        }
    }

    /** New leases; a grant with a lease of 0 keeps the one it has and is not renewed again. */
    record Renewed(List<Lease> leases) implements Message {
        public Renewed {
            leases = List.copyOf(leases);
        }
    }

    /** A grant's lease, counted by the client from when it asked. */
    record Lease(long grantId, long leaseMs) {}

    /** The DataNode wants the extent back. */
    record Revoke(long grantId, int slot, long sequence) implements Message {}

    /** No read through the grant is in progress, and none will begin. */
    record Revoked(long grantId) implements Message {}

    /** What was read since the last report; an empty one only says that the client lives. */
    record Report(List<ReadReport> reports) implements Message {
        public Report {
            reports = List.copyOf(reports);
        }
    }

    /** The client ends in order: everything is reported. */
    record Goodbye() implements Message {}

    /**
     * First message of a client of the same host that writes blocks. It is not answered. What follows are the frames of {@code
     * channel.write}.
     */
    record StartWrites() implements Message {}
}
