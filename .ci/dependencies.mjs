// What the packages of the lock file are, and what is known against them: a bill of materials with licences in
// .run/sbom.cdx.json, and the registry's security advisories. Exit 1 for an advisory that is high or critical, or when
// the bill of materials cannot be made; a registry without advisories is a skip.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const BILL = '.run/sbom.cdx.json';
const WITHIN_MS = 180_000;

const results = [billOfMaterials(), advisories()];
for (const { verdict, says } of results) console.log(`${verdict.padEnd(4)} ${says}`);
process.exitCode = results.some(({ verdict }) => verdict === 'FAIL') ? 1 : 0;

/** CycloneDX, by the package manager that reads the lock file: nothing else has to be installed. */
function billOfMaterials() {
  mkdirSync(join(root, '.run'), { recursive: true });
  const made = pnpm('sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--out', BILL);
  if (made.status !== 0) return { verdict: 'FAIL', says: `bill of materials: ${reasonOf(made)}` };
  const { components } = JSON.parse(readFileSync(join(root, BILL), 'utf8'));
  const counts = new Map();
  for (const licence of components.map(licenceOf)) counts.set(licence, (counts.get(licence) ?? 0) + 1);
  const licences = [...counts]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([licence, count]) => `${licence} ${count}`);
  return {
    verdict: 'ok',
    says: `bill of materials: ${components.length} packages in ${BILL}: ${licences.join(', ')}`,
  };
}

function licenceOf({ licenses = [] }) {
  const names = licenses.map(({ license, expression }) => expression ?? license.id ?? license.name);
  return names.join(' and ') || 'not stated';
}

function advisories() {
  const asked = pnpm('audit', '--json', '--audit-level', 'high');
  const report = parse(asked.stdout);
  if (!report?.metadata) {
    const unreachable = asked.stderr.includes('ERR_PNPM_AUDIT_BAD_RESPONSE');
    return { verdict: unreachable ? 'skip' : 'FAIL', says: `security advisories: ${reasonOf(asked)}` };
  }
  const counts = Object.entries(report.metadata.vulnerabilities).filter(([, count]) => count > 0);
  const found = Object.values(report.advisories).map(
    ({ module_name, vulnerable_versions, severity, title, url }) =>
      `\n     ${severity}: ${module_name} ${vulnerable_versions}: ${title} (${url})`,
  );
  const summary = counts.map(([severity, count]) => `${count} ${severity}`).join(', ') || 'none known';
  return {
    verdict: asked.status === 0 ? 'ok' : 'FAIL',
    says: `security advisories: ${summary}${found.join('')}`,
  };
}

function pnpm(...args) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return spawnSync('npx', ['-y', packageManager, '--pm-on-fail=ignore', ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, CI: 'true' },
    maxBuffer: 64 << 20,
    timeout: WITHIN_MS,
  });
}

/** The package manager frames and breaks its message. */
function reasonOf({ stderr, error, signal }) {
  if (error || signal) return String(error?.message ?? `ended by ${signal}`);
  const text = stderr.replace(/^npm warn .*$/gm, '').replace(/[│×├╰─▶]/g, ' ');
  return text.replace(/\s+/g, ' ').trim().slice(0, 500) || 'no reason given';
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
