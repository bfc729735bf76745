import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isTested } from '@supplier/lib/testing/programs';
import { readStack } from './stack.ts';
import { NotYet, type Patience, waitFor } from './wait.ts';

/** A span as the stack's collector recorded it. */
export interface Span {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the root span of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly events: readonly { readonly name: string; readonly atMs: number }[];
  readonly links: readonly {
    readonly traceId: string;
    readonly spanId: string;
    readonly isSampled: boolean;
  }[];
  readonly isError: boolean;
}

/** The spans that the stack's processes export from now on. */
export interface Traces {
  /** Returns all spans so far. */
  spans(): readonly Span[];
  /** Returns the trace that created the submission, once no parent is missing and `holds` returns true. */
  ofSubmission(
    submissionId: string,
    what: string,
    holds: (trace: readonly Span[]) => boolean,
    patience?: Patience,
  ): Promise<readonly Span[]>;
}

const SPANS_WITHIN_MS = 120_000;

/**
 * Declares a suite that needs tracing, which `npm test` enables. Without tracing it is skipped and reported as such.
 */
export function describeWhereTraced(name: string, suite: () => void): void {
  const runs = isTested('traces', readStack().spans !== undefined, 'start the stack with --traced');
  const declare = runs ? describe : describe.skip;
  declare(name, suite);
}

/** Starts reading at the current end of the span file. */
export function traces(): Traces {
  const { spans: path } = readStack();
  if (path === undefined) throw new Error('the stack was started without --traced');
  let at = sizeOf(path);
  const read: Span[] = [];

  function spans(): readonly Span[] {
    const { text, end } = textFrom(path ?? '', at);
    at = end;
    const lines = text.split('\n').filter(Boolean);
    read.push(...lines.map((line) => JSON.parse(line) as Span));
    return read;
  }

  return {
    spans,
    ofSubmission: (submissionId, what, holds, patience) =>
      waitFor(
        `a trace of submission ${submissionId} with ${what}`,
        async () => {
          const all = spans();
          const made = all.find(
            (span) =>
              span.attributes['sss.submission.id'] === submissionId &&
              span.name.endsWith('/CreateSubmission'),
          );
          const trace = all.filter(({ traceId }) => traceId === made?.traceId);
          if (!isWhole(trace) || !holds(trace)) throw new NotYet(trace.map(lineOf).join('\n'));
          return trace;
        },
        { withinMs: SPANS_WITHIN_MS, ...patience },
      ),
  };
}

/** Each process exports its spans on its own schedule, so a parent can arrive after its children. */
const isWhole = (trace: readonly Span[]) =>
  trace.every(
    ({ parentSpanId }) => parentSpanId === '' || trace.some(({ spanId }) => spanId === parentSpanId),
  );

/** Returns the names of a span and its ancestors, itself first. Throws if one is missing. */
export function lineage(trace: readonly Span[], span: Span): string[] {
  const line = [lineOf(span)];
  for (let parent = span.parentSpanId; parent !== ''; ) {
    const found = trace.find(({ spanId }) => spanId === parent);
    if (!found) throw new Error(`the trace lacks the parent of ${line.join(' < ')}`);
    line.push(lineOf(found));
    parent = found.parentSpanId;
  }
  return line;
}

const lineOf = ({ service, name }: Span) => `${service}: ${name}`;

function sizeOf(path: string): number {
  const file = openSync(path, 'r');
  try {
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

function textFrom(path: string, from: number): { text: string; end: number } {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - from));
    const count = readSync(file, bytes, 0, bytes.length, from);
    // A line that is still being written may end in the middle of a character.
    const whole = bytes.subarray(0, count).lastIndexOf('\n') + 1;
    return { text: bytes.toString('utf8', 0, whole), end: from + whole };
  } finally {
    closeSync(file);
  }
}
