package dev.millrace.uuid;

/**
 * UUIDs of one kind, as asked for and found right.
 *
 * @param count how many, at least 1
 * @param name what to hash; null unless the method is {@link UuidMethod#NAME}
 */
record Batch(UuidMethod method, int count, String name, NameSpace nameSpace, NameDigest digest) {
    static final int MAX_NAME_CHARS = 1024;

    /**
     * Reads a batch from its parts as they stood in the request; null means not given.
     *
     * @throws RefusedException when a part is wrong, or a name is needed and missing
     */
    static Batch parse(String method, String count, String name, String nameSpace, String digest)
            throws RefusedException {
        UuidMethod parsedMethod = UuidMethod.parse(method);
        int parsedCount = parseCount(count);
        NameSpace parsedNameSpace = NameSpace.parse(nameSpace);
        NameDigest parsedDigest = NameDigest.parse(digest);
        if (parsedMethod != UuidMethod.NAME) {
            return new Batch(parsedMethod, parsedCount, null, parsedNameSpace, parsedDigest);
        }
        if (name == null || name.isEmpty()) {
            throw new RefusedException(Fault.WRONG_NAME, "method name needs a name");
        }
        if (name.length() > MAX_NAME_CHARS) {
            throw new RefusedException(Fault.WRONG_NAME, "the name is longer than " + MAX_NAME_CHARS + " characters");
        }
        return new Batch(parsedMethod, parsedCount, name, parsedNameSpace, parsedDigest);
    }

    private static int parseCount(String text) throws RefusedException {
        if (text == null) {
            return 1;
        }
        String digits = text.trim();
        // Nine digits always fit an int. Integer.parseInt takes signs and the digits of other scripts: not wanted here.
        boolean number = !digits.isEmpty() && digits.length() <= 9
            && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        int count = number ? Integer.parseInt(digits) : 0;
        if (count < 1) {
            throw new RefusedException(Fault.WRONG_COUNT,
                "count " + SafeText.quote(text) + " is not a positive number");
        }
        return count;
    }
}
