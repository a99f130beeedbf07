package io.terrace.channel;

/** The answer of a DataNode to a {@link GrantRequest}. */
public sealed interface GrantAnswer permits Grant, Refusal {}
