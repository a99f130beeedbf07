package io.terrace.bench.page;

import java.util.List;

/**
 * What a visit saw.
 *
 * @param readySeconds from the request until everything is shown
 * @param bytes sent to the browser until then, headers included
 * @param console lines of the browser's console
 * @param serious what axe finds of impact "serious" or "critical"
 * @param wide pixels that the page is wider than the window
 * @param figures metric id and text of each figure of the service that is shown
 * @param tiers of DataNodes: rows of the table
 * @param names texts of the list of hottest files
 * @param pins texts of the list of pins
 * @param explained heading of the answer to each question
 * @param injected elements of the page that a file name could have made
 * @param text all that is shown
 * @param followed where the link led to, and the line about the NameNode's state there; empty if it was not followed
 */
record Seen(
        String name,
        double readySeconds,
        long bytes,
        List<String> console,
        List<String> serious,
        int wide,
        List<Shown> figures,
        String state,
        int tiers,
        List<String> names,
        List<String> pins,
        List<String> explained,
        int injected,
        String text,
        String followed) {

    /** @param id a metric, or two with a slash between: the share of the one in the other */
    record Shown(String id, String text) {}
}
