package io.terrace.common;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Threads that keep no process alive. */
public final class DaemonThreads {
    private static final Logger LOG = LoggerFactory.getLogger(DaemonThreads.class);

    private DaemonThreads() {}

    /** One that is not started yet. */
    public static Thread make(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        // A thread inherits the loader of whoever happened to need it first, which may be unloaded later.
        thread.setContextClassLoader(DaemonThreads.class.getClassLoader());
        return thread;
    }

    /** Starts one; false where the process, or its container, may have no more threads. */
    public static boolean tryStart(Thread thread) {
        try {
            thread.start();
            return true;
        } catch (OutOfMemoryError e) {
            LOG.warn("Thread {} cannot be started: {}", thread.getName(), e.toString());
            return false;
        }
    }

    /** All of one name: for executors of one thread. */
    public static ThreadFactory named(String name) {
        return work -> make(name, work);
    }

    /** Of names that end in a number, from 1. */
    public static ThreadFactory numbered(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return work -> make(prefix + number.incrementAndGet(), work);
    }
}
