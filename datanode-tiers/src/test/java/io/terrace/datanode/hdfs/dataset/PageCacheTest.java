package io.terrace.datanode.hdfs.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link PageCache}, with JNA and in a Hadoop without it. */
final class PageCacheTest {

    @TempDir
    private Path dir;

    @Test
    void drop_file_keepsItsBytes() throws IOException {
        Path file = Files.writeString(dir.resolve("blk_1"), "bytes");
        PageCache.drop(file.toUri(), 5);
        assertThat(file).hasContent("bytes");
    }

    @Test
    void drop_missingFile_isQuiet() {
        assertThatCode(() -> PageCache.drop(dir.resolve("none").toUri(), 5)).doesNotThrowAnyException();
    }

    @Test
    void drop_withoutJna_isQuiet() throws ReflectiveOperationException, IOException {
        Path file = Files.writeString(dir.resolve("blk_2"), "bytes");
        Class<?> pageCache = new WithoutJna().loadClass(PageCache.class.getName());
        assertThat(pageCache).isNotEqualTo(PageCache.class);
        Method drop = pageCache.getDeclaredMethod("drop", URI.class, long.class);
        drop.setAccessible(true);
        drop.invoke(null, file.toUri(), 5L);
        drop.invoke(null, file.toUri(), 5L);
        assertThat(file).hasContent("bytes");
    }

    /** Loads this package's classes anew, and none of JNA. */
    private static final class WithoutJna extends ClassLoader {
        private static final String PACKAGE = PageCache.class.getPackageName() + ".";

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("com.sun.jna.")) {
                throw new ClassNotFoundException(name);
            }
            if (!name.startsWith(PACKAGE)) {
                return super.loadClass(name, resolve);
            }
            Class<?> known = findLoadedClass(name);
            return known == null ? define(name) : known;
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            String resource = name.replace('.', '/') + ".class";
            try (InputStream in = PageCacheTest.class.getClassLoader().getResourceAsStream(resource)) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
