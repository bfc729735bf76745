import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { sectionOf, UNRELEASED } from './changelog.ts';

/** What a checkout says about its version. */
export interface Facts {
  readonly version: string;
  readonly chart: { readonly version: string; readonly appVersion: string };
  readonly changelog: string;
  /** Lines of `git status`. */
  readonly changed: readonly string[];
}

export const CHART = 'charts/supplier-submissions';
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

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

/** Why these facts can't be released under the tag, each with what to do; empty when they can. */
export function refusalsOf(facts: Facts, tag: string): string[] {
  const { version, chart, changelog } = facts;
  const section = sectionOf(changelog, version);
  const wrong: string[] = [];
  if (!VERSION.test(version))
    wrong.push(
      `package.json: the version "${version}" must be MAJOR.MINOR.PATCH, with -PRERELEASE for a pre-release`,
    );
  if (tag !== `v${version}`)
    wrong.push(
      `the tag "${tag}" does not match the version of package.json: change the version, or use the tag v${version}`,
    );
  for (const key of ['version', 'appVersion'] as const)
    if (chart[key] !== version) wrong.push(`${CHART}/Chart.yaml: ${key} is ${chart[key]}, not ${version}`);
  if (!section?.text)
    wrong.push(
      `CHANGELOG.md has no section for ${version}: rename "## ${UNRELEASED}" to "## ${version} – YYYY-MM-DD"`,
    );
  if (section && !DATE.test(section.date))
    wrong.push(`CHANGELOG.md: the heading of ${version} has no date: "## ${version} – YYYY-MM-DD"`);
  if (section && sectionOf(changelog, UNRELEASED)?.text)
    wrong.push(`CHANGELOG.md: "## ${UNRELEASED}" is not empty: move released changes to ${version}`);
  return [...wrong, ...dirtyTree(facts)];
}

const SHOWN = 5;

/** Reports uncommitted changes. */
export function dirtyTree({ changed }: Facts): string[] {
  if (changed.length === 0) return [];
  const names = changed.slice(0, SHOWN).map((line) => line.slice(3));
  const more = changed.length > SHOWN ? ` and ${changed.length - SHOWN} more` : '';
  return [`the checkout has uncommitted changes: ${names.join(', ')}${more}`];
}

/** Reports a commit that isn't in `branch`, and so wasn't reviewed. */
export function notIn(checkout: string, branch: string): string[] {
  const { status, stderr } = spawnSync('git', ['merge-base', '--is-ancestor', 'HEAD', branch], {
    cwd: checkout,
    encoding: 'utf8',
  });
  if (status === 0) return [];
  return [
    status === 1
      ? `this commit is not in ${branch}: merge it, then tag the merged commit`
      : `git cannot compare this commit with ${branch}: ${stderr.trim()}`,
  ];
}
