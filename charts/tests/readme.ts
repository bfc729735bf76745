import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';

const CHART = join(import.meta.dirname, '..', 'supplier-submissions');
const DESCRIPTION = /^ ?-- /;

interface Setting {
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly type?: string;
}

/** Returns the chart's README: an introduction, then the values of values.yaml and settings of values.schema.json. */
export function readme(): string {
  return [
    introduction(),
    '## Values\n',
    ...valueTables(),
    '## Settings of the processes\n',
    settingsTable(),
  ].join('\n');
}

function introduction(): string {
  return `# supplier-submissions

Made from \`values.yaml\` and \`values.schema.json\` by \`charts/tests/readme.ts\`; \`UPDATE_README=1\` writes it again.

The chart installs the gateways, the services and their migrations, and the staff's console where it is asked for, on Kubernetes
1.30 or later, with Helm 3 or 4. It brings no PostgreSQL, NATS, S3 or clamd: an install without them ends with the list of what
is missing. [How to install it](../../docs/install.md), on kind and for production, is a page of its own;
\`values-production.yaml\` is an example, and \`values-kind.yaml\` a **throw-away** installation for trying it out.

Every level is closed: a value that is not in these tables is refused. Some values have a list of their own kind (\`peers\`:
[NetworkPolicyPeers](https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/network-policy-v1/).
`;
}

/** Returns a table per section, and one for values without a section. */
function valueTables(): string[] {
  const document = parseDocument(readFileSync(join(CHART, 'values.yaml'), 'utf8'));
  const root = document.contents;
  if (!isMap(root)) throw new Error('values.yaml is no map');
  settleComments(root);
  const sections = root.items.map((pair) => ({ name: nameOf(pair), rows: rowsOf(pair, [], document) }));
  const single = sections.filter(({ rows }) => rows.length === 1).flatMap(({ rows }) => rows);
  const rest = sections.filter(({ rows }) => rows.length > 1);
  return [table('General', single), ...rest.map(({ name, rows }) => table(`\`${name}\``, rows))];
}

interface Row {
  readonly path: string;
  readonly value: string;
  readonly description: string;
}

const table = (title: string, rows: readonly Row[]) =>
  [
    `### ${title}\n`,
    '| Value | Default | Meaning |',
    '| --- | --- | --- |',
    ...rows.map(
      ({ path, value, description }) => `| \`${path}\` | ${value && `\`${value}\``} | ${description} |`,
    ),
    '',
  ].join('\n');

function rowsOf(pair: Pair, above: readonly string[], document: ReturnType<typeof parseDocument>): Row[] {
  const path = [...above, nameOf(pair)];
  const value = isMap(pair.value) ? pair.value : undefined;
  const description = descriptionOf(pair);
  // A value described as a whole is one row.
  if (value && value.items.length > 0 && description === '')
    return value.items.flatMap((item) => rowsOf(item, path, document));
  const shown = isAlias(pair.value)
    ? ''
    : JSON.stringify(isNode(pair.value) ? pair.value.toJS(document) : null);
  return [{ path: path.join('.'), value: shown, description: description.replaceAll('|', '\\|') }];
}

const nameOf = (pair: Pair): string => String(isScalar(pair.key) ? pair.key.value : pair.key);

/** Returns the last comment above a key that is marked as a description. */
function descriptionOf(pair: Pair): string {
  const own = isScalar(pair.key) ? pair.key.commentBefore : undefined;
  const lines = (own ?? '').split('\n');
  const begin = lines.findLastIndex((line) => DESCRIPTION.test(line));
  return begin === -1
    ? ''
    : lines
        .slice(begin)
        .map((line) => line.replace(DESCRIPTION, '').trim())
        .join(' ');
}

/** Moves the comment above the first key of a map from the map, where the parser puts it, to the key. */
function settleComments(map: YAMLMap): void {
  visit(map, {
    Map(_, node) {
      const [first] = node.items;
      if (node.commentBefore && isPair(first) && isScalar(first.key) && !first.key.commentBefore) {
        first.key.commentBefore = node.commentBefore;
        node.commentBefore = null;
      }
    },
  });
}

function settingsTable(): string {
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as {
    definitions: Record<string, { properties?: Record<string, Setting> }>;
  };
  const rows = Object.entries(schema.definitions)
    .filter(([name]) => name.endsWith('Settings'))
    .flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).map(([key, setting]) => {
        const process = name.replace(/Settings$/, '');
        return `| \`processes.${process}.settings.${key}\` | \`${variableOf(key)}\` | ${setting.description ?? ''}${bounds(setting)} |`;
      }),
    );
  const intro = `What is left out keeps the default of the process: [docs/operating.md](../../docs/operating.md). The gateway's may also
stand in \`gateways.<environment>.settings\`, where they hold for one environment.\n`;
  return [intro, '| Value | Variable | Meaning |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

const bounds = ({ minimum, maximum }: Setting) =>
  minimum === undefined ? '' : `; ${minimum.toLocaleString('en')} to ${maximum?.toLocaleString('en')}`;

/** Returns the variable of a setting, as named by the chart. */
export const variableOf = (key: string): string =>
  `SSS_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
