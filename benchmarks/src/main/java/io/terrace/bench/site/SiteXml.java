package io.terrace.bench.site;

import java.util.Collection;
import java.util.List;

/** Properties as a Hadoop {@code *-site.xml}, each under its explanation. */
public final class SiteXml {
    private static final int COLUMNS = 110;

    private SiteXml() {}

    /**
     * The text of a file.
     *
     * @param title what the file is, for its first comment
     */
    public static String text(String title, Collection<SiteProperty> properties) {
        StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        xml.append("<!--\n");
        wrap(xml, title, "  ");
        xml.append("-->\n<configuration>\n");
        for (SiteProperty property : properties) {
            xml.append('\n');
            if (property.set()) {
                xml.append("  <!--\n");
                wrap(xml, property.doc(), "    ");
                xml.append("  -->\n");
                element(xml, property);
            } else {
                xml.append("  <!--\n");
                wrap(
                        xml,
                        property.doc()
                                + (property.value().isEmpty()
                                        ? " Not set by default."
                                        : " The value shown is the default."),
                        "    ");
                element(xml, property);
                xml.append("  -->\n");
            }
        }
        return xml.append("\n</configuration>\n").toString();
    }

    private static void element(StringBuilder xml, SiteProperty property) {
        xml.append("  <property>\n    <name>").append(escaped(property.key())).append("</name>\n");
        xml.append("    <value>").append(escaped(property.value())).append("</value>\n  </property>\n");
    }

    /** Breaks a text into lines; a comment must hold no double hyphen. */
    private static void wrap(StringBuilder xml, String text, String indent) {
        StringBuilder line = new StringBuilder(indent);
        for (String word : List.of(text.replace("--", "- -").split("\\s+"))) {
            if (line.length() > indent.length() && line.length() + 1 + word.length() > COLUMNS) {
                xml.append(line).append('\n');
                line = new StringBuilder(indent);
            }
            if (line.length() > indent.length()) {
                line.append(' ');
            }
            line.append(word);
        }
        xml.append(line).append('\n');
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
