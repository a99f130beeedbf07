package io.terrace.placementctl.cluster;

/** Who reads the rows of a trace. Hosts have numbers; each DataNode is on one. */
public interface ClusterReads {

    /** No DataNode, or one that is not known. */
    int NONE = -1;

    /** A host that is not known; it has no DataNode. */
    int UNKNOWN_HOST = -1;

    /** The host of the reader of a row; asked once for each row, in their order. */
    int host(int row);

    /** The host of a DataNode. */
    int hostOf(int node);

    /** The DataNode that served the row where it was recorded. */
    int servedBy(int row);
}
