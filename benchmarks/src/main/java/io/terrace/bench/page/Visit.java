package io.terrace.bench.page;

/**
 * One look at a page, in a browser that starts with nothing.
 *
 * @param name of its picture
 * @param dark whether the user prefers dark colours
 * @param questions what is typed into the box that explains a path, one after another; all lists are opened, too
 */
record Visit(String name, String url, int width, boolean dark, java.util.List<String> questions) {
    static final int HEIGHT = 900;
}
