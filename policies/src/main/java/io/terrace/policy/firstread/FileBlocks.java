package io.terrace.policy.firstread;

/** Which blocks are of which file, in their order. All are known by number. */
public interface FileBlocks {

    /** The file of a block; below 0 where it is not known. */
    long file(long block);

    /** Its place in the file, from 0. */
    int index(long block);

    /** How many blocks a file has. */
    int blocks(long file);

    long block(long file, int index);

    long sizeBytes(long block);
}
