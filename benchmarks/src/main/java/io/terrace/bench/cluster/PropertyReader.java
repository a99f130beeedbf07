package io.terrace.bench.cluster;

/** Who reads a property. */
public enum PropertyReader {
    NAMENODE("NameNode"),
    DATANODE("DataNode"),
    CLIENT("client");

    private final String title;

    PropertyReader(String title) {
        this.title = title;
    }

    /** As the list of settings writes it. */
    public String title() {
        return title;
    }
}
