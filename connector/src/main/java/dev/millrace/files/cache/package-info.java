/**
 * Files that are kept open, and bytes of files in memory. Begin with {@link dev.millrace.files.cache.OpenFileCache}. Not exported:
 * public for {@link dev.millrace.files} alone.
 *
 * <p>Threading: everything here may be used by any thread. An open file and a run of memory are counted. The caller that gives the
 * last count back ends them, once.
 */
@NullMarked
package dev.millrace.files.cache;

import org.jspecify.annotations.NullMarked;
