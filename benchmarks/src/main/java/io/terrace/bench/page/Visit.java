package io.terrace.bench.page;

/**
 * One look at a page, in a browser that starts with nothing.
 *
 * @param name of its picture
 * @param dark whether the user prefers dark colours
 * @param questions what is typed into the box that explains a path, one after another; all lists are opened, too
 * @param follows whether the first link of the line about the NameNode's state is followed at the end
 */
record Visit(String name, String url, int width, boolean dark, java.util.List<String> questions, boolean follows) {
    static final int HEIGHT = 900;
}
