package io.terrace.placementctl.command;

/** How {@code placementctl} exits. */
public final class ExitCode {

    public static final int OK = 0;

    /** The service refused or failed to answer, or a problem was found. */
    public static final int REFUSED = 1;

    public static final int USAGE = 2;

    /** No placement service can be reached, or none is active, or it is busy. */
    public static final int UNREACHABLE = 3;

    private ExitCode() {}
}
