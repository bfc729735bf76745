import { ContentRefused } from './content-fault.ts';

/**
 * Finds references to other files in the texts of a workbook. LibreOffice loads such a file without asking when INDIRECT
 * has the text, wherever that comes from.
 */
export interface IndirectFiles {
  /** The workbook uses INDIRECT. */
  follow(): void;
  /** Judges a text that INDIRECT could have. */
  take(text: string): void;
  /** Throws ContentRefused if the texts so far, in this part, refer to other files and are followed. */
  check(): void;
}

export function indirectFiles(): IndirectFiles {
  let [isFollowed, isFound] = [false, false];
  return {
    follow() {
      isFollowed = true;
    },
    take(text) {
      isFound ||= isOtherFile(text);
    },
    check() {
      if (isFollowed && isFound) throw new ContentRefused('workbook-formula');
    },
  };
}

const REMOTE = /[a-z][a-z0-9+.-]{1,20}:[\\/]|[\\/]{2}/i;
/** What separates a file from a place in it. */
const PLACE = /'\s*#|\]/;

/** Whether a text is an address with a place in its file: `'http://x/a.ods'#$Sheet1.A1`, `[http://x/a.xlsx]Sheet1`. */
function isOtherFile(text: string): boolean {
  const start = text.search(REMOTE);
  if (start < 0) return false;
  const isQuoted = /['[]/.test(text.slice(0, start).trimEnd().slice(-1));
  const rest = text.slice(start);
  return PLACE.test(isQuoted ? rest : (/^\S*/.exec(rest)?.[0] ?? ''));
}
