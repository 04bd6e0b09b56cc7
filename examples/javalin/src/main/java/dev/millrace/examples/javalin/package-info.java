/** Javalin with a connector of Millrace: {@link dev.millrace.examples.javalin.JavalinExample}. Its only thread of its own is the main one. */
package dev.millrace.examples.javalin;
