/** What would break a header, misplace a file, or make a name read as another one: controls, separators, direction marks. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}/\\\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/**
 * The header that has a browser save what it gets, under `filename` (RFC 6266, RFC 8187). Names are data: whatever they
 * hold, the header stays one well-formed line of ASCII, and no name reaches out of the folder it is saved in.
 */
export function contentDisposition(filename: string): string {
  const name = filename.toWellFormed().replace(UNSAFE, '_');
  const plain = name.replace(/[^\w .()-]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeExtended(name)}`;
}

/** Percent-encodes all but the characters that RFC 8187 lets stand. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
