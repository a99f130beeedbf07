package io.terrace.protocol;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.EnumValueDescriptor;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.FieldDescriptor;
import org.apache.hadoop.thirdparty.protobuf.Message;

/**
 * A message of the admin protocol as JSON: fields by their names in the protocol, enum values in lower case. Optional
 * fields without a value and without a default are left out. Lists of figures become one object, id to value.
 */
public final class MessageJson {

    private MessageJson() {}

    public static ObjectNode object(Message message) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
            if (field.isRepeated()) {
                list(node, field, (List<?>) message.getField(field));
            } else if (message.hasField(field) || field.hasDefaultValue()) {
                put(node, field, message.getField(field));
            }
        }
        return node;
    }

    private static void list(ObjectNode node, FieldDescriptor field, List<?> values) {
        if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                && field.getMessageType().getName().equals("FigureValueProto")) {
            ObjectNode figures = node.putObject(field.getName());
            for (Object value : values) {
                Message figure = (Message) value;
                List<FieldDescriptor> parts = figure.getDescriptorForType().getFields();
                figures.put((String) figure.getField(parts.get(0)), (Long) figure.getField(parts.get(1)));
            }
            return;
        }
        ArrayNode array = node.putArray(field.getName());
        for (Object value : values) {
            switch (field.getJavaType()) {
                case MESSAGE -> array.add(object((Message) value));
                case LONG -> array.add((Long) value);
                default -> array.add(value.toString());
            }
        }
    }

    private static void put(ObjectNode node, FieldDescriptor field, Object value) {
        String name = field.getName();
        switch (field.getJavaType()) {
            case MESSAGE -> node.set(name, object((Message) value));
            case LONG -> node.put(name, (Long) value);
            case INT -> node.put(name, (Integer) value);
            case DOUBLE -> node.put(name, (Double) value);
            case BOOLEAN -> node.put(name, (Boolean) value);
            case ENUM -> node.put(name, ((EnumValueDescriptor) value).getName().toLowerCase(Locale.ROOT));
            default -> node.put(name, value.toString());
        }
    }
}
