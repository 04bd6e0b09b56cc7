/**
 * A connector of Millrace in Spring Boot's Jetty. {@link dev.millrace.spring.MillraceAutoConfiguration} is what Spring Boot finds, and
 * {@link dev.millrace.spring.MillraceProperties} what an application may set.
 *
 * <p>Threading: the thread that starts the application runs all of it, with two exceptions. Static resources are served by the requests'
 * threads. Changed certificates are brought by the thread that watches them.
 */
@NullMarked
package dev.millrace.spring;

import org.jspecify.annotations.NullMarked;
