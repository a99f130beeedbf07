package io.terrace.channel;

/** What a DataNode says to a {@link GrantRequest}. */
public sealed interface GrantAnswer permits Grant, Refusal {}
