package io.terrace.placement.hdfs.web;

/** A request is not answered; the message is for the user. */
final class WebException extends Exception {

    private static final long serialVersionUID = 1L;

    private final int status;

    /** @param status of HTTP */
    WebException(int status, String message) {
        super(message);
        this.status = status;
    }

    int status() {
        return status;
    }
}
