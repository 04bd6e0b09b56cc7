package dev.millrace.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.http.converter.ResourceHttpMessageConverter;
import org.springframework.http.converter.ResourceRegionHttpMessageConverter;
import org.springframework.web.servlet.handler.AbstractUrlHandlerMapping;
import org.springframework.web.servlet.resource.ResourceHttpRequestHandler;

/**
 * Makes the handlers of static resources leave files to the server. A handler that was given converters of another kind
 * keeps them.
 */
final class StaticResourcePostProcessor implements BeanPostProcessor {
    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof AbstractUrlHandlerMapping mapping) {
            mapping.getHandlerMap().values().forEach(StaticResourcePostProcessor::process);
        } else {
            process(bean);
        }
        return bean;
    }

    private static void process(Object bean) {
        if (bean instanceof ResourceHttpRequestHandler handler) {
            if (isOf(ResourceHttpMessageConverter.class, handler.getResourceHttpMessageConverter())) {
                handler.setResourceHttpMessageConverter(new FileConverter());
            }
            if (isOf(ResourceRegionHttpMessageConverter.class, handler.getResourceRegionHttpMessageConverter())) {
                handler.setResourceRegionHttpMessageConverter(new FileRegionConverter());
            }
        }
    }

    private static boolean isOf(Class<?> type, @Nullable Object converter) {
        return converter != null && converter.getClass() == type;
    }
}
