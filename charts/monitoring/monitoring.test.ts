import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { imageTargets } from '../../deploy/images/targets.ts';
import { allCommands } from '../../services/staff-cli/src/declarations/all-commands.ts';
import { flagsOf } from '../../services/staff-cli/src/flags/flags-of.ts';
import { DASHBOARDS, monitoringFiles, ruleGroups } from './files.ts';
import { parseQuery } from './promql.ts';
import { shippedQueries } from './queries.ts';

const CHART_FILES = join(import.meta.dirname, '..', 'supplier-submissions', 'files', 'monitoring');
const RUNBOOKS = join(import.meta.dirname, '..', '..', 'docs', 'runbooks.md');
/** Commands of `sss` that make more than one call. */
const OWN_COMMANDS = ['login', 'queues', 'reconcile'];
/** The parts of every section, in this order. */
const PARTS = ['**Meaning:**', '**Diagnose:**', '**Fix:**', '**Page:**'];

const sourcesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(({ name }) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !/node_modules|generated/.test(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');

const alerts = ruleGroups().flatMap(({ rules }) => rules.filter((rule) => 'alert' in rule));
const alertNames = [...new Set(alerts.map(({ alert }) => alert))].sort();

describe('monitoring files', () => {
  it('equal the output of charts/monitoring; UPDATE_MONITORING=1 writes them', () => {
    const made = monitoringFiles();
    if (process.env.UPDATE_MONITORING === '1') {
      for (const [name, text] of Object.entries(made)) {
        mkdirSync(dirname(join(CHART_FILES, name)), { recursive: true });
        writeFileSync(join(CHART_FILES, name), text);
      }
    }
    const found = readdirSync(CHART_FILES, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(CHART_FILES.length + 1));
    expect(found.sort()).toEqual(Object.keys(made).sort());
    for (const [name, text] of Object.entries(made))
      expect(readFileSync(join(CHART_FILES, name), 'utf8')).toBe(text);
  });

  it.each(shippedQueries())('$where is valid PromQL and selects only one release', ({ expr }) => {
    const { selected } = parseQuery(expr);
    expect(selected.length).toBeGreaterThan(0);
    for (const { metric, matchers } of selected) {
      expect(metric).not.toBe('');
      expect(matchers.map(({ label }) => label)).toEqual(expect.arrayContaining(['namespace', 'job']));
    }
  });

  it('parseQuery rejects invalid PromQL', () => {
    expect(() => parseQuery('sum(rate(sss_x[5m])')).toThrow('not PromQL');
    expect(() => parseQuery('sss_x{a=}')).toThrow('not PromQL');
  });
});

describe('commands in docs/runbooks.md', () => {
  const text = readFileSync(RUNBOOKS, 'utf8');

  it('exist in the images they run in', () => {
    const commands = [...text.matchAll(/exec deploy\/\$R-(\w+) -- node src\/([\w-]+)\.mjs/g)];
    expect(commands.length).toBeGreaterThan(3);
    const image = (name?: string) => imageTargets.find((target) => target.name === name);
    for (const [, name, command] of commands)
      expect(image(name)?.entries.map((entry) => entry.name)).toContain(command);
  });

  it('are existing staff commands with flags that they accept', () => {
    const uses = [...text.matchAll(/`sss ([^`\n]+)`/g)].map(([, use = '']) => use);
    const calls = uses.map((use) => use.split(/\s+/)).filter(([first = '']) => !OWN_COMMANDS.includes(first));
    expect(calls.length).toBeGreaterThan(10);
    for (const words of calls) {
      const name = words.slice(0, 2).join(' ');
      const command = allCommands.find((one) => one.name === name);
      if (!command) throw new Error(`there is no command sss ${name}`);
      const flags = flagsOf(command).map(({ name }) => `--${name}`);
      const used = words.filter((word) => word.startsWith('--'));
      expect([...flags, '--json']).toEqual(expect.arrayContaining(used));
    }
  });

  it('search for messages that processes log', () => {
    const prose = text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '');
    const said = [...prose.matchAll(/"([a-zA-Z][^"\n]*)"/g)].map(([, message = '']) => message);
    const titles = DASHBOARDS.flatMap(({ rows }) =>
      rows.flatMap(({ panels }) => panels.map(({ title }) => title)),
    );
    const messages = said.filter((one) => !titles.some((title) => title.startsWith(one)));
    expect(messages.length).toBeGreaterThan(10);
    const sources = sourcesOf(join(import.meta.dirname, '..', '..', 'services'));
    expect(messages.filter((message) => !sources.includes(message))).toEqual([]);
  });
});

describe('alert', () => {
  it.each(alerts)('states the fault in a sentence and has a severity: $alert', ({ labels, annotations }) => {
    expect(labels.severity).toMatch(/warning|critical/);
    expect(labels.namespace ?? 'of the recorded series').toBeTruthy();
    expect(annotations.summary).toMatch(/^([A-Z]|\{\{ \$labels).+\.$/);
    expect(annotations.summary.length).toBeLessThan(140);
    expect(annotations.description).toMatch(/.+\.$/);
  });

  it('has a section of four parts in docs/runbooks.md, and each section has an alert', () => {
    const [, ...sections] = readFileSync(RUNBOOKS, 'utf8').split(/^## /m);
    const titles = sections.map((section) => section.split('\n')[0]);
    expect([...titles].sort()).toEqual(alertNames);
    for (const section of sections) {
      const places = PARTS.map((part) => section.indexOf(part));
      expect([section.split('\n')[0], ...places]).not.toContain(-1);
      expect(places).toEqual([...places].sort((a, b) => a - b));
    }
  });

  it('fires in a promtool test', () => {
    const tests = readFileSync(join(import.meta.dirname, 'rules.promtool.yaml'), 'utf8');
    const expected = [...tests.matchAll(/alertname="(\w+)"[^\n]* value: \d/g)].map(([, name]) => name);
    const byQuery = [...tests.matchAll(/expr: [^\n]*alertname="(\w+)"[^\n]*/g)].map(([, name]) => name);
    expect(alertNames.filter((name) => ![...expected, ...byQuery].includes(name))).toEqual([]);
  });

  it('links to its section', () => {
    for (const { alert, annotations } of alerts)
      expect(annotations.runbook_url).toBe(`RUNBOOK_BASE_URL#${alert.toLowerCase()}`);
  });
});
