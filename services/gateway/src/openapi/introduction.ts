/** What the reference says before it comes to the operations: paragraphs of plain text. */
export const INTRODUCTION = `Suppliers send the enquiries of business-finance customers here, and learn what became of them. Webhooks are the way to follow a submission; reads are for recovery and reconciliation.

Two environments exist, each with a host and credentials of its own: the sandbox takes test credentials, production live ones. Nothing is shared between them.

Every request and answer is JSON. A request body must say Content-Type: application/json, be uncompressed and hold at most 65,536 bytes. JSON is read strictly: no key twice, no more than 32 levels, no field that is not listed here. Values are taken as they are, never trimmed or converted; lengths count Unicode characters, and no text may hold NUL or half of a surrogate pair.

Times are in UTC and end in Z, with at most nine digits after the second; answers have three. Dates and months must exist.

Send an X-Request-Id of 1 to 128 visible ASCII characters if you like; every answer carries it, or an id of ours.

Whatever is refused has changed nothing; only after a 503 that is not certain, and the identical request may be sent again. A code of the list below says what went wrong, and its description what to do. Anything that is not an operation answers 404 not_found, and a request that is no HTTP 400 bad_request.`;

/** The version of the interface, not of the software. */
export const INTERFACE_VERSION = '1.0.0';
