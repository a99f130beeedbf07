package io.terrace.bench.write;

/**
 * How fast the links of a shaped network are, megabits a second.
 *
 * @param clientMbit of the client
 * @param firstMbit of DataNodes 1 to 3
 * @param othersMbit of DataNodes 4 to 9
 * @param acrossMbit of each link to and from hosts of the other rack; 0: as fast as the link
 */
public record ShapedLinks(int clientMbit, int firstMbit, int othersMbit, int acrossMbit) {
    static final int DATANODES = 9;
    private static final int SLOW_ONES = 3;

    /** @param datanode counted from 1 */
    int mbit(int datanode) {
        return datanode <= SLOW_ONES ? firstMbit : othersMbit;
    }
}
