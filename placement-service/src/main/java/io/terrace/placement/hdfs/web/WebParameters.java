package io.terrace.placement.hdfs.web;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.hadoop.http.HtmlQuoting;
import org.jspecify.annotations.Nullable;

/** The parameters of a request, as the user gave them: Hadoop's filter quotes them as HTML, which is undone here. */
final class WebParameters {

    /** Characters of a value. */
    static final int LONGEST = 4096;

    static final String DO_AS = "doas";
    static final String DELEGATION = "delegation";

    /** Who asks: read by Hadoop's filters and {@link WebUser}. */
    private static final Set<String> OF_USER = Set.of("user.name", DO_AS, DELEGATION);

    private final Map<String, String> values;

    private WebParameters(Map<String, String> values) {
        this.values = values;
    }

    /**
     * @param known besides those that say who asks
     * @throws WebException for a parameter that is unknown, repeated or too long
     */
    static WebParameters of(HttpServletRequest request, Set<String> known) throws WebException {
        Map<String, String> values = new HashMap<>();
        for (Map.Entry<String, String[]> parameter : given(request).entrySet()) {
            String name = canonical(parameter.getKey());
            if (!known.contains(name) && !OF_USER.contains(name)) {
                throw refused("there is no parameter '" + shortened(name) + "' here"
                        + (known.isEmpty() ? "" : "; known: " + String.join(", ", known)));
            }
            if (parameter.getValue().length != 1 || values.containsKey(name)) {
                throw refused("the parameter '" + name + "' is given more than once");
            }
            String value = unquoted(parameter.getValue()[0]);
            if (value.length() > LONGEST) {
                throw refused("the parameter '" + name + "' is longer than " + LONGEST + " characters");
            }
            values.put(name, value);
        }
        return new WebParameters(values);
    }

    /** Hadoop's filters take those that say who asks in any case, as doAs. */
    private static String canonical(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return OF_USER.contains(lower) ? lower : name;
    }

    private static Map<String, String[]> given(HttpServletRequest request) throws WebException {
        try {
            return request.getParameterMap();
        } catch (RuntimeException e) {
            // The server's own type, for a wrong escape.
            throw refused("the parameters cannot be read; write them in UTF-8 and escape them for a URL");
        }
    }

    private static String unquoted(String value) throws WebException {
        try {
            return HtmlQuoting.unquoteHtmlChars(value);
        } catch (IllegalArgumentException e) {
            throw refused("the parameters cannot be read: " + e.getMessage());
        }
    }

    private static String shortened(String name) {
        return name.length() <= 40 ? name : name.substring(0, 40) + "...";
    }

    private static WebException refused(String message) {
        return new WebException(HttpServletResponse.SC_BAD_REQUEST, message);
    }

    @Nullable
    String orNull(String name) {
        return values.get(name);
    }
}
