/** A first line that declares the delimiter. */
const DECLARED = /^\s*"?sep=([^\r\n])"?[\r\n]/i;

/** What begins and ends the cells and formulas of a text, and where its first line ends if it declares that. */
interface Cells {
  readonly from: number;
  /** The start of a formula: after a delimiter or line end, white space and quotes. */
  readonly start: RegExp;
  /** What ends a part of a formula outside quotes and parentheses. */
  readonly inCell: RegExp;
}

const COMMON: Cells = {
  from: 0,
  start: /[\r\n,;\t|]([\s"']{0,16})[=+\-@＝＋－＠]/g,
  // A comma between digits may be a decimal one.
  inCell: /[(|;\t\r\n]|,(?!(?<=\d,)\d)/g,
};
const [IN_PARENTHESES, IN_QUOTES] = [/[(|\r\n]/g, /["(|]/g];

function cellsOf(text: string): Cells {
  const [line = '', delimiter] = DECLARED.exec(text) ?? [];
  if (delimiter === undefined) return COMMON;
  const declared = delimiter.replace(/[\]\\^-]/, '\\$&');
  return {
    from: line.length - 1,
    start: new RegExp(COMMON.start.source.replace('[', `[${declared}`), 'g'),
    inCell: new RegExp(`[(|\\r\\n${declared}]`, 'g'),
  };
}

/** A program before the bar of a DDE link. */
const PROGRAM = /(?:(?<![\w.])[a-z_\\][\w.\\:$-]{0,255}|['"])$/i;
/** A topic after the bar, and an item after an exclamation mark. */
const QUOTED_TOPIC = /\|\s*(?:'(?:[^']|'')*'|"{1,2}[^"]*"{1,2})\s*!/y;
const TOPIC = /\|[^\s'"!|,;]{1,255}!\S/y;
/** LibreOffice's function. */
const DDE_FUNCTION = /(?<![\w.])DDE$/i;
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
  let cells: Cells | undefined;

  function look(): void {
    const isFirst = cells === undefined;
    cells ??= cellsOf(text);
    const at = ddeAt(text, cells, isFirst ? cells.from : 0);
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

function ddeAt(text: string, { start: pattern, inCell }: Cells, from: number): number | undefined {
  pattern.lastIndex = from;
  for (let start = pattern.exec(text); start; start = pattern.exec(text)) {
    const isQuoted = start[1]?.includes('"') ?? false;
    const { at, isDde } = formulaFrom(text, pattern.lastIndex, isQuoted, inCell);
    if (isDde) return start.index;
    pattern.lastIndex = at;
  }
  return undefined;
}

/** Follows a formula to its end or to what makes it a DDE formula. */
function formulaFrom(text: string, from: number, isQuoted: boolean, inCell: RegExp) {
  let mode = isQuoted ? IN_QUOTES : inCell;
  for (let at = from; ; ) {
    mode.lastIndex = at;
    const stop = mode.exec(text)?.index ?? text.length;
    let end = stop;
    while (end > at && text[end - 1]?.trim() === '') end -= 1;
    const before = text.slice(Math.max(from - 1, end - MAX_PROGRAM), end);
    at = stop + 1;
    switch (text[stop]) {
      case '|':
        if (isLink(text, stop, before, end < stop)) return { at: stop, isDde: true };
        if (mode === inCell) return { at: stop, isDde: false };
        break;
      case '(':
        if (DDE_FUNCTION.test(before)) return { at: stop, isDde: true };
        if (mode === inCell) mode = IN_PARENTHESES;
        break;
      case '"':
        // Two quotes are one in the cell, and spreadsheets add what follows the closing one.
        if (text[at] === '"') at += 1;
        else mode = inCell;
        break;
      default:
        return { at: stop, isDde: false };
    }
  }
}

/** Whether the bar stands between a program and a topic. A text after a sign may contain an unquoted bar. */
function isLink(text: string, bar: number, before: string, isSpaced: boolean): boolean {
  if (!PROGRAM.test(before)) return false;
  QUOTED_TOPIC.lastIndex = bar;
  TOPIC.lastIndex = bar;
  const isText = /^[+\-＋－]/.test(before) && (isSpaced || /\s/.test(before));
  return QUOTED_TOPIC.test(text) || (!isText && TOPIC.test(text));
}
