package io.terrace.bench.explain;

import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.guides.Shell;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/** The states that blocks of a live cluster are brought into, and what {@code explain} must say of each. */
final class BlockStates {
    private static final String NODE = "localhost:\\d+";
    private static final int PINNED = 20;
    private static final String SINCE = "\\d+ (ms|s|min)";

    private final LocalCluster cluster;
    private final DistributedFileSystem fs;
    private final ReadFiles files;
    private final Shell shell;
    private final Explained explained;

    BlockStates(LocalCluster cluster, DistributedFileSystem fs, ReadFiles files, Shell shell, Explained explained) {
        this.cluster = cluster;
        this.fs = fs;
        this.files = files;
        this.shell = shell;
        this.explained = explained;
    }

    /** @param dir for policy files */
    void goThrough(java.nio.file.Path dir) throws IOException, InterruptedException {
        String hot = first(true);
        explained.expect(
                "read and in memory",
                hot,
                "IN MEMORY of " + NODE + " for " + SINCE + " Why Read \\d+ times, last " + SINCE
                        + " ago\\. It is worth .*"
                        + " as the block that would have to leave first, /w/part-\\d+\\. Next Stays until it is among the"
                        + " least read of the \\d+ blocks there, or its file changes\\.");
        explained.expect(
                "why it came in",
                hot,
                // The table may cut it: both DataNodes are on one host, so their names have ports and are long.
                "into memory of localhost(:\\d+)? policy done, 1\\.0 MB in " + SINCE
                        + " read (on(ce, |\\.\\.\\.)there was room|(once|\\d+ times), worth more than what left|\\d+ times"
                        + " within " + SINCE + ")");
        String out = first(false);
        explained.expect(
                "worth less than what is there",
                out,
                "NOT IN MEMORY: .* Why Memory of " + NODE + " is full \\(\\d+ of 32 MB\\)\\. Read \\d+ times, last "
                        + SINCE + " ago, this block .* Next Comes in when it is read ");
        files.stop();
        promoted(out);
        pinned();
        rules(dir);
        beingWritten();
        tooLarge();
        offAndPaused(first(false));
        explained.expect(
                "never read",
                written("/unread", ReadFiles.BYTES),
                "NOT IN MEMORY: not read lately Why The service knows of no read of it\\.");
        corrupt();
        ofAKilledDataNode();
    }

    private String first(boolean inMemory) throws IOException, InterruptedException {
        List<String> coldest = files.coldestFirst();
        for (int i = 0; i < coldest.size(); i++) {
            String file = coldest.get(inMemory ? coldest.size() - 1 - i : i);
            if (explained.isInMemory(file) == inMemory) {
                return file;
            }
        }
        throw new IOException("no file is " + (inMemory ? "in" : "out of") + " memory");
    }

    private String written(String name, int bytes) throws IOException {
        ReadFiles.write(fs, name, bytes);
        return name;
    }

    private void command(String words) throws IOException, InterruptedException {
        String unused = shell.output("placementctl " + words);
    }

    private void promoted(String file) throws IOException, InterruptedException {
        command("promote --wait " + file);
        explained.expect(
                "promoted by an order",
                file,
                "IN MEMORY of " + NODE + " for " + SINCE
                        + ", held Why \\S+ promoted it; no policy decides about it yet\\."
                        + " Next The policy decides in \\d+ (s|min); until then it stays\\. Out now: placementctl demote "
                        + file);
        command("demote " + file);
        explained.expect(
                "demoted by an order",
                file,
                "NOT IN MEMORY: demoted " + SINCE
                        + " ago Why \\S+ took it out of memory with placementctl demote\\. Next It is"
                        + " promoted when it is read several more times\\. .* out of memory of localhost(:\\d+)? \\S+ done"
                        + " placementctl demote");
    }

    private void pinned() throws IOException, InterruptedException {
        String file = written("/dim/date", ReadFiles.BYTES);
        command("pause");
        command("pin " + file);
        explained.expect(
                "pinned while moves are paused",
                file,
                "PINNED since .* by \\S+, for ever .* NOT IN MEMORY: moves are paused since " + SINCE + " by \\S+"
                        + " \\(placementctl resume\\) .* Next Comes in after placementctl resume\\.");
        command("resume");
        explained.expect(
                "pinned",
                file,
                "IN MEMORY of " + NODE + " for " + SINCE
                        + ", pinned Why \\S+ pinned the file; no policy decides about it\\."
                        + " Next Stays until placementctl unpin /dim/date, or the file is deleted\\.");
        String below = written("/dim/more/names", ReadFiles.BYTES);
        command("pin --recursive --ttl 2h /dim/more");
        explained.expect(
                "pinned by a directory's pin",
                below,
                "PINNED by /dim/more \\(recursive\\) since " + SINCE
                        + " by \\S+, until \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d .* IN" + " MEMORY of " + NODE + " for "
                        + SINCE + ", pinned");
        command("unpin /dim/more");
    }

