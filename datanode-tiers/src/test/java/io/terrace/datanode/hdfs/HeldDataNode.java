package io.terrace.datanode.hdfs;

import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;

/** A DataNode takes nothing in until this ends, or until its writer is stopped. */
final class HeldDataNode extends DataNodeFaultInjector {
    private final String writers;
    private final CountDownLatch over = new CountDownLatch(1);

    HeldDataNode(DatanodeInfo node) {
        this.writers = "terrace-write-" + node.getDatanodeUuid();
    }

    void end() {
        DataNodeFaultInjector.set(new DataNodeFaultInjector());
        over.countDown();
    }

    @Override
    public void delayWriteToDisk() {
        if (Thread.currentThread().getName().startsWith(writers)) {
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
