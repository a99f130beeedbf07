package io.terrace.placementctl.client;

/** The service said no, for the reason in the message. */
public final class Refused extends Exception {

    private static final long serialVersionUID = 1L;

    /** Of the server's exception; empty where this side refused. */
    private final String exception;

    public Refused(String message) {
        this(message, "");
    }

    Refused(String message, String exception) {
        super(message);
        this.exception = exception;
    }

    /** Whether this exception of the service was the reason. */
    public boolean isFor(Class<? extends Exception> kind) {
        return exception.equals(kind.getName());
    }
}
