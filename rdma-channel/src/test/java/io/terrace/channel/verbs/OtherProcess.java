package io.terrace.channel.verbs;

import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RegionKey;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The other end in a process of its own, to be killed or kept short. */
final class OtherProcess implements AutoCloseable {
    static final int LENGTH = 4 << 20;

    /** What the writing process writes. */
    static final byte WRITTEN = 7;

    private final Process process;
    private final BufferedReader said;

    private OtherProcess(Process process) {
        this.process = process;
        this.said = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Registers a file at an address; says the key. */
    static OtherProcess owner(InetSocketAddress where, Path file) throws IOException {
        return start(List.of(), "own", where, file.toString());
    }

    /** Reads a range without end; says "begun" after the first time. */
    static OtherProcess reader(InetSocketAddress where, RegionKey key) throws IOException {
        return start(List.of(), "read", where, key.digits());
    }

    /** Writes a range without end; says "begun" after the first time. */
    static OtherProcess writer(InetSocketAddress where, RegionKey key) throws IOException {
        return start(List.of(), "write", where, key.digits());
    }

    /** Registers more than it may lock, as nobody; says what came of it. */
    static OtherProcess ofLittleLockedMemory(InetSocketAddress where, int lockedKilobytes) throws IOException {
        return start(nobody(lockedKilobytes), "fill", where, "");
    }

    /** Connects, as nobody, with less than its buffers need; says what came of it the second time. */
    static OtherProcess clientOfLittleLockedMemory(InetSocketAddress where, int lockedKilobytes) throws IOException {
        return start(nobody(lockedKilobytes), "connect", where, "");
    }

    private static List<String> nobody(int lockedKilobytes) {
        String shell = "ulimit -l " + lockedKilobytes + " && exec \"$0\" \"$@\"";
        return List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "bash", "-c", shell);
    }

    private static OtherProcess start(List<String> before, String what, InetSocketAddress where, String argument)
            throws IOException {
        List<String> command = new ArrayList<>(before);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:MaxDirectMemorySize=200m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                OtherProcess.class.getName(),
                what,
                where.getAddress().getHostAddress(),
                String.valueOf(where.getPort()),
                argument));
        return new OtherProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** The next line that it says. */
    String said() throws IOException {
        return Objects.requireNonNull(said.readLine(), "the other process has ended");
    }

    void kill() throws InterruptedException {
        int unused = process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws IOException {
        Process unused = process.destroyForcibly();
        said.close();
    }

    public static void main(String[] arguments) throws Exception {
        VerbsProvider provider = VerbsProvider.open(VerbsLimits.DEFAULT, VerbsOptions.DEFAULT);
        InetSocketAddress where = new InetSocketAddress(arguments[1], Integer.parseInt(arguments[2]));
        switch (arguments[0]) {
            case "own" -> own(provider, where, Path.of(arguments[3]));
            case "fill" -> fill(provider, where);
            case "connect" -> connectInVain(provider, where);
            default -> use(provider, where, arguments[0].equals("write"), arguments[3]);
        }
    }

    private static void own(VerbsProvider provider, InetSocketAddress where, Path file) throws Exception {
        VerbsListener listener = provider.listen(where);
        System.out.println(
                listener.register(new ExtentRange(file, 0, LENGTH), Access.READ).digits());
        Thread.sleep(600_000);
    }

    private static void use(VerbsProvider provider, InetSocketAddress where, boolean writes, String digits)
            throws IOException {
        VerbsLink link = provider.connect(where, ListenerFixture.PATIENCE_NS);
        VerbsExtent region = link.attach(RegionKey.of(digits, 0, LENGTH, writes ? Access.READ_WRITE : Access.READ));
        ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 20);
        while (bytes.hasRemaining()) {
            bytes.put(WRITTEN);
        }
        for (long round = 0; ; round++) {
            if (writes) {
                region.write(0, bytes.clear(), ListenerFixture.PATIENCE_NS);
            } else {
                region.read(0, bytes.clear(), ListenerFixture.PATIENCE_NS);
            }
            if (round == 0) {
                System.out.println("begun");
            }
        }
    }

    private static void connectInVain(VerbsProvider provider, InetSocketAddress where) {
        String why = "";
        for (int i = 0; i < 2; i++) {
            try {
                provider.connect(where, ListenerFixture.PATIENCE_NS).close();
                why = "connected";
            } catch (IOException e) {
                why = String.valueOf(e.getMessage());
            }
        }
        System.out.println(why + ", domains " + provider.deviceCounters().domains);
    }

    /** One line: extents that were registered, why no more, and whether all was as before and worked afterwards. */
    private static void fill(VerbsProvider provider, InetSocketAddress where) throws Exception {
        Path dir = Files.createTempDirectory("extents");
        List<RegionKey> keys = new ArrayList<>();
        String why = "none";
        try (VerbsListener listener = provider.listen(where)) {
            ListenerFixture.Held before = ListenerFixture.Held.of(provider);
            while (keys.size() < 100) {
                try {
                    keys.add(register(listener, dir, keys.size()));
                    before = ListenerFixture.Held.of(provider);
                } catch (IOException e) {
                    why = e.getMessage();
                    break;
                }
            }
            boolean kept = ListenerFixture.Held.of(provider).equals(before);
            listener.deregister(keys.get(0));
            RegionKey again = register(listener, dir, 0);
            try (VerbsLink link = provider.connect(where, ListenerFixture.PATIENCE_NS)) {
                link.attach(again).read(0, ByteBuffer.allocate(4096), ListenerFixture.PATIENCE_NS);
                link.attach(keys.get(1)).read(0, ByteBuffer.allocate(4096), ListenerFixture.PATIENCE_NS);
            }
            System.out.println(keys.size() + ", " + why + ", " + kept);
        }
    }

    private static RegionKey register(VerbsListener listener, Path dir, int number) throws IOException {
        Path file = Files.write(dir.resolve("extent" + number), new byte[LENGTH]);
        return listener.register(new ExtentRange(file, 0, LENGTH), Access.READ);
    }
}
