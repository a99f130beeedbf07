package io.terrace.datanode.hdfs.dataset;

import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;

/**
 * Metrics under the name that they have in stock HDFS. Stock names the record of its dataset after the class of the dataset, so
 * a subclass would rename all of them, and dashboards made for stock would be empty.
 *
 * @param subclass by whose name stock's code calls the record
 * @param stock by whose name it is known
 */
public record StockRecordName(MetricsCollector collector, Class<?> subclass, Class<?> stock)
        implements MetricsCollector {

    @Override
    public MetricsRecordBuilder addRecord(String name) {
        return collector.addRecord(name.equals(subclass.getName()) ? stock.getName() : name);
    }

    @Override
    public MetricsRecordBuilder addRecord(MetricsInfo info) {
        return collector.addRecord(info);
    }
}
