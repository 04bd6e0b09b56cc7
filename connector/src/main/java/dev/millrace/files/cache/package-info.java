/**
 * Files that are kept open, and bytes of files in memory. Begin with {@link dev.millrace.files.cache.OpenFileCache}. Not exported:
 * public for {@link dev.millrace.files} alone.
 *
 * <p>Threading: everything here may be used by any thread. The users of an open file, and of a piece of memory, are counted. The one
 * that gives the last count back ends it, once.
 */
@NullMarked
package dev.millrace.files.cache;

import org.jspecify.annotations.NullMarked;
