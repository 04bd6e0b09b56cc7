/**
 * A connector of Millrace in Spring Boot's Jetty. {@link dev.millrace.spring.MillraceAutoConfiguration} is what Spring Boot finds, and
 * {@link dev.millrace.spring.MillraceProperties} what an application may set.
 *
 * <p>Threading: all of it runs on the thread that starts the application, but for static resources, which the requests' threads serve, and
 * changed certificates, which the thread that watches them brings.
 */
@NullMarked
package dev.millrace.spring;

import org.jspecify.annotations.NullMarked;
