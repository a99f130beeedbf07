package io.terrace.datanode.extent;

/** What of a client's report counts, and for which extent. */
public record CountedReport(Extent extent, GrantLedger.Accepted accepted) {}
