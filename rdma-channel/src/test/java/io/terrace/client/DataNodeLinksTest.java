package io.terrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.terrace.channel.shm.SocketDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Looks through a channel directory that is wrong, or takes long. */
final class DataNodeLinksTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    Path dir;

    private final Configuration conf = new Configuration(false);
    private Path channel;

    @BeforeEach
    void start() {
        channel = dir.resolve("channel");
        conf.set("terrace.channel.dir", channel.toString());
        conf.set("terrace.client.grant.timeout", "50ms");
        conf.set("terrace.client.connect.pause", "10ms");
    }

    private static DataNodeLink unused() {
        throw new UncheckedIOException(new IOException("planted"));
    }

    @Test
    void eachReasonForStock_isLoggedOnce_andAgainAfterARecovery() throws Exception {
        Lines lines = new Lines();
        Logger logger = Logger.getLogger(DataNodeLinks.class);
        logger.addAppender(lines);
        DataNodeLinks links = new DataNodeLinks(ClientConfig.from(conf).local(), channel, socket -> unused());
        try {
            links.use();
            assertThat(lines.said).singleElement().asString().contains("terrace.channel.dir", "does not exist");
            Files.createDirectory(channel);
            Files.setPosixFilePermissions(channel, PosixFilePermissions.fromString("rwxrwxrwx"));
            await().until(() -> lines.said.size() == 2);
            assertThat(lines.said.get(1)).contains("anybody could pose as a DataNode");
        } finally {
            links.close(0);
            logger.removeAppender(lines);
        }
    }

    @Test
    void use_andClose_whileAScanTakesLong_doNotWaitForIt() throws Exception {
        Files.createDirectory(channel);
        CountDownLatch inScan = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        DataNodeLinks links = new DataNodeLinks(ClientConfig.from(conf).local(), channel, socket -> {
            inScan.countDown();
            awaitUninterrupted(over);
            return unused();
        });
        Thread first = new Thread(links::use);
        try (ServerSocketChannel server = SocketDirectory.listen(channel.resolve("datanode.sock"))) {
            assertThat(server.isOpen()).isTrue();
            first.start();
            inScan.await();
            assertTimeoutPreemptively(PATIENCE, links::use);
            assertTimeoutPreemptively(PATIENCE, () -> links.close(100));
        } finally {
            over.countDown();
            first.join();
            links.close(1_000);
        }
    }

    /** As of a DataNode that is down, or refuses this user: each attempt takes a thread here, and one there. */
    @Test
    void socketWhereNobodyWelcomes_isTriedSeldom_andSaidUnlessTheDataNodeIsDown() throws Exception {
        Files.createDirectory(channel);
        AtomicInteger made = new AtomicInteger();
        ReadResources resources = new ReadResources(new CopyBuffers(), new MappingBudget(), 0, 1_000);
        ClientConfig.Local settings = ClientConfig.from(conf).local();
        DataNodeLinks links = new DataNodeLinks(settings, channel, at -> {
            made.incrementAndGet();
            return new DataNodeLink(at, settings, resources, "me", () -> 0, (grant, how) -> {});
        });
        Path socket = channel.resolve("datanode.sock");
        SocketDirectory.listen(socket).close();
        Lines lines = new Lines();
        Logger logger = Logger.getLogger(LinkAttempts.class);
        logger.addAppender(lines);
        try {
            links.use();
            long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
            while (System.nanoTime() < untilNs) {
                links.use();
                Thread.sleep(5);
            }
            assertThat(made).hasValueBetween(2, 9);
            assertThat(lines.said).as("a DataNode that is down").isEmpty();
            try (ServerSocketChannel refuses = SocketDirectory.listen(socket)) {
                for (int i = 0; i < 3; i++) {
                    refuses.accept().close();
                }
                await().until(() -> !lines.said.isEmpty());
            }
            assertThat(lines.said).doesNotHaveDuplicates().allMatch(line -> line.contains(socket.toString()));
        } finally {
            links.close(1_000);
            logger.removeAppender(lines);
        }
    }

    /** The name of an owner may take long to be found: no reader waits for that, but the link's own thread. */
    @Test
    void directoryOfSomebodyElse_isFoundOutByTheLink_andSaid() throws Exception {
        assumeThat(SocketDirectory.ownUid())
                .as("only root gives a directory away")
                .isZero();
        Files.createDirectory(channel);
        List<DataNodeLink> made = new CopyOnWriteArrayList<>();
        ReadResources resources = new ReadResources(new CopyBuffers(), new MappingBudget(), 0, 1_000);
        ClientConfig.Local settings = ClientConfig.from(conf).local();
        DataNodeLinks links = new DataNodeLinks(settings, channel, at -> {
            DataNodeLink link = new DataNodeLink(at, settings, resources, "me", () -> 0, (grant, how) -> {});
            made.add(link);
            return link;
        });
        Lines lines = new Lines();
        Logger logger = Logger.getLogger(LinkAttempts.class);
        logger.addAppender(lines);
        try (ServerSocketChannel server = SocketDirectory.listen(channel.resolve("datanode.sock"))) {
            server.configureBlocking(false);
            Files.setAttribute(channel, "unix:uid", 54_321);
            links.use();
            await().until(() -> !lines.said.isEmpty());
            assertThat(lines.said).singleElement().asString().contains("set terrace.channel.owner");
            assertThat(made).isNotEmpty().noneMatch(DataNodeLink::isOpen);
            assertThat(server.accept()).as("a connection").isNull();
        } finally {
            links.close(1_000);
            logger.removeAppender(lines);
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class Lines extends AppenderSkeleton {
        private final List<String> said = new CopyOnWriteArrayList<>();

        @Override
        protected void append(LoggingEvent event) {
            said.add(event.getRenderedMessage());
        }

        @Override
        public void close() {}

        @Override
        public boolean requiresLayout() {
            return false;
        }
    }
}
