package io.terrace.client;

/** What the grants of a process share: buffers, the room for mappings, and when a report is due. */
record ReadResources(CopyBuffers pieces, MappingBudget mappings, long mappedMaxBytes, long reportBytes) {}
