package io.terrace.placementctl.client;

/** No placement service that could answer was reached, or it is busy, for the reason in the message. */
public final class Unreachable extends Exception {

    private static final long serialVersionUID = 1L;

    private final boolean busy;

    Unreachable(String message) {
        this(message, false);
    }

    private Unreachable(String message, boolean busy) {
        super(message);
        this.busy = busy;
    }

    /** The active service has no time for it now. */
    static Unreachable busy(String message) {
        return new Unreachable("the placement service is busy: " + message, true);
    }

    /** Whether the service answered, that it is busy: whoever asks again may be answered. */
    public boolean isBusy() {
        return busy;
    }
}
