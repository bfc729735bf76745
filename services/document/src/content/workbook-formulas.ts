import { ContentRefused } from './content-fault.ts';
import { isLinkTarget } from './workbook-parts.ts';
import type { IndirectFiles } from './workbook-references.ts';

/** Excel allows 8,192 characters, before it adds prefixes to new functions. */
const MAX_LENGTH = 32 * 1024;
const MAX_CALLS = 100;

/** Elements that contain a formula, besides those of form controls. */
const ELEMENTS: ReadonlySet<string> = new Set([
  'f',
  'formula',
  'formula1',
  'formula2',
  'oldFormula',
  'definedName',
  'calculatedColumnFormula',
  'totalsRowFormula',
]);
const CONTROLS = /^fmla/i;
/** Attributes that contain a formula: of pivot tables, shapes and form controls. */
const ATTRIBUTES = /^(?:formula|textlink|macro|fmla\w+)$/i;
/** Elements and attributes that contain the name of a macro. A macro of the workbook itself is in `[0]`. */
const MACROS = /^(?:fmla)?macro$/i;
const MACRO_ELSEWHERE = /^(?!\s*\[0\]!).*!/s;
const isFormula = (name: string) => ELEMENTS.has(name) || CONTROLS.test(name);

/** Functions that start a program or load something: from the internet, add-ins, Excel 4 and LibreOffice. */
const NAMES = [
  ...['WEBSERVICE', 'IMAGE', 'RTD', 'PY', 'DDE', 'CALL', 'REGISTER(?:\\.ID)?', 'UNREGISTER'],
  ...['COPILOT', 'STOCKHISTORY', 'IMPORT(?:TEXT|CSV)', 'CUBE(?:KPI|RANKED)?MEMBER', 'CUBEMEMBERPROPERTY'],
  ...['CUBESET(?:COUNT)?', 'CUBEVALUE', 'SQL\\.(?:REQUEST|OPEN|EXEC\\.QUERY)'],
  ...['EXEC', 'EXECUTE', 'RUN', 'INITIATE', 'POKE', 'REQUEST', 'TERMINATE', 'SEND\\.KEYS', 'EVALUATE'],
  ...['FILES', '(?:CREATE\\.|DELETE\\.)?DIRECTORY', 'DOCUMENTS', 'FILE\\.\\w+', 'OPEN(?:\\.\\w+)?', 'LINKS'],
  ...['SAVE(?:\\.\\w+)*', 'GET\\.\\w+', 'ON\\.\\w+', 'FOPEN', 'FCLOSE', 'FWRITE(?:LN)?', 'FREAD(?:LN)?'],
].join('|');
/** A call, or a function that is passed to another one. `_xlpm.` is the prefix of a formula's own names. */
const FUNCTIONS = new RegExp(
  `(?<!\\w)(?:(?:_xl\\w+\\.)*(?:${NAMES})\\s*\\(|(?:_xl(?!pm\\.)\\w+\\.)+(?:${NAMES})(?![\\w.]))`,
  'i',
);

/** A text, a quoted sheet or source, or the brackets of a table's column or of another file. */
const TOKENS = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\[(?:'.|[^[\]']|\[(?:'.|[^[\]'])*\])*\]/gs;
/** What follows the name of another file: `[book.xlsx]Sheet1!`. */
const SHEET = /[^[\]!'"()\s,;+*/&=<>-]*!/y;
/** Numbers refer to the links of the workbook, which has none. */
const LINK_NUMBER = /^\[\d+\]$/;
const QUOTED_FILE = /\[(?!\d+\])[^[\]]+\]|^'(?:[a-z][a-z0-9+.-]*:)?[\\/]{2}|^'[a-z]:\\/is;

/**
 * Collects the formulas of a part while it is parsed, and refuses one that can start or load something. The outermost
 * element counts. Readers differ in what they keep of a text beside elements, so that is refused too.
 */
export function formulaChecks(files: IndirectFiles) {
  let element = '';
  let formula = '';
  let depth = 0;
  /** What came last, apart from white space. */
  let last: 'open' | 'text' | 'close' = 'open';
  return {
    open(name: string, attributes: Readonly<Record<string, string>>): void {
      if (depth > 0 && last === 'text') throw new ContentRefused('workbook-unreadable');
      if (depth === 0) element = name;
      if (depth > 0 || isFormula(name)) depth += 1;
      last = 'open';
      if (name === 'cfvo' && attributes.val !== undefined) checkFormula(attributes.val, files);
      for (const [attribute, value] of Object.entries(attributes))
        if (ATTRIBUTES.test(attribute)) check(attribute, value, files);
    },
    text(text: string): void {
      if (depth === 0) return;
      formula += text;
      if (formula.length > MAX_LENGTH) throw new ContentRefused('workbook-unreadable');
      if (text.trim() === '') return;
      if (last === 'close') throw new ContentRefused('workbook-unreadable');
      last = 'text';
    },
    close(): void {
      if (depth === 0) return;
      depth -= 1;
      last = 'close';
      if (depth > 0) return;
      check(element, formula, files);
      formula = '';
    },
  };
}

