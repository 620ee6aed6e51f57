"""The names that readers use for bytes without a record, and for bytes without meaning."""

NUL_BYTES = "NUL bytes"
EMPTY_OBJECT = "empty object"
TORN_RECORD = "torn record"
NOT_A_RECORD = "not a record"
BYTE_ORDER_MARK = "byte order mark"
GLUED = "more than one record on the line"
INSIDE_DAMAGE = "found in a damaged line"

BLANKS = b" \t\r\n"
BOM = b"\xef\xbb\xbf"
