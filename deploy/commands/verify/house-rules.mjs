import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { observeProgram } from '../setup/run-program.mjs';
import { verdictOf, verdictOfRun } from './verdict.mjs';

const SOURCE = /\.(?:ts|mjs|proto)$/;
const MADE = /(?:^|\/)(?:gen|generated|node_modules)\//;

/** The operators' documents: every setting and every metric is in them. */
const MANUALS = ['docs/metrics.md', 'docs/operating.md', 'docs/settings.md'];
const DECISIONS = 'docs/decisions/README.md';
/** Words that only insiders understood. */
const PRIVATE_WORDS =
  /\b(?:hearOf\w*|LeadNews|heardVersion|letGo|goAlone|upkeep|bodyPlace|secretPlace|tellFailing\w*|toldAt|in the same breath|put aside)\b/;

const isSource = (path) => SOURCE.test(path);
const isIn = (folders) => (path) => isSource(path) && folders.test(path);
/** Sources of the services that have stories, without tests. */
const ofStories = (path) =>
  /^services\/(?:account|billing|document|submission|webhook)\/src\/.*(?<!\.test)\.ts$/.test(path);
const isMarkdown = (path) => path.endsWith('.md');
/** All matches of the first group. */
const all = (text, pattern) => [...text.matchAll(pattern)].map(([, found]) => found);

