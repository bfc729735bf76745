import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A text that nobody has written before, and every form in which it could be found again. */
export interface Forms {
  /** Of which each is looked for as it stands, in any case. */
  readonly texts: readonly string[];
  readonly bytes: readonly Buffer[];
}

/**
 * The forms in which `marks` may have been written down: plain, as UTF-16 in either order of bytes, in hexadecimal, in
 * base64 at each of the three places where it may begin in a longer text, and as in a URL.
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

/** What of a text's base64 does not depend on what stands before and behind it. */
function base64Forms(form: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), form]).toString('base64');
    const first = [0, 2, 3][before] ?? 0;
    const whole = Math.floor(((before + form.length) * 8) / 6);
    return encoded.slice(first, whole);
  });
}

/** Files below a folder that hold one of the forms, by their paths from there. */
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
    // Whatever else keeps a file from being read must not look as if nothing were in it.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
