import { ENDS_NAME, hasAt, nameAt, WHITE } from './pdf-names.ts';

/** A parse that starts at one position: an object, a trailer, or the bytes in between. */
export interface Reading {
  kind: 'obj' | 'trailer' | 'between' | 'packed';
  /** Where it starts, as a byte offset in the file. */
  at: number;
  /** Relevant names found so far. */
  readonly names: Set<string>;
}

interface State extends Reading {
  mode: 'tokens' | 'comment' | 'string' | 'hex';
  /** Open parentheses of a string. */
  parentheses: number;
  /** Open dictionaries and lists, innermost last. */
  open: string;
  /** Mismatched brackets: readers differ in where such an object ends, so this reading never ends. */
  isTangled: boolean;
  /** Position up to which bytes were already consumed with earlier ones. */
  skipUntil: number;
}

export interface Readings {
  /** Starts a reading at a file offset, with the next byte. */
  begin(kind: Reading['kind'], at: number): void;
  /** Reads the byte at `index`; later bytes are only lookahead. `at` is its file offset. */
  step(bytes: Uint8Array, index: number, at: number): void;
  /** Readings that have not ended. */
  left(): readonly Reading[];
}

/** Callbacks for readings. */
export interface Findings {
  name(reading: Reading, name: string): void;
  /** A reading ended at a file offset, where its stream data begins or its object ends. */
  end(reading: Reading, how: 'stream' | 'over', at: number): void;
  /** The number or depth of readings exceeds the limit. */
  tooMany(): void;
}

/** Maximum for one position. Ordinary files have one, and a second where the first does not end. */
const MAX_READINGS = 8;
const MAX_DEPTH = 500;

const STREAM = Buffer.from('stream');
const END_OF_OBJECT = Buffer.from('endobj');
const START_OF_TABLE = Buffer.from('startxref');

/**
 * Parses objects as PDF readers do: names count only as names, not inside strings, comments and stream data. Several
 * readings run in parallel, since one may start inside another's string. Readings that reach the same state are merged.
 * An object ends at `endobj` or `stream` once its brackets are closed.
 */
export function pdfReadings(findings: Findings): Readings {
  let states: State[] = [];

  function step(state: State, bytes: Uint8Array, index: number, at: number): void {
    if (at < state.skipUntil) return;
    const byte = bytes[index] ?? 0;
    switch (state.mode) {
      case 'tokens':
        token(state, bytes, index, at);
        return;
      case 'comment':
        if (byte === 0x0a || byte === 0x0d) state.mode = 'tokens';
        return;
      case 'hex':
        if (byte === 0x3e) state.mode = 'tokens';
        return;
      case 'string':
        if (byte === 0x5c) state.skipUntil = at + 2;
        else if (byte === 0x28) state.parentheses += 1;
        else if (byte === 0x29) {
          state.parentheses -= 1;
          if (state.parentheses === 0) state.mode = 'tokens';
        }
        return;
    }
  }

  function token(state: State, bytes: Uint8Array, index: number, at: number): void {
    switch (bytes[index]) {
      case 0x25:
        state.mode = 'comment';
        return;
      case 0x28:
        state.mode = 'string';
        state.parentheses = 1;
        return;
      case 0x3c:
        if (bytes[index + 1] !== 0x3c) {
          state.mode = 'hex';
          return;
        }
        state.skipUntil = at + 2;
        opened(state, '<');
        return;
      case 0x3e:
        if (bytes[index + 1] !== 0x3e) return;
        state.skipUntil = at + 2;
        closed(state, '<');
        return;
      case 0x5b:
        opened(state, '[');
        return;
      case 0x5d:
        closed(state, '[');
        return;
      case 0x2f: {
        const name = nameAt(bytes, index + 1);
        if (name === undefined) return;
        state.names.add(name);
        findings.name(state, name);
        return;
      }
      case 0x73:
        if (isWord(bytes, index, STREAM)) over(state, 'stream', at + STREAM.length);
        else if (isWord(bytes, index, START_OF_TABLE)) over(state, 'over', at);
        return;
      case 0x65:
        if (isWord(bytes, index, END_OF_OBJECT)) over(state, 'over', at);
        return;
    }
  }

  function opened(state: State, bracket: string): void {
    state.open += bracket;
    if (state.open.length > MAX_DEPTH) findings.tooMany();
  }

  function closed(state: State, bracket: string): void {
    if (state.open.endsWith(bracket)) state.open = state.open.slice(0, -1);
    else state.isTangled = true;
  }

  function over(state: State, how: 'stream' | 'over', at: number): void {
    if (state.open !== '' || state.isTangled || state.kind === 'packed') return;
    states = states.filter((other) => other !== state);
    findings.end(state, how, at);
  }

  return {
    begin(kind, at) {
      const same = states.find((state) => keyOf(state, at) === FRESH);
      if (same) {
        Object.assign(same, { kind, at, skipUntil: at });
        return;
      }
      const names = new Set<string>();
      states.push({
        ...{ kind, at, names, skipUntil: at },
        ...{ mode: 'tokens', parentheses: 0, open: '', isTangled: false },
      });
      if (states.length > MAX_READINGS) states = united(states, at);
      if (states.length > MAX_READINGS) findings.tooMany();
    },
    step(bytes, index, at) {
      for (const state of states) step(state, bytes, index, at);
    },
    left: () => states,
  };
}

/** The state of a new reading. */
const FRESH = 'tokens 0  false 0';

/** Returns the same key for readings that behave identically from `at`. */
function keyOf({ mode, parentheses, open, isTangled, skipUntil }: State, at: number): string {
  const ahead = Math.max(0, skipUntil - at);
  return `${mode} ${parentheses} ${open} ${isTangled} ${ahead}`;
}

/** Merges readings with the same state, and their names. */
function united(states: readonly State[], at: number): State[] {
  const kept = new Map<string, State>();
  for (const state of states) {
    const same = kept.get(keyOf(state, at));
    if (same) for (const name of state.names) same.names.add(name);
    else kept.set(keyOf(state, at), state);
  }
  return [...kept.values()];
}

/** Whether exactly this word is at the position. */
function isWord(bytes: Uint8Array, index: number, word: Uint8Array): boolean {
  const [before, behind] = [bytes[index - 1] ?? 0x20, bytes[index + word.length] ?? 0x20];
  return (
    hasAt(bytes, index, word) &&
    (WHITE.has(before) || (ENDS_NAME.has(before) && before !== 0x2f)) &&
    ENDS_NAME.has(behind)
  );
}
