package io.terrace.datanode.hdfs.volume;

/** How far a move between volumes has come. */
public enum MoveStep {
    /** The volume is chosen and its room reserved. */
    RESERVED,
    /** Both files are in the target's directory for temporary files, verified and synced. */
    COPIED,
    /** They are among the target's finalised files, and the directory is synced. */
    RENAMED,
    /** The dataset knows the new place alone, and the NameNode is told. */
    PUBLISHED,
    /** The old files are removed. */
    REMOVED
}
