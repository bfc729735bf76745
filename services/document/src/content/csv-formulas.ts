/** The start of a cell that spreadsheets read as a formula: after a delimiter or line end, white space and quotes. */
const START = /[\r\n,;\t|]([\s"']{0,16})[=+\-@＝＋－＠]/g;
/** What ends a part of a formula: outside quotes also delimiters, unless a parenthesis is open. */
const [IN_CELL, IN_PARENTHESES, IN_QUOTES] = [/[(|,;\t\r\n]/g, /[(|\r\n]/g, /["(|]/g];
/** A program before the bar of a DDE link. */
const PROGRAM = /(?:(?<![\w.])[a-z_\\][\w.\\:$-]{0,255}|['"])\s{0,16}$/i;
/** A topic after the bar, and an item after an exclamation mark. */
const QUOTED_TOPIC = /\|\s{0,16}(?:'(?:[^']|''){0,1000}'|"{1,2}[^"]{0,1000}"{1,2})\s{0,16}!/y;
const TOPIC = /\|[^\s'"!|,;]{1,255}!\S/y;
/** LibreOffice's function. */
const DDE_FUNCTION = /(?<![\w.])DDE\s{0,16}$/i;
const MAX_PROGRAM = 300;

/** Excel allows 8,192 characters in a formula; the last part is at most a program and its topic. */
const KEPT = 12 * 1024;
const BLOCK = 64 * 1024;

/** Looks for cells with DDE formulas in a text, in pieces of any size. Other formulas pass. */
export function ddeFormulas() {
  // The text begins like a line.
  let text = '\n';
  let unread = 0;
  let linesBefore = 0;
  let found: number | undefined;

  function look(): void {
    const at = ddeAt(text);
    if (at !== undefined) found ??= linesBefore + linesIn(text.slice(0, at + 1));
    const done = Math.max(0, text.length - KEPT);
    linesBefore += linesIn(text.slice(0, done));
    text = text.slice(done);
    unread = 0;
  }

  return {
    take(piece: string): void {
      if (found !== undefined) return;
      text += piece;
      unread += piece.length;
      if (unread >= BLOCK) look();
    },
    /** Returns the line of the first formula in the completed text. */
    line(): number | undefined {
      if (found === undefined) look();
      return found;
    },
  };
}

const linesIn = (text: string) => text.split('\n').length - 1;

function ddeAt(text: string): number | undefined {
  START.lastIndex = 0;
  for (let start = START.exec(text); start; start = START.exec(text)) {
    const { at, isDde } = formulaFrom(text, START.lastIndex, start[1]?.includes('"') ?? false);
    if (isDde) return start.index;
    START.lastIndex = at;
  }
  return undefined;
}

/** Follows a formula to its end or to what makes it a DDE formula. */
function formulaFrom(text: string, from: number, isQuoted: boolean): { at: number; isDde: boolean } {
  let mode = isQuoted ? IN_QUOTES : IN_CELL;
  for (let at = from; ; ) {
    mode.lastIndex = at;
    const stop = mode.exec(text)?.index ?? text.length;
    const before = text.slice(Math.max(from - 1, stop - MAX_PROGRAM), stop);
    at = stop + 1;
    switch (text[stop]) {
      case '|':
        if (isLink(text, stop, before)) return { at: stop, isDde: true };
        if (mode === IN_CELL) return { at: stop, isDde: false };
        break;
      case '(':
        if (DDE_FUNCTION.test(before)) return { at: stop, isDde: true };
        if (mode === IN_CELL) mode = IN_PARENTHESES;
        break;
      case '"':
        // Two quotes are one in the cell, and spreadsheets add what follows the closing one.
        if (text[at] === '"') at += 1;
        else mode = IN_CELL;
        break;
      default:
        return { at: stop, isDde: false };
    }
  }
}

/** Whether the bar stands between a program and a topic. A text after a sign may contain an unquoted bar. */
function isLink(text: string, bar: number, before: string): boolean {
  if (!PROGRAM.test(before)) return false;
  QUOTED_TOPIC.lastIndex = bar;
  TOPIC.lastIndex = bar;
  return QUOTED_TOPIC.test(text) || (!/^[+\-＋－].*\s/s.test(before) && TOPIC.test(text));
}
