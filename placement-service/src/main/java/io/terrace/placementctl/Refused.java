package io.terrace.placementctl;

/** The service said no, for the reason in the message. */
final class Refused extends Exception {

    private static final long serialVersionUID = 1L;

    Refused(String message) {
        super(message);
    }
}
