import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A unique text, and every encoded form in which it could be found. */
export interface Forms {
  /** Searched for verbatim, ignoring case. */
  readonly texts: readonly string[];
  readonly bytes: readonly Buffer[];
}

/**
 * Returns the forms in which `marks` may have been stored: plain, UTF-16 in either byte order, hexadecimal, base64 at
 * each of the three offsets in a longer text, and URL-encoded.
 */
export function formsOf(marks: readonly string[]): Forms {
  const plain = [...new Set(marks.flatMap((mark) => [mark, encodeURIComponent(mark)]))];
  const wide = marks.flatMap((mark) => {
    const little = Buffer.from(mark, 'utf16le');
    return [little, Buffer.from(little).swap16()];
  });
  const bytes = [...plain.map((text) => Buffer.from(text)), ...wide];
  const texts = [
    ...plain,
    ...bytes.map((form) => form.toString('hex')),
    ...bytes.flatMap((form) => base64Forms(form)),
  ];
  const asText = texts.map((text) => Buffer.from(text));
  return {
    texts,
    bytes: [...new Map([...bytes, ...asText].map((form) => [form.toString('hex'), form])).values()],
  };
}

/** Returns the part of a text's base64 that doesn't depend on the text before and after it. */
function base64Forms(form: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), form]).toString('base64');
    const first = [0, 2, 3][before] ?? 0;
    const whole = Math.floor(((before + form.length) * 8) / 6);
    return encoded.slice(first, whole);
  });
}

/** Returns the files below a folder that contain one of the forms, as relative paths. */
export function filesHolding(path: string, { bytes }: Forms): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => {
      const content = contentOf(file);
      return bytes.some((form) => content.includes(form));
    })
    .map((file) => file.slice(path.length + 1));
}

/** Files of a running stack come and go. */
function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    // Any other read error must not look like an empty file.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
