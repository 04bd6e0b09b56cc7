package dev.millrace.load.scenario;

/** The checks of a downloaded body, from none to most thorough. Each includes those before it, except AUTO. */
public enum Verify {
    /** The status alone; bytes are counted. */
    NONE,
    /** Headers and length too. */
    LENGTH,
    /** CRC32C of every body. It is learnt from the first body of each file, which is checked by MD5. */
    CRC,
    /** MD5 of every body. */
    MD5,
    /** CRC32C of every body, and MD5 of the first of each file and of a sample; of all when clients are throttled. */
    AUTO
}
