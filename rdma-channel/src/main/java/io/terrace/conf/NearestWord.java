package io.terrace.conf;

import java.util.Collection;

/** What somebody probably meant: the known word with the fewest letters to change, add or take away. */
public final class NearestWord {

    private NearestWord() {}

    /** @return the first of the nearest; empty when there are no known words */
    public static String of(String word, Collection<String> known) {
        String nearest = "";
        int least = Integer.MAX_VALUE;
        for (String candidate : known) {
            int distance = editDistance(word, candidate);
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return nearest;
    }

    private static int editDistance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int above = row[j];
                int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(change, Math.min(above, row[j - 1]) + 1);
                diagonal = above;
            }
        }
        return row[b.length()];
    }
}
