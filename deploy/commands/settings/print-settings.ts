/** Program: prints docs/settings.md from the schemas with which processes read their settings. */
import { type DescribedSetting, describeSettings } from '@supplier/lib/runtime/config';
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

const HEAD = `# Settings

Made from the code by \`npm run generate\`. Environment variables; what an unknown or a bad one does, and what only a local
stack may have, is in [operating](operating.md#settings). `;

const groups = new Map<string, Set<string>>();
const described = new Map(
  NAMES.map((process) => [process, describeSettings(PROCESSES[process]).map(lineOf)]),
);
for (const line of new Set([...described.values()].flat())) {
  const title = titleOf(NAMES.filter((process) => described.get(process)?.includes(line)));
  groups.set(title, (groups.get(title) ?? new Set()).add(line));
}

function lineOf({ name, what, range, ...rest }: DescribedSetting): string {
  const bounds = range ? ` (${spell(range.min)} to ${spell(range.max)})` : '';
  return `| \`${name}\` | ${what}${bounds} | ${'standard' in rest ? spell(rest.standard) : 'has to be set'} |`;
}

function spell(value: unknown): string {
  if (value === null) return 'unset';
  if (typeof value === 'number') return value.toLocaleString('en-GB');
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(spell).join(', ');
  return `\`${value}\``;
}

function titleOf(processes: readonly ProcessName[]): string {
  if (processes.length === NAMES.length) return 'Every process';
  const others = NAMES.filter((name) => !processes.includes(name));
  return others.length <= 2 ? `Every process but ${others.join(' and ')}` : processes.join(', ');
}

const order = ['Every process', 'Every process but console', 'Every process but gateway and console'];
const rank = (title: string) =>
  order.includes(title)
    ? order.indexOf(title)
    : order.length + NAMES.findIndex((name) => title.startsWith(name));
const sections = [...groups]
  .toSorted(([one], [other]) => rank(one) - rank(other) || one.length - other.length)
  .map(([title, lines]) =>
    [`## ${title}`, '', '| Variable | What it is | Default |', '| --- | --- | --- |', ...lines, ''].join(
      '\n',
    ),
  );
process.stdout.write([HEAD, ...sections].join('\n'));
