import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { observeProgram } from '../setup/run-program.mjs';
import { verdictOf, verdictOfRun } from './verdict.mjs';

const SOURCE = /\.(?:ts|mjs|proto)$/;
const MADE = /(?:^|\/)(?:gen|generated|node_modules)\//;
const LONGEST = 400;

/** What operators read: every setting and every metric is in it. */
const MANUALS = ['docs/metrics.md', 'docs/operating.md', 'docs/settings.md'];
/** Every decision has a line in it. */
const DECISIONS = 'docs/decisions/README.md';
/** Words that stood for standard terms once, and that only insiders understood. */
const PRIVATE_WORDS =
  /\b(?:hearOf\w*|LeadNews|heardVersion|letGo|goAlone|upkeep|bodyPlace|secretPlace|tellFailing\w*|toldAt|in the same breath|put aside)\b/;

/** Each rule looks at one file, with what is read beside it: it answers with what is wrong, or with nothing. */
const rules = [
  {
    applies: (path) => SOURCE.test(path),
    finds: (_path, text) => {
      const lines = text.split('\n').length - 1;
      return lines > LONGEST ? `has ${lines} lines, more than ${LONGEST}` : undefined;
    },
  },
  {
    applies: (path) => !path.startsWith('proto/'),
    finds: (path) =>
      /(?:^|\/)(?:utils?|common|helpers?|misc|manager)(?:\.\w+|\/)/i.test(path)
        ? 'is in a room named for nothing'
        : undefined,
  },
  {
    applies: (path) => SOURCE.test(path) && path.startsWith('services/') && path.includes('/src/'),
    finds: (path, text) =>
      !/(?:^|[/-])config\.ts$/.test(path) && !path.endsWith('.test.ts') && /\bprocess\.env\b/.test(text)
        ? 'reads the environment outside config.ts'
        : undefined,
  },
  {
    applies: (path) => SOURCE.test(path),
    finds: (_path, text) =>
      /\b(?:describe|it|test)\.(?:only|skip|todo)\(/.test(text) ? 'switches tests off' : undefined,
  },
  {
    applies: (path) => SOURCE.test(path) && /^test\/(?:contract|e2e|faults|harness)\//.test(path),
    finds: (_path, text) =>
      /(?:from|import)\s*\(?\s*['"](?:[^'"]*\.\.\/(?:services|deploy)\/|@supplier\/(?!proto\/))/.test(text)
        ? 'does not come from outside: it imports a service, a library of theirs or the stack'
        : undefined,
  },
  {
    applies: (path) =>
      SOURCE.test(path) && path.startsWith('services/') && !/\.test\.ts$|\/testing\//.test(path),
    finds: (_path, text, { manual }) => {
      const names = text.match(/(?<=^\s*)SSS_[A-Z0-9_]+(?=:)|(?<=name: ')sss_[a-z_]+/gm) ?? [];
      const untold = names.filter((name) => !new RegExp(`\\b${name}\\b`).test(manual));
      return untold.length > 0
        ? `has what ${MANUALS.join(' and ')} do not name: ${untold.join(', ')}`
        : undefined;
    },
  },
  {
    applies: (path) =>
      /^services\/(?!lib\/)[^/]+\/src\//.test(path) &&
      !/\/src\/(?:db|store)\/|\.sql\.ts$|\.test\.ts$/.test(path) &&
      SOURCE.test(path),
    finds: (_path, text) =>
      /\b(?:db|tx)\.\w+\.(?:find|create|update|upsert|delete|count|aggregate|groupBy)\w*\(/.test(text)
        ? 'touches a model of the database outside of db/, store/ and *.sql.ts'
        : undefined,
  },
  {
    applies: (path) => SOURCE.test(path) && /^(?:services|proto\/supplier)\//.test(path),
    finds: (_path, text) => {
      const word = PRIVATE_WORDS.exec(text)?.[0];
      return word === undefined ? undefined : `says "${word}": use the words of docs/glossary.md`;
    },
  },
  {
    applies: (path) => /^docs\/decisions\/\d/.test(path),
    finds: (path, _text, { decisions }) =>
      decisions.includes(`(${path.split('/').at(-1)})`) ? undefined : `has no line in ${DECISIONS}`,
  },
  {
    applies: (path) => path.startsWith('.github/workflows/'),
    finds: (_path, text) => {
      const taken = [...text.matchAll(/^[ -]*(?:uses|image): *(\S+)/gm)].map(([, name]) => name);
      const moving = taken.filter((name) => !/^\.\/|@[0-9a-f]{40}$|@sha256:[0-9a-f]{64}$/.test(name));
      return moving.length > 0 ? `runs what may be another tomorrow: ${moving.join(', ')}` : undefined;
    },
  },
  {
    applies: (path) => path.endsWith('Dockerfile'),
    finds: (_path, text) => {
      const stages = [...text.matchAll(/^FROM .* AS (\w+)$/gm)].map(([, name]) => name);
      const from = [...text.matchAll(/^(?:FROM(?: --platform=\S+)?|ARG \w+_IMAGE=) *(\S+)/gm)].map(
        ([, name]) => name,
      );
      const moving = from.filter(
        (name) => !/^\$\{|@sha256:[0-9a-f]{64}$/.test(name) && !stages.includes(name),
      );
      return moving.length > 0 ? `starts from what may be another tomorrow: ${moving.join(', ')}` : undefined;
    },
  },
  {
    applies: (path) => path !== 'CHANGELOG.md' && !path.endsWith('house-rules.mjs'),
    finds: (_path, text) => {
      // A package that is not installed would be fetched from wherever its name leads, in whatever version.
      const fetched =
        /\bnpx['"]?,? +(?!--no |\['-y', packageManager)\S+|\b(?:pnpm|yarn) dlx\b|\bnpm (?:exec|init) /.exec(
          text,
        )?.[0];
      return fetched === undefined ? undefined : `fetches and runs a package by its name: ${fetched}`;
    },
  },
  {
    applies: (path) => path.endsWith('.md'),
    finds: (_path, text) => {
      const row = /(?:^|\n)\n(\|[^\n]*)\n(?!\|[ :|-]+\n)/.exec(text)?.[1];
      return row === undefined ? undefined : `has rows of a table without its head: ${row.slice(0, 60)}`;
    },
  },
  {
    applies: (path) => path.endsWith('.md'),
    finds: (path, text, { exists }) => {
      const links = [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, link]) => link);
      // The suppliers' pages are served: theirs lead to other pages of the listener, too.
      const isServed = (link) => path.startsWith('docs/suppliers/') && link.startsWith('/');
      const dead = links.filter((link) => !isServed(link) && !exists(join(dirname(path), link)));
      return dead.length > 0 ? `has links to what is not there: ${dead.join(', ')}` : undefined;
    },
  },
];

/** Checks the rules that no other tool knows, over every file that git tracks or would track. */
export async function houseRules(machine) {
  const listed = await observeProgram('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: machine.root,
    env: machine.env,
  });
  if (listed.code !== 0) return verdictOfRun(listed);
  const paths = listed.output.split('\n').filter((path) => path && !MADE.test(path));
  const beside = {
    manual: MANUALS.map((path) => readText(join(machine.root, path)) ?? '').join('\n'),
    decisions: readText(join(machine.root, DECISIONS)) ?? '',
    exists: (path) => existsSync(join(machine.root, path)),
  };
  const findings = paths.flatMap((path) => findingsIn(machine.root, path, beside));
  return verdictOf(findings);
}

function findingsIn(root, path, beside) {
  const applying = rules.filter((rule) => rule.applies(path));
  const text = applying.length > 0 ? readText(join(root, path)) : undefined;
  if (text === undefined) return [];
  return applying
    .map((rule) => rule.finds(path, text, beside))
    .filter(Boolean)
    .map((finding) => `${path} ${finding}`);
}

/** A file that is tracked but deleted in the working tree has nothing to check. */
function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