    private void rules(java.nio.file.Path dir) throws IOException, InterruptedException {
        String kept = written("/tmp/job/part", ReadFiles.BYTES);
        java.nio.file.Path policy = Files.writeString(
                dir.resolve("policy.yaml"),
                """
                policy: adaptive
                largest: 1m
                rules:
                  - path: /tmp/**
                    place: never
                """);
        command("policy apply " + policy);
        explained.expect(
                "kept out by a rule",
                kept,
                "NOT IN MEMORY: a rule forbids it Why Rule 1 of the policy file \\(path: /tmp/\\*\\*, place: never\\) holds for"
                        + " the file, whatever is read\\. Next Change the rule: placementctl policy show --text");
        String large = "/large";
        try (FSDataOutputStream out = fs.create(new Path(large), true, 4096, (short) 2, 2L << 20)) {
            out.write(new byte[2 << 20]);
        }
        explained.expect(
                "too large for the policy file",
                large,
                "NOT IN MEMORY: larger than the policy file allows \\(largest: 1\\.0 MB\\)");
        command("policy apply --configured");
    }

    private void beingWritten() throws IOException, InterruptedException {
        try (FSDataOutputStream out = fs.create(new Path("/growing"))) {
            out.write(new byte[1000]);
            out.hflush();
            explained.expect(
                    "being written",
                    "/growing",
                    "NOT IN MEMORY: it is being written \\(complete blocks of the file can come in\\)");
        }
    }

    private void tooLarge() throws IOException, InterruptedException {
        int bytes = 40 << 20;
        try (FSDataOutputStream out = fs.create(new Path("/huge"), true, 4096, (short) 2, 2L * bytes)) {
            out.write(new byte[bytes]);
        }
        explained.expect(
                "larger than memory",
                "/huge",
                "NOT IN MEMORY: 40\\.0 MB is more than " + NODE + " has \\(32\\.0 MB\\)");
    }

    private void offAndPaused(String file) throws IOException, InterruptedException {
        command("pause");
        explained.expect(
                "paused",
                file,
                "NOT IN MEMORY: moves are paused since " + SINCE + " by \\S+ \\(placementctl resume\\)");
        command("resume");
        command("off");
        explained.expect(
                "off",
                file,
                "NOT IN MEMORY: Terrace is off \\(placementctl on\\) Why \\S+ switched Terrace off " + SINCE + " ago");
        command("on");
    }

    private void corrupt() throws IOException, InterruptedException {
        String file = written("/damaged", ReadFiles.BYTES);
        String block = explained.block(file);
        try (Stream<java.nio.file.Path> all = Files.walk(cluster.layout().dir())) {
            for (java.nio.file.Path replica : all.filter(
                            one -> one.getFileName().toString().equals(block))
                    .toList()) {
                try (RandomAccessFile bytes = new RandomAccessFile(replica.toFile(), "rw")) {
                    bytes.seek(1000);
                    bytes.write(1);
                }
            }
        }
        boolean unused = shell.run("placementctl promote " + file);
        explained.expect(
                "corrupt",
                file,
                "NOT IN MEMORY: the copy failed " + SINCE + " ago Why The replica on " + NODE + " does not match its"
                        + " checksums\\. It was reported to the NameNode as corrupt, as HDFS does; .* Next Not tried again by"
                        + " itself: placementctl promote /damaged\\. What HDFS knows of it: hdfs fsck /damaged"
                        + " -list-corruptfileblocks\\.");
    }

    /** A pinned directory of which a part is on a DataNode that is killed: it comes into the memory of the other one. */
    private void ofAKilledDataNode() throws IOException, InterruptedException {
        List<String> pinned = new ArrayList<>();
        for (int i = 0; i < PINNED; i++) {
            pinned.add(0, written("/pinned/part-" + i, ReadFiles.BYTES));
        }
        String last = "/pinned/part-0";
        command("pin --recursive /pinned");
        explained.expectOfAny(
                "on its way",
                pinned,
                "ON ITS WAY into memory of " + NODE
                        + " Why \\S+ pinned /pinned with all files below it\\. Next Waits for the" + " move budget of "
                        + NODE + " \\((it is the next one|\\d+ moves? before it(, about " + SINCE + ")?)\\)");
        String there = "IN MEMORY of " + NODE + " for " + SINCE + ", pinned";
        for (int i = 0; i < PINNED; i++) {
            explained.await("/pinned/part-" + i, there);
        }
        int number = dataNodeOf(last);
        command("pause");
        cluster.datanode(number).kill();
        explained.expect(
                "its DataNode was killed",
                last,
                "NOT IN MEMORY: moves are paused since .* The copy that " + NODE + " had ended " + SINCE
                        + " ago, when the DataNode fell silent\\. Next Comes in after placementctl resume\\.");
        command("resume");
        explained.expect("pinned elsewhere", last, there);
    }

    private int dataNodeOf(String file) throws IOException, InterruptedException {
        String text = explained.text(file);
        for (int number = 1; number <= cluster.spec().datanodes(); number++) {
            if (text.contains("IN MEMORY of localhost:"
                    + cluster.ports().datanodes().get(number - 1).transfer() + " ")) {
                return number;
            }
        }
        throw new IOException(file + " is in memory of no DataNode: " + text);
    }
}
