package io.terrace.bench.site;

/** Who reads a property. */
public enum PropertyReader {
    NAMENODE("NameNode"),
    DATANODE("DataNode"),
    CLIENT("client");

    private final String title;

    PropertyReader(String title) {
        this.title = title;
    }

    /** Its name in the list of settings. */
    public String title() {
        return title;
    }
}
