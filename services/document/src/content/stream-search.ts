/** Searches a text that arrives in pieces of any size. */
export interface StreamSearch {
  take(text: string): void;
  isFound(): boolean;
}

/** Searches for a pattern that matches at most `longest` characters and looks at none around them. */
function streamSearch(pattern: RegExp, longest: number): StreamSearch {
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

const PDF_HEADER = /%PDF-/;
/** The start of an object: readers use it to find the content of a PDF with damaged tables. */
const PDF_OBJECT = /[\d\s]obj\W/;

/** Searches for a PDF in another format: its header anywhere, and an object. A header without objects is a mention. */
export function pdfSearch(): StreamSearch {
  const header = streamSearch(PDF_HEADER, 5);
  const objects = streamSearch(PDF_OBJECT, 5);
  return {
    take(text) {
      header.take(text);
      if (header.isFound()) objects.take(text);
    },
    isFound() {
      objects.take('\n');
      return objects.isFound();
    },
  };
}
