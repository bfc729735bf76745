import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A fake kubectl that forwards a real port, or prints what a real one would. */
export interface FakeKubectl {
  /** Returns the arguments and process id of each start, in order. */
  starts(): readonly { readonly args: readonly string[]; readonly pid: number }[];
  /** Sets its behaviour from now on: forward to this port, or write this to its standard error and exit with 1. */
  setBehaviour(behaviour: { readonly forwardTo: number } | { readonly failsWith: string } | 'nothing'): void;
  /** Restores the PATH and removes the fake. */
  remove(): void;
}

const PROGRAM = `
const { appendFileSync, readFileSync } = require('node:fs');
const { connect, createServer } = require('node:net');
const folder = __dirname;
appendFileSync(folder + '/starts', JSON.stringify({ args: process.argv.slice(2), pid: process.pid }) + '\\n');
const behaviour = JSON.parse(readFileSync(folder + '/behaviour', 'utf8'));
if (behaviour.failsWith) {
  process.stderr.write(behaviour.failsWith);
  process.exitCode = 1;
} else {
  const server = createServer((from) => {
    const to = connect(behaviour.forwardTo, '127.0.0.1');
    from.pipe(to).pipe(from);
    from.on('error', () => to.destroy());
    to.on('error', (error) => {
      process.stderr.write('E1123 an error occurred forwarding: ' + error.code + '\\n');
      from.destroy();
    });
  }).listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    if (behaviour.forwardTo) process.stdout.write('Forwarding from 127.0.0.1:' + port + ' -> 8443\\n');
  });
}
`;

/** Puts a fake kubectl first on the PATH. */
export function fakeKubectl(): FakeKubectl {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
  const program = join(folder, 'kubectl');
  const starts = join(folder, 'starts');
  writeFileSync(program, `#!${process.execPath}\n${PROGRAM}`);
  chmodSync(program, 0o755);
  const before = process.env.PATH;
  process.env.PATH = [folder, before].join(delimiter);
  return {
    starts: () =>
      existsSync(starts)
        ? readFileSync(starts, 'utf8')
            .split('\n')
            // A last line without a line end is still being written.
            .slice(0, -1)
            .map((line) => JSON.parse(line))
        : [],
    setBehaviour(behaviour) {
      rmSync(starts, { force: true });
      writeFileSync(join(folder, 'behaviour'), JSON.stringify(behaviour === 'nothing' ? {} : behaviour));
    },
    remove() {
      process.env.PATH = before;
      rmSync(folder, { recursive: true });
    },
  };
}
