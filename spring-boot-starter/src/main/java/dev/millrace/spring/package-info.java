/**
 * A connector of Millrace in Spring Boot's Jetty. Spring Boot finds {@link
 * dev.millrace.spring.MillraceAutoConfiguration}, and {@link dev.millrace.spring.MillraceProperties} is what an
 * application may set.
 *
 * <p>Threading: the thread that starts the application runs all of it, with two exceptions. The requests' threads serve
 * static resources, and the thread that watches certificates loads changed ones.
 */
@NullMarked
package dev.millrace.spring;

import org.jspecify.annotations.NullMarked;
