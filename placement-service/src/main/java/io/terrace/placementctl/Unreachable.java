package io.terrace.placementctl;

/** No placement service that could answer was reached, for the reason in the message. */
final class Unreachable extends Exception {

    private static final long serialVersionUID = 1L;

    Unreachable(String message) {
        super(message);
    }
}
