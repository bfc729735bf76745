import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { describeWithHelm, type Helm, type Outcome } from './helm.ts';
import { validate } from './kubernetes-schemas.ts';
import type { KubernetesObject } from './objects.ts';
import {
  examples,
  grouped,
  nameOf,
  pointerOf,
  type WrongValue,
  withWrong,
  wrongValues,
} from './wrong-values.ts';

const VALUES = examples();
const FUZZ_MS = 300_000;
const AT_ONCE = 3;
/** Errors of Go and Helm when a template meets an unexpected value, which do not help the reader. */
const NO_SENTENCE =
  /nil pointer|can't evaluate|wrong type|error calling|incompatible types|invalid value|executing "|YAML parse error|error (?:un)?marshaling|converting YAML|panic|runtime error|%!/;
/** Lines that only start a list of failures. */
const HEADER = /: (?:validation failed|'(?:allOf|anyOf|oneOf)' failed.*)$/;
/** A small number, so that no value hides the effect of another. */
const MOST_OF_A_SECTION = 3;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wrong-values-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describeWithHelm('wrong values', 4, (helm) => {
  it(
    'are each rejected with an error that names the value, or produce valid objects',
    async () => {
      const all = wrongValues(VALUES);
      expect(all.length).toBeGreaterThan(3_000);
      // The schema reports all rejected values together, which saves many Helm processes.
      const left = await inTurns(grouped(all, Infinity), (group) => leftBySchema(helm, group));
      const rendered = left.flat();
      expect(rendered.length).toBeGreaterThan(100);
      expect(rendered.length).toBeLessThan(all.length / 3);
      const faults = await inTurns(grouped(rendered, MOST_OF_A_SECTION), (group) => faultsOf(helm, group));
      expect(faults.flat()).toEqual([]);
    },
    FUZZ_MS,
  );
});

/** Returns values that the schema accepts, and those it rejects without naming them: the next step checks these. */
async function leftBySchema(helm: Helm, group: readonly WrongValue[]): Promise<WrongValue[]> {
  const { ok, output } = await outcomeOf(helm, group);
  return ok || NO_SENTENCE.test(output) ? [...group] : group.filter((wrong) => !names(output, wrong));
}

async function faultsOf(helm: Helm, group: readonly WrongValue[]): Promise<string[]> {
  if (group.length === 0) return [];
  const { ok, output } = await outcomeOf(helm, group);
  if (ok) return invalidIn(output, group);
  const named = group.filter((wrong) => names(output, wrong));
  if (NO_SENTENCE.test(output) || named.length === 0) {
    if (group.length === 1) return [`${said(group)}: ${output.trim()}`];
    const alone = await Promise.all(group.map((wrong) => faultsOf(helm, [wrong])));
    return alone.flat().length > 0 ? alone.flat() : [`together ${said(group)}: ${output.trim()}`];
  }
  return faultsOf(
    helm,
    group.filter((wrong) => !named.includes(wrong)),
  );
}

/** Caches the result per document, so that each is validated once. */
const seen = new Map<string, Promise<string | undefined>>();

async function invalidIn(output: string, group: readonly WrongValue[]): Promise<string[]> {
  const documents = output.split(/^---\n/m).filter((document) => document.trim() !== '');
  const faults = documents.map((document) => {
    const looked = seen.get(document) ?? faultIn(document);
    seen.set(document, looked);
    return looked;
  });
  const found = (await Promise.all(faults)).filter((fault) => fault !== undefined);
  return found.map((fault) => `${said(group)}: ${fault}`);
}

async function faultIn(text: string): Promise<string | undefined> {
  try {
    const document = parseDocument(text);
    if (document.errors[0]) return String(document.errors[0]);
    const object = document.toJS() as KubernetesObject | null;
    if (object !== null) await validate(object);
    return undefined;
  } catch (error) {
    return `${/^kind: \w+/m.exec(text)?.[0]}: ${String(error)}`;
  }
}

let files = 0;
function outcomeOf(helm: Helm, group: readonly WrongValue[]): Promise<Outcome> {
  files += 1;
  const file = join(folder, `${files}.json`);
  writeFileSync(file, JSON.stringify(withWrong(VALUES, group)));
  return helm.template({ files: [file] });
}

/** Returns whether an error names the value: by its path, or by the parent path and its key. */
function names(output: string, { path }: WrongValue): boolean {
  const key = String(path.at(-1));
  const [pointer, above] = [pointerOf(path), pointerOf(path.slice(0, -1))];
  const name = nameOf(path);
  return output.split('\n').some((line) => {
    const [, at, complaint = ''] = /^ *- at '([^']*)': (.*)$/.exec(line) ?? [];
    if (at !== undefined && !HEADER.test(line))
      return (
        at === pointer || at.startsWith(`${pointer}/`) || (at === above && complaint.includes(`'${key}'`))
      );
    const [, head, sentence = ''] = /^ {2}- ([^ :]+): (.*)$/.exec(line) ?? [];
    if (head === undefined) return false;
    return (
      head === name ||
      head.startsWith(`${name}.`) ||
      (name.startsWith(`${head}.`) && sentence.includes(key)) ||
      (path.length > 1 && sentence.includes(name))
    );
  });
}

const said = (group: readonly WrongValue[]) =>
  group.map(({ path, wrong }) => `${nameOf(path)}=${JSON.stringify(wrong)}`).join(' ');

/** Returns the results of `work` for each item, with limited concurrency. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
