package io.terrace.placement.hdfs.web;

import io.terrace.common.LogThrottle;
import io.terrace.placement.hdfs.admin.ClusterSnapshots;
import io.terrace.placement.hdfs.admin.WebQuestions;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSUtil;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.HAUtil;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.http.HttpServer2;
import org.apache.hadoop.util.Time;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The page at {@value PageServlet#PATH} of the NameNode's own web server, which protects it as its other pages. The service
 * also runs if it cannot be shown.
 */
public final class PagePublisher implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PagePublisher.class);

    private final HttpServer2 web;

    private PagePublisher(HttpServer2 web) {
        this.web = web;
    }

    /** @param sampler runs a short task every few seconds, which waits for the placement loop */
    public static PagePublisher publish(
            NameNode nameNode,
            Configuration conf,
            ClusterSnapshots snapshots,
            WebQuestions questions,
            ScheduledExecutorService sampler) {
        HttpServer2 web = nameNode.getHttpServer();
        try {
            SharedSnapshot shared = new SharedSnapshot(snapshots::take, Time::monotonicNow);
            ClusterHistory history = new ClusterHistory();
            web.setAttribute(PageServlet.FILES, new PageFiles());
            web.setAttribute(PageServlet.API, new PageApi(conf, shared, history, questions, otherPages(conf)));
            web.addServlet("terrace-page", PageServlet.PATH + "*", PageServlet.class);
            sampler.scheduleWithFixedDelay(
                    new Sampler(snapshots::sample, history),
                    ClusterHistory.INTERVAL_MS,
                    ClusterHistory.INTERVAL_MS,
                    TimeUnit.MILLISECONDS);
        } catch (IOException | RuntimeException | LinkageError e) {
            LOG.warn("Terrace's page is not on the NameNode's web server", e);
        }
        return new PagePublisher(web);
    }

    /** Takes one sample for the page, whether anybody looks or not. Nothing that fails ends those to come. */
    static final class Sampler implements Runnable {

        /** What is sampled now; null where there is nothing to sample. */
        @FunctionalInterface
        interface Source {
            @Nullable
            List<NodeProto> take() throws TimeoutException, InterruptedException;
        }

        private final Source source;
        private final ClusterHistory history;
        private final LogThrottle errors = LogThrottle.once();

        Sampler(Source source, ClusterHistory history) {
            this.source = source;
            this.history = history;
        }

        @Override
        public void run() {
            try {
                List<NodeProto> nodes = source.take();
                if (nodes != null) {
                    history.add(Time.now(), nodes);
                }
                errors.reset();
            } catch (TimeoutException | RuntimeException e) {
                LOG.debug("no sample for the page", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Error e) {
                if (errors.first()) {
                    LOG.warn("Terrace's page has no samples until this is over; tried again every few seconds", e);
                }
            }
        }
    }

    /** This page on the other NameNodes of the namespace; none without high availability. */
    private static List<String> otherPages(Configuration conf) throws IOException {
        List<String> pages = new ArrayList<>();
        String nameservice = DFSUtil.getNamenodeNameServiceId(conf);
        if (nameservice == null || !HAUtil.isHAEnabled(conf, nameservice)) {
            return pages;
        }
        for (Configuration other : HAUtil.getConfForOtherNodes(conf)) {
            InetSocketAddress rpc = DFSUtilClient.getNNAddress(other);
            URI server =
                    DFSUtil.getInfoServerWithDefaultHost(rpc.getHostName(), other, DFSUtil.getHttpClientScheme(conf));
            pages.add(server + PageServlet.PATH);
        }
        return pages;
    }

    @Override
    public void close() {
        web.setAttribute(PageServlet.API, null);
    }
}
