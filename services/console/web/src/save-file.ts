import { BOM } from '@supplier/lib/text/csv';

/** Time for the browser to start reading the file. */
const READ_MS = 10_000;

/**
 * Downloads content as a file. Nothing of it stays on the page. CSV begins with a byte order mark, because people open it
 * in a spreadsheet.
 */
export function saveFile(name: string, type: string, parts: readonly string[]): void {
  const url = URL.createObjectURL(
    new Blob([...(type.startsWith('text/csv') ? [BOM] : []), ...parts], { type }),
  );
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), READ_MS);
}
