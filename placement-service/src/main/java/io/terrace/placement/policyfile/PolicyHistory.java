package io.terrace.placement.policyfile;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The policies that were applied, latest last, and which of them is in force. As bytes it fits an extended attribute of
 * HDFS's default size: the oldest that are not needed are forgotten for that, and a single policy that does not fit is
 * refused.
 *
 * @param inForce number of the policy in force; 0 when it is that of the policy file or the settings
 */
public record PolicyHistory(long inForce, List<Step> steps) {

    public static final PolicyHistory EMPTY = new PolicyHistory(0, List.of());

    static final int MOST_STEPS = 50;

    /** HDFS takes 16 KB for name and value ({@code dfs.namenode.fs-limits.max-xattr-size}). */
    static final int MOST_BYTES = 15_000;

    private static final int VERSION = 1;
    private static final int MOST_INFLATED = MOST_STEPS * (PolicyFile.MOST_BYTES + 1024);

    /**
     * One apply.
     *
     * @param before what was in force before it
     * @param atMs since 1970
     * @param text the policy file; null when that of the configuration was to be in force again
     */
    public record Step(long number, long before, long atMs, String user, @Nullable String text) {}

    public PolicyHistory {
        steps = List.copyOf(steps);
    }

    public @Nullable Step step(long number) {
        return steps.stream().filter(step -> step.number == number).findFirst().orElse(null);
    }

    /** Another policy is applied; text null is that of the configuration. */
    public PolicyHistory apply(long atMs, String user, @Nullable String text) {
        long number = steps.isEmpty() ? 1 : steps.get(steps.size() - 1).number + 1;
        List<Step> more = new ArrayList<>(steps);
        more.add(new Step(number, inForce, atMs, user, text));
        return new PolicyHistory(number, more);
    }

    /** @throws IllegalArgumentException when there is nothing to go back to */
    public PolicyHistory rollback() {
        Step now = step(inForce);
        if (now == null) {
            throw new IllegalArgumentException(
                    "no applied policy is in force; that of the policy file or the settings is");
        }
        if (now.before != 0 && step(now.before) == null) {
            throw new IllegalArgumentException("policy " + now.before + " is forgotten; apply its file again");
        }
        return new PolicyHistory(now.before, steps);
    }

    /**
     * What {@link #encoded} keeps of it: nothing else may be shown or gone back to, as it is not there after a restart.
     *
     * @throws IllegalArgumentException when not even the policy in force fits
     */
    public PolicyHistory kept() {
        return decoded(encoded());
    }

    /**
     * Deflated, with as many of the latest steps as fit.
     *
     * @throws IllegalArgumentException when not even the policy in force fits
     */
    public byte[] encoded() {
        for (int from = Math.max(0, steps.size() - MOST_STEPS); ; from++) {
            int first = from;
            List<Step> kept = steps.stream()
                    .filter(step -> step.number == inForce || steps.indexOf(step) >= first)
                    .toList();
            byte[] bytes = encoded(kept);
            if (bytes.length <= MOST_BYTES) {
                return bytes;
            }
            if (from >= steps.size()) {
                throw new IllegalArgumentException("the policy takes " + bytes.length + " bytes deflated; at most "
                        + MOST_BYTES + " can be kept in the namespace");
            }
        }
    }

    private byte[] encoded(List<Step> kept) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(VERSION);
        try (DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(bytes))) {
            out.writeLong(inForce);
            out.writeInt(kept.size());
            for (Step step : kept) {
                out.writeLong(step.number);
                out.writeLong(step.before);
                out.writeLong(step.atMs);
                out.writeUTF(step.user);
                byte[] text = step.text == null ? null : step.text.getBytes(StandardCharsets.UTF_8);
                out.writeInt(text == null ? -1 : text.length);
                if (text != null) {
                    out.write(text);
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("memory cannot be written", e);
        }
        return bytes.toByteArray();
    }

    /** @throws IllegalArgumentException when it was not written by {@link #encoded} */
    public static PolicyHistory decoded(byte[] bytes) {
        if (bytes.length == 0 || bytes[0] != VERSION) {
            throw new IllegalArgumentException("this is no policy history of version " + VERSION);
        }
        try (DataInputStream in =
                new DataInputStream(new InflaterInputStream(new ByteArrayInputStream(bytes, 1, bytes.length - 1)))) {
            byte[] plain = in.readNBytes(MOST_INFLATED);
            return decoded(new DataInputStream(new ByteArrayInputStream(plain)));
        } catch (IOException | NegativeArraySizeException e) {
            throw new IllegalArgumentException("the policy history is damaged: " + e.getMessage(), e);
        }
    }

    private static PolicyHistory decoded(DataInputStream in) throws IOException {
        long inForce = in.readLong();
        int count = in.readInt();
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < Math.min(count, MOST_STEPS + 1); i++) {
            long number = in.readLong();
            long before = in.readLong();
            long atMs = in.readLong();
            String user = in.readUTF();
            int length = in.readInt();
            if (length > PolicyFile.MOST_BYTES) {
                throw new IOException("a policy of " + length + " bytes");
            }
            byte[] text = length < 0 ? null : in.readNBytes(length);
            steps.add(new Step(
                    number, before, atMs, user, text == null ? null : new String(text, StandardCharsets.UTF_8)));
        }
        return new PolicyHistory(inForce, steps);
    }
}
