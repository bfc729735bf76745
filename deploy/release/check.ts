import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { sectionOf, UNRELEASED } from './changelog.ts';

/** What a checkout says of the version that would be released from it. */
export interface Facts {
  /** Of package.json. */
  readonly version: string;
  readonly chart: { readonly version: string; readonly appVersion: string };
  /** The text of CHANGELOG.md. */
  readonly changelog: string;
  /** What git would have to commit, a line for each file. */
  readonly changed: readonly string[];
}

export const CHART = 'charts/supplier-submissions';
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Reads the facts. Throws git's message where `checkout` is none of its. */
export function factsOf(checkout: string): Facts {
  const read = (path: string) => readFileSync(join(checkout, path), 'utf8');
  const status = execFileSync('git', ['status', '--porcelain'], { cwd: checkout, encoding: 'utf8' });
  const { version, appVersion } = parse(read(`${CHART}/Chart.yaml`)) as Facts['chart'];
  return {
    version: (JSON.parse(read('package.json')) as { version: string }).version,
    chart: { version, appVersion },
    changelog: read('CHANGELOG.md'),
    changed: status.split('\n').filter((line) => line !== ''),
  };
}

/** Why these facts cannot be released under the tag, each with what to do; nothing where they can. */
export function refusalsOf({ version, chart, changelog, changed }: Facts, tag: string): string[] {
  const section = sectionOf(changelog, version);
  const wrong: [boolean, string][] = [
    [
      !VERSION.test(version),
      `package.json: the version "${version}" is not MAJOR.MINOR.PATCH, with -PRERELEASE where it is one`,
    ],
    [
      tag !== `v${version}`,
      `the tag "${tag}" is not v${version}, the version of package.json: change it there, or tag v${version}`,
    ],
    ...(['version', 'appVersion'] as const).map((key): [boolean, string] => [
      chart[key] !== version,
      `${CHART}/Chart.yaml: ${key} is ${chart[key]}, not ${version}`,
    ]),
    [
      section === undefined || section.text === '',
      `CHANGELOG.md says nothing of ${version}: rename "## ${UNRELEASED}" to "## ${version} – YYYY-MM-DD"`,
    ],
    [
      section !== undefined && !DATE.test(section.date),
      `CHANGELOG.md: the heading of ${version} has no date: "## ${version} – YYYY-MM-DD"`,
    ],
    [
      section !== undefined && Boolean(sectionOf(changelog, UNRELEASED)?.text),
      `CHANGELOG.md: something stands under "## ${UNRELEASED}" still: what is released belongs to ${version}`,
    ],
    ...dirty(changed),
  ];
  return wrong.flatMap(([applies, text]) => (applies ? [text] : []));
}

/** Why what is built from these facts would not be what was committed. */
export const dirtyTree = ({ changed }: Facts): string[] =>
  dirty(changed).flatMap(([applies, text]) => (applies ? [text] : []));

const SHOWN = 5;
const dirty = (changed: readonly string[]): [boolean, string][] => [
  [
    changed.length > 0,
    `the checkout has changes that are not committed: ${changed
      .slice(0, SHOWN)
      .map((line) => line.slice(3))
      .join(', ')}${changed.length > SHOWN ? ` and ${changed.length - SHOWN} more` : ''}`,
  ],
];

/** Why the checked-out commit may not be released: what nobody reviewed is not in the history of `branch`. */
export function notIn(checkout: string, branch: string): string[] {
  const { status, stderr } = spawnSync('git', ['merge-base', '--is-ancestor', 'HEAD', branch], {
    cwd: checkout,
    encoding: 'utf8',
  });
  if (status === 0) return [];
  return [
    status === 1
      ? `this commit is not in ${branch}: merge it there, and tag what was merged`
      : `git cannot compare this commit with ${branch}: ${stderr.trim()}`,
  ];
}
