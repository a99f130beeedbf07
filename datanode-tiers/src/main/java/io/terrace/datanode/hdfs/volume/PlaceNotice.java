package io.terrace.datanode.hdfs.volume;

import java.util.ConcurrentModificationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the NameNodes where a replica is now. The map has the new place already, so this must not fail: what it cannot tell, the
 * next block report does.
 *
 * <p>Stock forgets without a lock what waits for a NameNode ({@code IncrementalBlockReportManager.clearIBRs}) when the DataNode
 * registers with it again. Who adds something at that time fails, and NameNodes that come later in the list are not told. To
 * tell all of them again changes nothing for those that know.
 */
final class PlaceNotice {

    /** One registration disturbs one or two of them. */
    static final int ATTEMPTS = 16;

    private static final Logger LOG = LoggerFactory.getLogger(PlaceNotice.class);

    private PlaceNotice() {}

    /**
     * @param replica for the log
     * @param notice by stock
     */
    static void tell(Object replica, Runnable notice) {
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            try {
                notice.run();
                return;
            } catch (ConcurrentModificationException e) {
                if (attempt == ATTEMPTS) {
                    untold(replica, e);
                }
            } catch (RuntimeException e) {
                untold(replica, e);
                return;
            }
        }
    }

    private static void untold(Object replica, RuntimeException e) {
        LOG.warn(
                "Could not tell the NameNodes that {} moved. They learn it from the next block report. To send one now: hdfs"
                        + " dfsadmin -triggerBlockReport",
                replica,
                e);
    }
}
