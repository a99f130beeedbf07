package io.terrace.placement.heartbeat;

import io.terrace.protocol.proto.DataNodeProtos.FigureValueProto;
import java.util.AbstractMap;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Figures by id, of which a map is made when somebody asks. Each heartbeat brings all of a DataNode, and nearly all are replaced
 * by the next one before anybody does. Unmodifiable and thread-safe.
 */
final class HeartbeatFigures extends AbstractMap<String, Long> {

    private final List<FigureValueProto> figures;
    private volatile @Nullable Map<String, Long> byId;

    HeartbeatFigures(List<FigureValueProto> figures) {
        this.figures = figures;
    }

    private Map<String, Long> byId() {
        Map<String, Long> made = byId;
        if (made == null) {
            made = new HashMap<>();
            for (FigureValueProto figure : figures) {
                made.put(figure.getId(), figure.getValue());
            }
            byId = made;
        }
        return made;
    }

    @Override
    public Set<Entry<String, Long>> entrySet() {
        return Collections.unmodifiableMap(byId()).entrySet();
    }

    /** Of one figure: makes no map. */
    @Override
    public @Nullable Long get(@Nullable Object id) {
        Map<String, Long> made = byId;
        if (made != null) {
            return made.get(id);
        }
        for (FigureValueProto figure : figures) {
            if (figure.getId().equals(id)) {
                return figure.getValue();
            }
        }
        return null;
    }

    @Override
    public boolean containsKey(@Nullable Object id) {
        return get(id) != null;
    }
}
