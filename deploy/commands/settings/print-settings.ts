/** Program: prints docs/settings.md from the schemas with which processes read their settings. */
import { streamVariables } from '@supplier/lib/events/event-bus';
import { descriptions, ranges } from '@supplier/lib/runtime/config';
import type { z } from 'zod';
import { variables as account } from '../../../services/account/src/config.ts';
import { variables as billing } from '../../../services/billing/src/config.ts';
import { variables as console } from '../../../services/console/src/config.ts';
import { variables as document } from '../../../services/document/src/config.ts';
import { variables as scanner } from '../../../services/document/src/scan/scanner-config.ts';
import { variables as gateway } from '../../../services/gateway/src/config.ts';
import { variables as submission } from '../../../services/submission/src/config.ts';
import { variables as webhook } from '../../../services/webhook/src/config.ts';

const PROCESSES = { gateway, account, submission, document, scanner, billing, webhook, console };
type ProcessName = keyof typeof PROCESSES;
const NAMES = Object.keys(PROCESSES) as ProcessName[];
/** Ports are listed without their range. */
const MAX_PORT = 65_535;

const HEAD = `# Settings

Environment variables by process, generated from the code (\`npm run generate\`). See [operating](operating.md#settings) for
invalid values and for settings of local stacks.
`;

const groups = new Map<string, Set<string>>();
const described = new Map(
  NAMES.map((process) => [process, Object.entries<z.ZodType>(PROCESSES[process]).map(lineOf)]),
);
for (const line of new Set([...described.values()].flat())) {
  const title = titleOf(NAMES.filter((process) => described.get(process)?.includes(line)));
  groups.set(title, (groups.get(title) ?? new Set()).add(line));
}

/** Returns the line of a variable. Throws for one without a description. */
function lineOf([name, schema]: [string, z.ZodType]): string {
  const what = descriptions.get(schema)?.what;
  if (what === undefined) throw new Error(`${name} has no description`);
  const range = rangeOf(schema);
  const isBounded = range && range.max !== MAX_PORT;
  const bounds = isBounded ? ` (${spell(range.min)} to ${spell(range.max)})` : '';
  const { success, data } = schema.safeParse(undefined);
  return `| \`${name}\` | ${what}${bounds} | ${success ? spell(data ?? null) : 'required'} |`;
}

function rangeOf(schema: z.core.$ZodType): { readonly min: number; readonly max: number } | undefined {
  const { def } = schema._zod;
  return (
    ranges.get(schema as z.ZodType) ??
    ('innerType' in def ? rangeOf(def.innerType as z.core.$ZodType) : undefined)
  );
}

function spell(value: unknown): string {
  if (value === null) return 'unset';
  if (typeof value === 'number') return value.toLocaleString('en-GB');
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(spell).join(', ');
  return `\`${value}\``;
}

function titleOf(processes: readonly ProcessName[]): string {
  if (processes.length === NAMES.length) return 'All processes';
  const others = NAMES.filter((name) => !processes.includes(name));
  return others.length <= 2 ? `All processes except ${others.join(' and ')}` : processes.join(', ');
}

const order = ['All processes', 'All processes except console', 'All processes except gateway and console'];
const rank = (title: string) =>
  order.includes(title)
    ? order.indexOf(title)
    : order.length + NAMES.findIndex((name) => title.startsWith(name));
const sections = [...groups]
  .toSorted(([one], [other]) => rank(one) - rank(other) || one.length - other.length)
  .map(([title, lines]) => sectionOf(title, [...lines]));

function sectionOf(title: string, lines: readonly string[]): string {
  return [`## ${title}`, '', '| Variable | Meaning | Default |', '| --- | --- | --- |', ...lines, ''].join(
    '\n',
  );
}
const ofStreams = sectionOf('configure-streams', Object.entries<z.ZodType>(streamVariables).map(lineOf));
process.stdout.write([HEAD, ...sections, ofStreams].join('\n'));
