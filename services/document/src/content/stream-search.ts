/** Searches a text that arrives in pieces of any size. */
export interface StreamSearch {
  take(text: string): void;
  isFound(): boolean;
}

/** Searches for a pattern that matches at most `longest` characters and looks at none around them. */
export function streamSearch(pattern: RegExp, longest: number): StreamSearch {
  let last = '';
  let isFound = false;
  return {
    take(text) {
      if (isFound) return;
      const seen = last + text;
      isFound = pattern.test(seen);
      last = seen.slice(1 - longest);
    },
    isFound: () => isFound,
  };
}

/** PDF readers look for the header within this many characters. */
const PDF_HEADER_WITHIN = 1_024;
const PDF_HEADER = '%PDF-';
/** The start of an object: readers use it to find the content of a PDF with damaged tables. */
const PDF_OBJECT = /[\d\s]obj\W/;

/** Searches for a PDF in another format: its header, and an object anywhere. A header without objects is a mention. */
export function pdfSearch(): StreamSearch {
  const objects = streamSearch(PDF_OBJECT, 5);
  let start = '';
  const isPossible = () => start.length < PDF_HEADER_WITHIN || start.includes(PDF_HEADER);
  return {
    take(text) {
      start += text.slice(0, PDF_HEADER_WITHIN - start.length);
      if (isPossible()) objects.take(text);
    },
    isFound() {
      objects.take('\n');
      return start.includes(PDF_HEADER) && objects.isFound();
    },
  };
}
