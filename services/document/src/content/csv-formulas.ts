/** A first line that declares the delimiter. */
const DECLARED = /^\s*"?sep=([^\r\n])"?[\r\n]/i;
/** What some program takes for a delimiter. */
const DELIMITERS = ',;\\t|';

/** What separates the cells of a text, and where its first line ends if it declares that. */
interface Cells {
  readonly from: number;
  /** A boundary of a cell, with the white space, quotes and sign after it that begin a formula. */
  readonly start: RegExp;
  /** The same, a boundary without a formula, and what else counts in a formula. */
  readonly inFormula: RegExp;
  /** A number in a cell of its own, after its sign. A comma between digits may be a decimal one. */
  readonly number: RegExp;
}

function cellsOf(text: string): Cells {
  const [line = '', delimiter = ''] = DECLARED.exec(text) ?? [];
  const declared = delimiter.replace(/[\]\\^-]/, '\\$&');
  const start = `[\\r\\n${DELIMITERS}${declared}](?=([\\s"']{0,16})([=+\\-@＝＋－＠])`;
  return {
    from: Math.max(0, line.length - 1),
    start: new RegExp(`${start})`, 'g'),
    inFormula: new RegExp(`["(]|${start}?)`, 'g'),
    number: new RegExp(`(?:[\\d.]|,(?=\\d)){1,64}(?!,\\d)[${declared || DELIMITERS}]`, 'y'),
  };
}

/** A program before the bar of a DDE link. */
const PROGRAM = /(?:(?<![\w.])[a-z_\\][\w.\\:$-]{0,255}|['"])$/i;
/** A topic after the bar, and an item after an exclamation mark. */
const QUOTED_TOPIC = /\|\s*(?:'(?:[^']|'')*'|"{1,2}[^"]*"{1,2})\s*!/y;
const TOPIC = /\|[^\s'"!|,;]{1,255}!\S/y;
const SPACED_TOPIC = /\|\s*[^\s'"!|,;]{1,255}\s*!\s*\S/y;
/** LibreOffice's function, and one argument, where it needs three. */
const DDE_FUNCTION = /(?<![\w.])DDE$/i;
const ONE_ARGUMENT = /\([^;,()]{0,255}\)/y;
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

interface Formula {
  /** Position of its sign. */
  readonly at: number;
  /** Whether it is probably a number, or a text with white space: after a plus or minus. */
  isProbablyNone: boolean;
  /** Whether it is a formula even with white space in it. */
  readonly isCertain: boolean;
  /** Whether it may continue on the next line. */
  isQuoted: boolean;
  /** Up to where white space is searched. */
  readTo: number;
}

/**
 * Returns where a DDE formula begins. Programs differ in their delimiters, and so in which quotes begin a cell. So every
 * boundary may begin a formula, and a formula may continue to the end of its line or to a quote.
 */
function ddeAt(text: string, cells: Cells, from: number): number | undefined {
  let formula: Formula | undefined;
  for (let at = from; ; ) {
    const pattern = formula ? cells.inFormula : cells.start;
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) return undefined;
    const { 0: token, 1: before = '', 2: sign, index } = match;
    at = index + 1;
    if (formula) {
      formula.isProbablyNone ||= !formula.isCertain && /\s/.test(text.slice(formula.readTo, index));
      formula.readTo = index;
      if (isDde(text, index, formula)) return formula.at;
      // Two quotes are one in the cell, and spreadsheets add what follows the closing one.
      if (token === '"' && text[at] === '"') at += 1;
      else if (token === '"') formula.isQuoted = false;
      else if (!formula.isQuoted && /[\r\n]/.test(token)) formula = undefined;
    }
    if (sign === undefined) continue;
    at += before.length + 1;
    const isQuoted = before.includes('"') || (formula?.isQuoted ?? false);
    if (formula && !formula.isProbablyNone) formula.isQuoted = isQuoted;
    else {
      const isCertain = !/[+\-＋－]/.test(sign);
      const isProbablyNone = !isCertain && matchesAt(cells.number, text, at);
      formula = { at: at - 1, isProbablyNone, isCertain, isQuoted, readTo: at };
    }
  }
}

/** Whether a bar or parenthesis in a formula makes it a DDE formula. */
function isDde(text: string, at: number, { at: start, isCertain, isProbablyNone }: Formula): boolean {
  const topic = isCertain ? SPACED_TOPIC : TOPIC;
  const isCall = text[at] === '(' && !matchesAt(ONE_ARGUMENT, text, at);
  const isLink = matchesAt(QUOTED_TOPIC, text, at) || (!isProbablyNone && matchesAt(topic, text, at));
  if (!isCall && !isLink) return false;
  let end = at;
  while (end > start && text[end - 1]?.trim() === '') end -= 1;
  const before = text.slice(Math.max(start, end - MAX_PROGRAM), end);
  return (isCall ? DDE_FUNCTION : PROGRAM).test(before);
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