/** What the text of files must not contain. */
const FORBIDDEN = [
  {
    applies: (path) => ofStories(path) && !path.endsWith('.sql.ts'),
    pattern: /\.query[<(]/,
    message: 'has SQL, although it is not named *.sql.ts',
  },
  {
    applies: (path) => ofStories(path) && path.endsWith('.sql.ts'),
    pattern: /^(?!\/\/ SQL, because ).*/,
    message: 'does not begin with its reason, "// SQL, because …"',
  },
  {
    applies: (path) => /^services\/.*\.sql(?:\.ts)?$/.test(path),
    pattern: /^(?! *(?:--|\/?\*|\/\/)).*"[a-z_][a-z0-9_]*"/m,
    message: 'quotes an identifier that needs no quotes',
  },
  {
    applies: isSource,
    pattern: /\$(?:query|execute)Raw/,
    message: 'sends SQL through Prisma, not by `query` of a pool or transaction',
  },
  {
    applies: (path) =>
      /^services\/.*(?<!\.test)\.ts$/.test(path) &&
      !/\/testing\/|^services\/lib\/data\/postgres\/(?:in|ended|prisma)-transactions?\.ts$/.test(path),
    pattern: /['"`]\s*(?:BEGIN|COMMIT|ROLLBACK|START TRANSACTION)\b(?! TO )|\.\$transaction\(/i,
    message: 'opens a transaction, although inTransaction does',
  },
  {
    applies: isIn(/^test\/(?:contract|e2e|faults|harness)\//),
    pattern:
      /(?:from|import)\s*\(?\s*['"](?:[^'"]*\.\.\/(?:services|deploy)\/|@supplier\/(?!proto\/|lib\/testing\/programs'))/,
    message: 'is a black-box test, but imports a service, the library or the stack',
  },
  {
    applies: isIn(/^(?:services|proto\/supplier)\//),
    pattern: PRIVATE_WORDS,
    message: 'uses a word that docs/glossary.md replaces',
  },
  {
    applies: (path) => path !== 'CHANGELOG.md' && !path.endsWith('house-rules.mjs'),
    // A package that isn't installed would be downloaded, in an unpinned version. Without `--`, npx takes its name for the
    // value of `--no`, and its flags for npm's.
    pattern:
      /\bnpx['"]?,? +(?!--no -- |\['-y', packageManager)\S+|\b(?:pnpm|yarn) dlx\b|\bnpm (?:exec|init) /,
    message: 'downloads and runs a package: write `npx --no -- NAME`',
  },
  {
    applies: isMarkdown,
    pattern: /(?:^|\n)\n(\|[^\n]*)\n(?!\|[ :|-]+\n)/,
    message: 'has a table without a header',
  },
].map(({ applies, pattern, message }) => ({
  applies,
  finds: (_path, text) => {
    const found = pattern.exec(text)?.[0];
    return found === undefined ? undefined : `${message}: ${found.trim().slice(0, 60)}`;
  },
}));

/** Each rule checks one file: `finds` returns what is wrong, or nothing. */
const rules = [
  ...FORBIDDEN,
  {
    applies: (path) => /(?:^|\/)(?:utils?|common|helpers?|misc|manager)(?:\.\w+|\/)/i.test(path),
    finds: (path) => (path.startsWith('proto/') ? undefined : 'has a meaningless name'),
  },
  {
    applies: (path) => /^services\/.*(?<!\/index)\.ts$/.test(path),
    finds: (path, _text, { namesakes }) => {
      const other = namesakes(path).find((one) => one !== path);
      return other === undefined ? undefined : `has the name of ${other}`;
    },
  },
  {
    applies: (path) => isIn(/^services\//)(path) && !/\.test\.ts$|\/testing\//.test(path),
    finds: (_path, text, { manual }) => {
      const names = text.match(/(?<=^\s*)SSS_[A-Z0-9_]+(?=:)|(?<=name: ')sss_[a-z_]+/gm) ?? [];
      const missing = names.filter((name) => !new RegExp(`\\b${name}\\b`).test(manual));
      return missing.length > 0
        ? `has names that ${MANUALS.join(' and ')} do not mention: ${missing.join(', ')}`
        : undefined;
    },
  },
  {
    applies: (path) => /^docs\/decisions\/\d/.test(path),
    finds: (path, _text, { decisions }) =>
      decisions.includes(`(${path.split('/').at(-1)})`) ? undefined : `is not listed in ${DECISIONS}`,
  },
  {
    applies: (path) => path.startsWith('.github/workflows/'),
    finds: (_path, text) => {
      const moving = all(text, /^[ -]*(?:uses|image): *(\S+)/gm).filter(
        (name) => !/^\.\/|@[0-9a-f]{40}$|@sha256:[0-9a-f]{64}$/.test(name),
      );
      return moving.length > 0 ? `uses unpinned actions: ${moving.join(', ')}` : undefined;
    },
  },
  {
    applies: (path) => path.endsWith('Dockerfile'),
    finds: (_path, text) => {
      const stages = all(text, /^FROM .* AS (\w+)$/gm);
      const moving = all(text, /^(?:FROM(?: --platform=\S+)?|ARG \w+_IMAGE=) *(\S+)/gm).filter(
        (name) => !/^\$\{|@sha256:[0-9a-f]{64}$/.test(name) && !stages.includes(name),
      );
      return moving.length > 0 ? `uses unpinned base images: ${moving.join(', ')}` : undefined;
    },
  },
  {
    // Records of the past may name files that no longer exist.
    applies: (path) => isMarkdown(path) && !/CHANGELOG|measurements/.test(path),
    finds: (_path, text, { exists }) => {
      const gone = all(text, /`((?:charts|deploy|docs|proto|services|test)\/[\w./-]+\.\w+)`/g).filter(
        (path) => !exists(path),
      );
      return gone.length > 0 ? `mentions files that do not exist: ${gone.join(', ')}` : undefined;
    },
  },
];

/** Number of recent commits whose subjects are checked. */
const CHECKED_COMMITS = 20;
const SUBJECT = /^(?=.{1,72}$)[\w ,.-]+: \S/;

async function subjectFindings({ root, env }) {
  const log = await observeProgram('git', ['log', `-${CHECKED_COMMITS}`, '--no-merges', '--format=%s'], {
    cwd: root,
    env,
  });
  return log.output
    .split('\n')
    .filter((subject) => subject && !SUBJECT.test(subject))
    .map((subject) => `commit "${subject}" is not "area: what changes" in 72 characters`);
}

/** Checks the rules that no other tool knows, over every file that git tracks or would track. */
export async function houseRules(machine) {
  const listed = await observeProgram('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: machine.root,
    env: machine.env,
  });
  if (listed.code !== 0) return verdictOfRun(listed);
  const paths = listed.output.split('\n').filter((path) => path && !MADE.test(path));
  const byName = new Map();
  for (const path of paths)
    byName.set(nameInService(path), [...(byName.get(nameInService(path)) ?? []), path]);
  const beside = {
    manual: MANUALS.map((path) => readText(join(machine.root, path)) ?? '').join('\n'),
    decisions: readText(join(machine.root, DECISIONS)) ?? '',
    namesakes: (path) => byName.get(nameInService(path)),
    exists: (path) => existsSync(join(machine.root, path)),
  };
  const findings = paths.flatMap((path) => findingsIn(machine.root, path, beside));
  return verdictOf([...findings, ...(await subjectFindings(machine))]);
}

const nameInService = (path) => `${path.split('/', 2).join('/')} ${basename(path)}`;

function findingsIn(root, path, beside) {
  const applying = rules.filter((rule) => rule.applies(path));
  const text = applying.length > 0 ? readText(join(root, path)) : undefined;
  if (text === undefined) return [];
  return applying
    .map((rule) => rule.finds(path, text, beside))
    .filter(Boolean)
    .map((finding) => `${path} ${finding}`);
}

/** Undefined for a file that is deleted but still tracked. */
function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
