package io.terrace.placement.hdfs.admin;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.hdfs.admin.Bulkhead.Question;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

/** What each call of {@code placementctl} goes through: how many at a time and for how long, what is counted, and what an exception becomes. */
final class AdminCalls {

    private final CallerRights rights;
    private final MetricRegistry metricRegistry;
    private final Bulkhead users;
    private final Bulkhead costly = Bulkhead.ofTime(System::nanoTime);

    /** @param handlers threads of the RPC server, of which users hold at most half at a time */
    AdminCalls(CallerRights rights, MetricRegistry metricRegistry, int handlers) {
        this.rights = rights;
        this.metricRegistry = metricRegistry;
        this.users = new Bulkhead(Math.max(1, handlers / 2));
    }

    /** For questions that anybody may ask and that cost something; who may change placement is always answered. */
    <T> T answerOneOfFew(Question<T> question) throws ServiceException {
        return answer(() -> rights.mayChange() ? question.answer() : costly.pass(question));
    }

    <T> T answer(Question<T> question) throws ServiceException {
        metricRegistry.increment(Metric.PLACEMENT_ADMIN_CALLS);
        try {
            return rights.mayChangeByName() ? question.answer() : users.pass(question);
        } catch (AccessControlException | RetriableException e) {
            metricRegistry.increment(Metric.PLACEMENT_ADMIN_REFUSED);
            throw new ServiceException(e);
        } catch (IOException e) {
            throw new ServiceException(e);
        } catch (IllegalArgumentException e) {
            throw new ServiceException(new IOException(e.getMessage(), e));
        } catch (TimeoutException | RejectedExecutionException | IllegalStateException e) {
            throw new ServiceException(ofLoop(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServiceException(new IOException("the NameNode is shutting down", e));
        }
    }

    /** Where a question threw, the loop did answer: nobody is to look for one that hangs, nor to ask again. */
    static IOException ofLoop(Exception why) {
        if (why instanceof IllegalStateException) {
            return new IOException("the placement loop failed to answer; the NameNode's log says why", why);
        }
        RetriableException again = new RetriableException("the placement loop does not answer, or restarts");
        again.initCause(why);
        return again;
    }
}
