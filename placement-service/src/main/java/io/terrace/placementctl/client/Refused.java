package io.terrace.placementctl.client;

/** The service said no, for the reason in the message. */
public final class Refused extends Exception {

    private static final long serialVersionUID = 1L;

    public Refused(String message) {
        super(message);
    }
}
