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

/** Returns the chart's README: an introduction, then the values of values.yaml and settings of values.schema.json. */
export function readme(): string {
  return [introduction(), '## Values\n', ...valueTables(), '## Settings\n', settings()].join('\n');
}

function introduction(): string {
  return `# supplier-submissions

The chart installs the gateways, services, migrations and, if enabled, the staff console. It needs Kubernetes 1.30 or later and
Helm 3 or 4. You provide PostgreSQL, NATS, S3 and clamd ([install](../../docs/install.md)). \`values-production.yaml\` is an
example, and \`values-kind.yaml\` a throw-away installation.

Unknown values are refused. \`networkPolicies\` take
[NetworkPolicyPeers](https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/network-policy-v1/).

Generated from \`values.yaml\` and \`values.schema.json\` with \`UPDATE_README=1 npm test -- charts/tests/readme.test.ts\`.
`;
}

/** Returns a table per section, and one for values without a section. */
function valueTables(): string[] {
  const document = parseDocument(readFileSync(join(CHART, 'values.yaml'), 'utf8'));
  const root = document.contents;
  if (!isMap(root)) throw new Error('values.yaml is not a map');
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
    '| Value | Default | Description |',
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

/** Returns the names of the settings of each process. docs/settings.md describes them. */
function settings(): string {
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as {
    definitions: Record<string, { properties?: Record<string, unknown> }>;
  };
  const lines = Object.entries(schema.definitions)
    .filter(([name, { properties }]) => name.endsWith('Settings') && properties)
    .map(([name, { properties = {} }]) => {
      const keys = Object.keys(properties).map((key) => `\`${key}\``);
      return `- \`processes.${name.replace(/Settings$/, '')}.settings\`: ${keys.join(', ')}`;
    });
  const intro = `[Settings](../../docs/settings.md) describes them by variable: \`writesPerMinute\` is \`SSS_WRITES_PER_MINUTE\`. Gateway settings
can also be set for one environment, in \`gateways.<environment>.settings\`.\n`;
  return [intro, ...lines, ''].join('\n');
}
