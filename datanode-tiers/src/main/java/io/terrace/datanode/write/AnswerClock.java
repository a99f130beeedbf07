package io.terrace.datanode.write;

import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;

/** How long the next DataNode has been silent, and whether it owes an answer. Used by the forwarder's thread. */
final class AnswerClock {
    private final FrameSender sender;
    private final long timeoutNs;
    private final long keepAliveNs;
    private long heardNs = System.nanoTime();
    private boolean pinged;
    private long pingedNs;

    AnswerClock(FrameSender sender, NextNode next) {
        this.sender = sender;
        this.timeoutNs = next.answerTimeoutNs();
        this.keepAliveNs = next.keepAliveNs();
    }

    /** It has said something. */
    void heard() {
        heardNs = System.nanoTime();
    }

    /** It has answered a PING. */
    void answeredPing() {
        pinged = false;
    }

    /**
     * Sends a PING where nothing was sent for long.
     *
     * @return how long until this is to be called again, at most
     * @throws SocketTimeoutException when the next DataNode is silent for too long
     */
    long check() throws SocketTimeoutException {
        long nowNs = System.nanoTime();
        long leftNs = sender.sentNs() + keepAliveNs - nowNs;
        if (leftNs <= 0) {
            leftNs = keepAliveNs;
            if (sender.ping()) {
                pingedNs = pinged ? pingedNs : nowNs;
                pinged = true;
            }
        }
        boolean owesAck = sender.owesAck();
        if (!pinged && !owesAck) {
            return leftNs;
        }
        long owesSinceNs = owesAck ? sender.owedSinceNs() : pingedNs;
        if (pinged) {
            owesSinceNs = Math.min(owesSinceNs, pingedNs);
        }
        long silentNs = nowNs - Math.max(heardNs, owesSinceNs);
        if (silentNs >= timeoutNs) {
            throw new SocketTimeoutException("no answer for " + TimeUnit.NANOSECONDS.toMillis(timeoutNs) + " ms");
        }
        return Math.min(leftNs, timeoutNs - silentNs);
    }
}