function check(name: string, formula: string, files: IndirectFiles): void {
  checkFormula(formula, files);
  if (MACROS.test(name) && MACRO_ELSEWHERE.test(formula)) throw new ContentRefused('workbook-external-link');
}

/**
 * Refuses a formula that can start a program or load data from elsewhere. Texts and names in it are not judged, except
 * addresses of links and of other files.
 */
function checkFormula(formula: string, files: IndirectFiles): void {
  if (formula.length > MAX_LENGTH) throw new ContentRefused('workbook-unreadable');
  let isOtherFile = false;
  const bare = formula.replace(TOKENS, (token, at: number) => {
    SHEET.lastIndex = at + token.length;
    isOtherFile ||= token.startsWith("'") && QUOTED_FILE.test(token);
    isOtherFile ||= token.startsWith('[') && !LINK_NUMBER.test(token) && SHEET.test(formula);
    return token.startsWith('"') ? '""' : "''";
  });
  if (FUNCTIONS.test(bare) || bare.includes('|')) throw new ContentRefused('workbook-formula');
  if (isOtherFile) throw new ContentRefused('workbook-external-link');
  for (const [literal] of formula.matchAll(ALL_JOINED)) files.take(textOf(literal));
  const calls = formula.match(CALLS) ?? [];
  if (calls.length > MAX_CALLS) throw new ContentRefused('workbook-unreadable');
  if (calls.length === 0) return;
  if (!linksIn(formula).every(isLinkTarget)) throw new ContentRefused('workbook-hyperlink');
  const places = literalsIn(formula, INDIRECT);
  if (places.some((texts) => OTHER_FILE.test(texts.map(({ text }) => text).join(''))))
    throw new ContentRefused('workbook-formula');
  if (places.length > 0) files.follow();
}

const CALLS = /(?:HYPERLINK|INDIRECT)\s*\(/gi;
const HYPERLINK = /HYPERLINK\s*\(\s*/gi;
const INDIRECT = /INDIRECT\s*\(\s*/gi;
/** A text that INDIRECT takes for a place in another file: not one in a table, or relative to the cell. */
const OTHER_FILE = /[a-z][a-z0-9+.-]{0,20}:[\\/]|[\\/]{2}|'\s*#|(?<![rc])\[[^[\]]*\][^[\]]*!/i;

/** Literal texts that are joined by `&`. */
const JOINED = /"(?:[^"]|"")*"(?:\s*&\s*"(?:[^"]|"")*")*/y;
const ALL_JOINED = new RegExp(JOINED.source, 'g');
const QUOTED = /'(?:[^']|'')*'/y;
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i;
const END_OF_ARGUMENT = /\s*(?:[,;)]|$)/y;

/** Returns the literal addresses in the first arguments of HYPERLINK. Addresses from other cells are not known. */
function linksIn(formula: string): string[] {
  return literalsIn(formula, HYPERLINK)
    .flat()
    .filter(({ text, isWhole }) => ADDRESS.test(text) || (isWhole && text !== ''))
    .map(({ text }) => text);
}

interface Literal {
  readonly text: string;
  /** Whether it is the argument, not a part of it. */
  readonly isWhole: boolean;
}

/** Returns the literals in the first argument of each call. */
function literalsIn(formula: string, call: RegExp): Literal[][] {
  const matchAt = (pattern: RegExp, at: number) => {
    pattern.lastIndex = at;
    return pattern.exec(formula)?.[0];
  };
  return [...formula.matchAll(call)].map(({ index, 0: start }) => {
    const literals: Literal[] = [];
    const first = index + start.length;
    let depth = 1;
    for (let at = first; at < formula.length && depth > 0; ) {
      const literal = matchAt(JOINED, at);
      const char = formula[at];
      if (literal !== undefined) {
        const isWhole = at === first && matchAt(END_OF_ARGUMENT, at + literal.length) !== undefined;
        literals.push({ text: textOf(literal), isWhole });
      } else if (char === '(') depth += 1;
      else if (char === ')' || (depth === 1 && (char === ',' || char === ';'))) depth -= 1;
      at += (literal ?? matchAt(QUOTED, at) ?? ' ').length;
    }
    return literals;
  });
}

function textOf(literal: string): string {
  return literal
    .replace(/"\s*&\s*"/g, '')
    .slice(1, -1)
    .replaceAll('""', '"')
    .trim();
}
