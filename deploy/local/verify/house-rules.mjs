import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { observeProgram } from '../setup/run-program.mjs';

const SOURCE = /\.(?:ts|mjs|proto)$/;
const MADE = /(?:^|\/)(?:gen|generated|node_modules)\//;
const LONGEST = 400;

/** Each rule looks at one file: it answers with what is wrong, or with nothing. */
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
      !/(?:^|\/)config\.ts$/.test(path) && !path.endsWith('.test.ts') && /\bprocess\.env\b/.test(text)
        ? 'reads the environment outside config.ts'
        : undefined,
  },
  {
    applies: (path) => SOURCE.test(path),
    finds: (_path, text) =>
      /\b(?:describe|it|test)\.(?:only|skip|todo)\(/.test(text) ? 'switches tests off' : undefined,
  },
  {
    applies: (path) => SOURCE.test(path) && path.startsWith('test/'),
    finds: (_path, text) =>
      /(?:from|import)\s*\(?\s*['"](?:[^'"]*\.\.\/(?:services|deploy)\/|@supplier\/(?!proto\/))/.test(text)
        ? 'does not come from outside: it imports a service, a library of theirs or the stack'
        : undefined,
  },
];

/** Checks the rules that no other tool knows, over every file that git tracks or would track. */
export async function houseRules(machine) {
  const listed = await observeProgram('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: machine.root,
    env: machine.env,
  });
  if (listed.code !== 0) return { verdict: 'failed', output: listed.output || listed.reason };
  const paths = listed.output.split('\n').filter((path) => path && !MADE.test(path));
  const findings = paths.flatMap((path) => findingsIn(machine.root, path));
  return { verdict: findings.length === 0 ? 'passed' : 'failed', output: findings.join('\n') };
}

function findingsIn(root, path) {
  const applying = rules.filter((rule) => rule.applies(path));
  const text = applying.length > 0 ? readText(join(root, path)) : undefined;
  if (text === undefined) return [];
  return applying
    .map((rule) => rule.finds(path, text))
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
