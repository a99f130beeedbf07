package io.terrace.bench.conf;

/** Who reads a property. */
public enum Part {
    NAMENODE("NameNode"),
    DATANODE("DataNode"),
    CLIENT("client");

    private final String title;

    Part(String title) {
        this.title = title;
    }

    /** As the list of settings writes it. */
    public String title() {
        return title;
    }
}
