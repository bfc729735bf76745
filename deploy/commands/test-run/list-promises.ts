// Prints the name of every test as a specification, without running one; see `npm test -- --help`.
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Expression, parseSync, type Span } from '@swc/core';
import { projects } from './projects.mjs';

/** A test or a `describe` block. A title that can't be read from the source is undefined. */
export interface Entry {
  readonly title: string | undefined;
  readonly line: number;
  readonly entries?: readonly Entry[];
}

type Block = 'it' | 'describe';

/** Test files, and suites that several of them run. */
const TEST_FILES = '**/{*.test,*-suite}.ts';
const ROOTS = new Set(['it', 'describe']);
const VARIANTS = new Set(['concurrent', 'failing', 'only', 'skip', 'todo']);

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    options: { json: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const files = listPromises(process.cwd(), Object.values(projects).flat(), positionals);
  console.log(values.json ? JSON.stringify(files, null, 2) : describePromises(files));
}

/** Returns the entries of every test file in these folders, or only of paths that contain one of the patterns. */
export function listPromises(root: string, folders: readonly string[], patterns: readonly string[] = []) {
  return folders
    .flatMap((folder) =>
      globSync(`${folder}/${TEST_FILES}`, { cwd: root, exclude: ['**/node_modules', '**/.run'] }),
    )
    .filter((path) => patterns.length === 0 || patterns.some((pattern) => path.includes(pattern)))
    .sort()
    .map((path) => ({ path, entries: readEntries(readFileSync(join(root, path))) }));
}

/** Describes files by folder: one line for each file, block and test, indented by depth. */
export function describePromises(files: ReturnType<typeof listPromises>): string {
  const folders = Map.groupBy(files, ({ path }) => dirname(path));
  return [...folders]
    .map(([folder, inFolder]) =>
      [folder, ...inFolder.flatMap(({ path, entries }) => describeFile(path, entries))].join('\n'),
    )
    .join('\n\n');
}

function describeFile(path: string, entries: readonly Entry[]): string[] {
  const lines = (list: readonly Entry[], depth: number): string[] =>
    list.flatMap(({ title, line, entries: inner = [] }) => [
      `${'  '.repeat(depth)}${title ?? `(computed title, ${path}:${line})`}`,
      ...lines(inner, depth + 1),
    ]);
  return [`  ${basename(path)}`, ...lines(entries, 2)];
}

/** Reads the tests of a file. Tests in a loop or a function are listed once, where they are declared. */
function readEntries(source: Buffer): Entry[] {
  const { body } = parseSync(source.toString(), { syntax: 'typescript', target: 'esnext' });
  const values = readValues(body);
  return entriesIn(body);

  function entriesIn(node: object): Entry[] {
    const entry = entryOf(node as Expression);
    return entry ? [entry] : childrenOf(node).flatMap(entriesIn);
  }

  function entryOf(node: Expression): Entry | undefined {
    if (node.type !== 'CallExpression' || node.callee.type === 'Super' || node.callee.type === 'Import')
      return undefined;
    const [title, ...rest] = node.arguments.map(({ expression }) => expression);
    const block = blockOf(node.callee) ?? (rest.some(isFunction) ? wrappedBlockOf(node.callee) : undefined);
    if (!block || !title) return undefined;
    const entry = { title: titleOf(title), line: lineOf(node.span) };
    return block === 'it' ? entry : { ...entry, entries: rest.flatMap(entriesIn) };
  }

  /** Returns what a call of this function declares: `it`, `it.skip`, `it.each(…)`, or a name for one of them. */
  function blockOf(callee: Expression): Block | undefined {
    switch (callee.type) {
      case 'Identifier': {
        if (callee.value === 'it' || callee.value === 'describe') return callee.value;
        return (values.get(callee.value) ?? []).map(blockOf).find(Boolean);
      }
      case 'MemberExpression':
        return callee.property.type === 'Identifier' && VARIANTS.has(callee.property.value)
          ? blockOf(callee.object)
          : undefined;
      case 'CallExpression':
        return callee.callee.type === 'MemberExpression'
          ? blockOfEach(callee.callee)
          : wrappedBlockOf(callee);
      case 'TaggedTemplateExpression':
        return blockOfEach(callee.tag);
      case 'ConditionalExpression':
        return blockOf(callee.consequent) ?? blockOf(callee.alternate);
      case 'ParenthesisExpression':
        return blockOf(callee.expression);
      default:
        return undefined;
    }
  }

  function blockOfEach(tag: Expression): Block | undefined {
    if (tag.type !== 'MemberExpression') return undefined;
    return tag.property.type === 'Identifier' && tag.property.value === 'each'
      ? blockOf(tag.object)
      : undefined;
  }

  /** Returns what an imported function such as `describeWithHelm` or `itWith(program)` declares, by its name. */
  function wrappedBlockOf(callee: Expression): Block | undefined {
    if (callee.type === 'CallExpression') return wrappedBlockOf(callee.callee as Expression);
    if (callee.type !== 'Identifier') return undefined;
    return callee.value.match(/^(describe|it)(?=[A-Z])/)?.[0] as Block | undefined;
  }

  /** Returns a title with the values of constants; other expressions of a template stay as they are written. */
  function titleOf(title: Expression): string | undefined {
    switch (title.type) {
      case 'StringLiteral':
        return title.value;
      case 'TemplateLiteral':
        return title.quasis
          .map(({ cooked }, at) => {
            const expression = title.expressions[at] as (Expression & { span: Span }) | undefined;
            return `${cooked}${expression ? (titleOf(expression) ?? `\${${textOf(expression.span)}}`) : ''}`;
          })
          .join('');
      case 'Identifier': {
        const [value, ...others] = values.get(title.value) ?? [];
        return value && others.length === 0 ? titleOf(value) : undefined;
      }
      case 'BinaryExpression': {
        const [left, right] = [titleOf(title.left), titleOf(title.right)];
        return title.operator === '+' && left !== undefined && right !== undefined ? left + right : undefined;
      }
      default:
        return undefined;
    }
  }

  /** Spans count bytes from 1. */
  function textOf({ start, end }: Span): string {
    return source
      .subarray(start - 1, end - 1)
      .toString()
      .replace(/\s+/g, ' ');
  }

  function lineOf({ start }: Span): number {
    return source
      .subarray(0, start - 1)
      .toString()
      .split('\n').length;
  }
}

function isFunction({ type }: Expression): boolean {
  return type === 'ArrowFunctionExpression' || type === 'FunctionExpression';
}

/** Returns the values of constants and of properties, such as `declare: it`, by name. */
function readValues(node: object): Map<string, Expression[]> {
  const values = new Map<string, Expression[]>();
  const visit = (inner: object) => {
    const { type, id, init, key, value } = inner as Record<string, Expression & { value: string }>;
    if (type === ('VariableDeclarator' as never) && id?.type === 'Identifier' && init) add(id.value, init);
    if (type === ('KeyValueProperty' as never) && key?.type === 'Identifier' && value) add(key.value, value);
    childrenOf(inner).forEach(visit);
  };
  const add = (name: string, value: Expression) => {
    // A name for another name may lead back to itself.
    if (value.type !== 'Identifier' || ROOTS.has(value.value))
      values.set(name, [...(values.get(name) ?? []), value]);
  };
  visit(node);
  return values;
}

function childrenOf(node: object): object[] {
  return Object.values(node).filter((value) => typeof value === 'object' && value !== null);
}
