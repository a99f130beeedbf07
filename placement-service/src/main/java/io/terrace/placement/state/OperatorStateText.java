package io.terrace.placement.state;

import io.terrace.placement.state.OperatorState.Order;
import io.terrace.placement.state.OperatorState.Pin;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The operator state as text, e.g. {@code 2 serve=true moves=false off= paused=bob@sx users=alice,bob pins=cna.sx.0.5k0/r}.
 * It has to fit an extended attribute, so numbers are to base 36, seconds since 1970 or of a time, an inode id is written
 * as the difference to the one before, and a user as the place among the users. A pin is {@code inode.since.user}, followed
 * by {@code .seconds} where it ends by itself and by {@code /r} where it is recursive.
 *
 * <p>Version 1 had no orders and plain inode ids: {@code 1 serve=true moves=false pins=16390,16401}. It is read, not written.
 */
final class OperatorStateText {

    /**
     * Bytes of the pins and their users. HDFS's default for {@code dfs.namenode.fs-limits.max-xattr-size} is 16384, the name
     * included, and there has to be room for who paused and who switched off.
     */
    static final int MOST_BYTES = 15_100;

    private static final int RADIX = 36;
    private static final String RECURSIVE = "r";

    private OperatorStateText() {}

    /** @throws IllegalArgumentException when it does not fit */
    static byte[] encoded(OperatorState state) {
        List<String> users = new ArrayList<>();
        StringBuilder pins = new StringBuilder();
        long before = 0;
        for (Map.Entry<Long, Pin> entry : state.pins().entrySet()) {
            Pin pin = entry.getValue();
            String user = encoded(pin.order().by());
            if (!users.contains(user)) {
                users.add(user);
            }
            pins.append(pins.length() == 0 ? "" : ",")
                    .append(number(entry.getKey() - before))
                    .append('.')
                    .append(seconds(pin.order().sinceMs()))
                    .append('.')
                    .append(number(users.indexOf(user)));
            if (pin.untilMs() > 0) {
                pins.append('.').append(seconds(pin.untilMs() - pin.order().sinceMs()));
            }
            pins.append(pin.recursive() ? "/" + RECURSIVE : "");
            before = entry.getKey();
        }
        String names = String.join(",", users);
        if (names.length() + pins.length() > MOST_BYTES) {
            throw new IllegalArgumentException(
                    state.pins().size() + " such pins do not fit an extended attribute of HDFS;"
                            + " unpin some, or pin the directory of many files instead (--recursive)");
        }
        return ("2 serve=" + state.serve() + " moves=" + state.moves() + " off=" + order(state.switchedOff())
                        + " paused=" + order(state.paused()) + " users=" + names + " pins=" + pins)
                .getBytes(StandardCharsets.UTF_8);
    }

    static OperatorState decoded(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        try {
            String[] words = text.split(" ", -1);
            if (words[0].equals("1") && words.length == 4) {
                return first(words);
            }
            if (words[0].equals("2") && words.length == 7) {
                return second(words);
            }
        } catch (RuntimeException e) {
            throw new IllegalArgumentException("this is no operator state: " + text, e);
        }
        throw new IllegalArgumentException("this is no operator state of version 1 or 2: " + text);
    }

    private static OperatorState first(String[] words) {
        boolean serve = value(words[1], "serve").equals("true");
        boolean moves = value(words[2], "moves").equals("true");
        SortedMap<Long, Pin> pins = new TreeMap<>();
        for (String inode : parts(value(words[3], "pins"))) {
            pins.put(Long.parseLong(inode), new Pin(Order.UNKNOWN, 0, false));
        }
        return new OperatorState(serve ? null : Order.UNKNOWN, moves ? null : Order.UNKNOWN, pins);
    }

    private static OperatorState second(String[] words) {
        boolean serve = value(words[1], "serve").equals("true");
        boolean moves = value(words[2], "moves").equals("true");
        Order off = serve ? null : order(value(words[3], "off"));
        Order paused = moves ? null : order(value(words[4], "paused"));
        String[] users = value(words[5], "users").split(",", -1);
        SortedMap<Long, Pin> pins = new TreeMap<>();
        long inode = 0;
        for (String part : parts(value(words[6], "pins"))) {
            boolean recursive = part.endsWith("/" + RECURSIVE);
            String[] fields = (recursive ? part.substring(0, part.length() - 2) : part).split("\\.", -1);
            inode += number(fields[0]);
            long sinceMs = ms(fields[1]);
            Order order = new Order(decoded(users[(int) number(fields[2])]), sinceMs);
            pins.put(inode, new Pin(order, fields.length > 3 ? sinceMs + ms(fields[3]) : 0, recursive));
        }
        return new OperatorState(off, paused, pins);
    }

    private static String order(@Nullable Order order) {
        return order == null ? "" : encoded(order.by()) + "@" + seconds(order.sinceMs());
    }

    private static Order order(String text) {
        int at = text.lastIndexOf('@');
        return new Order(decoded(text.substring(0, at)), ms(text.substring(at + 1)));
    }

    private static List<String> parts(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split(",", -1));
    }

    private static String value(String word, String name) {
        if (!word.startsWith(name + "=")) {
            throw new IllegalArgumentException("'" + word + "' is where " + name + "= is to be");
        }
        return word.substring(name.length() + 1);
    }

    private static String encoded(String user) {
        return URLEncoder.encode(user, StandardCharsets.UTF_8);
    }

    private static String decoded(String user) {
        return URLDecoder.decode(user, StandardCharsets.UTF_8);
    }

    private static String number(long number) {
        return Long.toString(number, RADIX);
    }

    private static long number(String text) {
        return Long.parseLong(text, RADIX);
    }

    private static String seconds(long ms) {
        return number(ms / 1000);
    }

    private static long ms(String seconds) {
        return number(seconds) * 1000;
    }
}
