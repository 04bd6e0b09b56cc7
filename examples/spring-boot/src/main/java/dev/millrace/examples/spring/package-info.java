/** Spring Boot with the starter of Millrace: {@link dev.millrace.examples.spring.SpringExample}. Its only thread of its own is the main one. */
package dev.millrace.examples.spring;
