package io.terrace.datanode.heartbeat;

import java.util.ArrayList;
import java.util.List;

/**
 * Reads of one block by the host of the reader. The first {@value #MOST} hosts are told apart; reads by others are left out.
 * Guarded by the {@link HeatStripe} that it is in.
 */
final class ReaderCounts {

    static final int MOST = 4;

    private final String[] hosts = new String[MOST];
    private final long[] reads = new long[MOST];
    private int known;

    void add(String host, long more) {
        int at = 0;
        while (at < known && !hosts[at].equals(host)) {
            at++;
        }
        if (at == MOST) {
            return;
        }
        if (at == known) {
            hosts[known++] = host;
        }
        reads[at] += more;
    }

    List<HeatTable.Reader> list() {
        List<HeatTable.Reader> list = new ArrayList<>(known);
        for (int i = 0; i < known; i++) {
            list.add(new HeatTable.Reader(hosts[i], reads[i]));
        }
        return list;
    }
}
