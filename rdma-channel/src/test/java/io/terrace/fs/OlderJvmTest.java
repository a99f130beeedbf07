package io.terrace.fs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.AbstractFileSystem;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFs;
import org.apache.hadoop.fs.Hdfs;
import org.apache.hadoop.hdfs.ReplicaAccessorBuilder;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.apache.log4j.WriterAppender;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What Hadoop loads by name in a client whose JVM is too old for the rest of Terrace: the client is stock. */
final class OlderJvmTest {
    private static final URI HDFS = URI.create("hdfs://127.0.0.1:1");

    private final StringWriter log = new StringWriter();
    private final WriterAppender appender = new WriterAppender(new PatternLayout("%p %m%n"), log);
    private final Configuration conf = new Configuration(false);

    @BeforeEach
    void listen() {
        appender.setThreshold(Level.ERROR);
        Logger.getLogger("io.terrace").addAppender(appender);
        conf.set("terrace.channel.dir", "/nonexistent/channel");
    }

    @AfterEach
    void stopListening() {
        Logger.getLogger("io.terrace").removeAppender(appender);
    }

    @Test
    void entries_whereTheRestNeedsANewerJvm_areStockAndSaySoOnce() throws Exception {
        try (OlderJvm jvm = new OlderJvm()) {
            Class<?> fileSystem = jvm.loadClass(TerraceFileSystem.class.getName());
            try (FileSystem fs = (FileSystem) fileSystem.getConstructor().newInstance()) {
                fs.initialize(HDFS, conf);
                assertThat(fileSystem.getMethod("readsMemoryFirst").invoke(fs)).isEqualTo(false);
            }
            FilterFs fs = (FilterFs) jvm.loadClass(TerraceAbstractFileSystem.class.getName())
                    .getConstructor(URI.class, Configuration.class)
                    .newInstance(HDFS, conf);
            assertThat(opened(fs)).isExactlyInstanceOf(Hdfs.class);
            ReplicaAccessorBuilder accessor =
                    (ReplicaAccessorBuilder) jvm.loadClass("io.terrace.client.TerraceAccessorBuilder")
                            .getConstructor()
                            .newInstance();
            assertThat(accessor.setConfiguration(conf)
                            .setAllowShortCircuitReads(true)
                            .build())
                    .isNull();
        }
        assertThat(log.toString().lines())
                .singleElement()
                .asString()
                .contains("this client is stock", "need Java 55", "run it with a newer JDK");
    }

    private static AbstractFileSystem opened(FilterFs fs) throws ReflectiveOperationException {
        Field field = FilterFs.class.getDeclaredField("myFs");
        field.setAccessible(true);
        return (AbstractFileSystem) field.get(fs);
    }

    /** Terrace's classes with the version of a Java that does not exist yet, but those that are compiled for Java 8. */
    private static final class OlderJvm extends URLClassLoader {
        private static final int JAVA_8 = 52;
        private static final byte NEWER = 99;

        /** Of a class file: magic number, minor version, major version. */
        private static final int MAJOR_AT = 7;

        OlderJvm() {
            super(
                    new URL[] {
                        TerraceFileSystem.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                    },
                    OlderJvmTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                byte[] own = loaded == null ? bytes(name.replace('.', '/') + ".class") : null;
                if (own != null) {
                    return defineClass(name, own, 0, own.length);
                }
                return loaded == null ? super.loadClass(name, resolve) : loaded;
            }
        }

        @Override
        public @Nullable InputStream getResourceAsStream(String name) {
            byte[] own = name.endsWith(".class") ? bytes(name) : null;
            return own == null ? super.getResourceAsStream(name) : new ByteArrayInputStream(own);
        }

        /** Null for what is not Terrace's. */
        private byte @Nullable [] bytes(String name) {
            URL own = findResource(name);
            if (own == null) {
                return null;
            }
            try (InputStream in = own.openStream()) {
                byte[] file = in.readAllBytes();
                if (file[MAJOR_AT] > JAVA_8) {
                    file[MAJOR_AT] = NEWER;
                }
                return file;
            } catch (IOException e) {
                return null;
            }
        }
    }
}
