package io.terrace.datanode.write;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How fast this DataNode receives what a client writes, for each host of clients, and what a DataNode sends on: a decayed mean
 * over some hundred megabytes.
 * The {@value #MOST_SENDERS} senders that changed last are kept. Thread-safe.
 */
public final class ClientSpeeds {
    /** Stands for clients on the DataNode's own host. */
    public static final String OWN_HOST = "";

    static final int MOST_SENDERS = 1_024;

    /** What is measured at once; less says little. */
    static final long SAMPLE_BYTES = 4L << 20;

    /** Of what was measured before, with each sample. */
    private static final double KEPT = 0.8;

    /**
     * Who sends.
     *
     * @param host its address
     * @param forwards whether it is a DataNode that sends blocks on
     */
    public record Sender(String host, boolean forwards) {}

    /**
     * The speed of a sender.
     *
     * @param samples that it is the mean of
     * @param change grows with each change of the table
     */
    public record Speed(Sender sender, long bytesPerSecond, int samples, long change) {}

    private static final class Mean {
        private double bytes;
        private double ns;
        private long newBytes;
        private long newNs;
        private int samples;
        private long change;

        private boolean add(long moreBytes, long moreNs) {
            newBytes += moreBytes;
            newNs += moreNs;
            if (newBytes < SAMPLE_BYTES) {
                return false;
            }
            bytes = bytes * KEPT + newBytes;
            ns = ns * KEPT + Math.max(1, newNs);
            newBytes = 0;
            newNs = 0;
            samples = Math.min(samples, Integer.MAX_VALUE - 1) + 1;
            return true;
        }

        private long bytesPerSecond() {
            return Math.max(1, (long) (bytes / ns * 1e9));
        }
    }

    /** In the order of their changes, the latest at the end; those without a whole sample are anywhere. */
    private final LinkedHashMap<Sender, Mean> senders = new LinkedHashMap<>();

    private long changes;

    /** So much was received in that time, in which the client sent as fast as it could. */
    public synchronized void received(Sender sender, long bytes, long tookNs) {
        Mean mean = senders.get(sender);
        if (mean == null) {
            mean = new Mean();
            senders.put(sender, mean);
            dropEldest();
        }
        if (mean.add(bytes, tookNs)) {
            mean.change = ++changes;
            senders.remove(sender);
            senders.put(sender, mean);
        }
    }

    private void dropEldest() {
        if (senders.size() > MOST_SENDERS) {
            Iterator<Sender> eldest = senders.keySet().iterator();
            eldest.next();
            eldest.remove();
        }
    }

    /**
     * What has changed, the earliest first.
     *
     * @param change of the last one that is known
     */
    public synchronized List<Speed> changedSince(long change, int most) {
        List<Speed> changed = new ArrayList<>();
        if (change == changes) {
            return changed;
        }
        for (Map.Entry<Sender, Mean> each : senders.entrySet()) {
            Mean mean = each.getValue();
            if (mean.change > change && changed.size() < most) {
                changed.add(new Speed(each.getKey(), mean.bytesPerSecond(), mean.samples, mean.change));
            }
        }
        return changed;
    }
}
