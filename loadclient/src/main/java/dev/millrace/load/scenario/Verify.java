package dev.millrace.load.scenario;

/** How thoroughly a downloaded body is checked. Status, header and length are checked always, but for {@link #NONE}. */
public enum Verify {
    /** Count bytes only. */
    NONE,
    /** Status, headers and length. */
    LENGTH,
    /** And CRC32C of every body; the first of each file also by MD5, which is what the CRC32C is learnt from. */
    CRC,
    /** And MD5 of every body. */
    MD5,
    /**
     * CRC32C of every body; MD5 of the first of each file, and of every one when clients are throttled, else of a
     * sample.
     */
    AUTO
}
