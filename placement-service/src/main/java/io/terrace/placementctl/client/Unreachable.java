package io.terrace.placementctl.client;

/** No placement service that could answer was reached, for the reason in the message. */
public final class Unreachable extends Exception {

    private static final long serialVersionUID = 1L;

    Unreachable(String message) {
        super(message);
    }
}
