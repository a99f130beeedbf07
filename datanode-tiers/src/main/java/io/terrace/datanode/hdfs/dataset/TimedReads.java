package io.terrace.datanode.hdfs.dataset;

import io.terrace.datanode.heartbeat.AccessRecorder;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads of replicas by stock clients over the DataNode's socket: counted as they begin, and with bytes and time at their end. */
public final class TimedReads {

    private static final Logger LOG = LoggerFactory.getLogger(TimedReads.class);

    private final AccessRecorder accessRecorder;
    private final LongSupplier nanoClock;

    public TimedReads(AccessRecorder accessRecorder, LongSupplier nanoClock) {
        this.accessRecorder = accessRecorder;
        this.nanoClock = nanoClock;
    }

    /**
     * The stream that stock opened, as it should be handed out.
     *
     * @param openNs how long stock took to open it
     */
    public InputStream opened(String pool, long blockId, InputStream stock, long openNs) {
        accessRecorder.stockReadBegan(pool, blockId, false);
        if (stock instanceof FileInputStream file) {
            try {
                return CountedStream.of(
                        file,
                        nanoClock,
                        (bytes, readNs) -> accessRecorder.stockReadEnded(pool, blockId, bytes, false, openNs + readNs));
            } catch (IOException e) {
                LOG.debug("The bytes of this read are not counted", e);
            }
        }
        return stock;
    }
}
