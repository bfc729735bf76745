/** Replaced in filenames: control characters, path separators and direction marks. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}/\\\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/**
 * Returns the header that makes a browser save a download as `filename` (RFC 6266, RFC 8187). For any name, the header
 * is one well-formed line of ASCII, and the name stays within the directory in which it is saved.
 */
export function contentDisposition(filename: string): string {
  const name = filename.toWellFormed().replace(UNSAFE, '_');
  const plain = name.replace(/[^\w .()-]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeExtended(name)}`;
}

/** Percent-encodes all characters except the ones that RFC 8187 allows. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
