import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identify } from '../state/lock-file.mjs';
import { prepareStateFolder, stateFolder } from '../state/state-folder.ts';
import { waitUntil } from '../wait-until.ts';
import { endLeftovers } from './end-leftovers.ts';
import type { Program } from './program.ts';
import { createSupervisor } from './supervisor.ts';

const folder = mkdtempSync(join(tmpdir(), 'supervisor-'));
const state = stateFolder(folder, folder);
const lines: string[] = [];
const terminal = {
  say: (line: string) => void lines.push(line),
  warn: (line: string) => void lines.push(line),
};
const soon = { withinMs: 10_000, everyMs: 20 };

beforeAll(() => prepareStateFolder(state, { fresh: true }));
beforeEach(() => {
  lines.length = 0;
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns a program that is ready once it has written its mark. */
function program(name: string, script: string, over: Partial<Program> = {}): Program {
  const mark = join(folder, `${name}.mark`);
  return {
    name,
    command: process.execPath,
    args: ['-e', script.replaceAll('MARK', JSON.stringify(mark))],
    env: {},
    cwd: folder,
    stopSignal: 'SIGTERM',
    stopWithinMs: 3_000,
    channel: false,
    prepare: () => rmSync(mark, { force: true }),
    isReady: async () => existsSync(mark),
    readyWithinMs: 5_000,
    ...over,
  };
}

const lasting = 'require("fs").writeFileSync(MARK, ""); setInterval(() => {}, 1000)';

describe('the supervisor', () => {
  it('reports a killed program in one line, restarts it, and publishes its new process number', async () => {
    let changes = 0;
    const supervisor = createSupervisor(state, terminal, () => {
      changes += 1;
    });
    await supervisor.start(program('steady', lasting));
    const first = supervisor.pids().steady ?? 0;
    process.kill(first, 'SIGKILL');
    await waitUntil(() => lines.find((line) => line.startsWith('steady is back')), soon);
    const second = supervisor.pids().steady ?? 0;
    expect(lines[0]).toMatch(/^steady exited \(killed by SIGKILL; .*memory.*\); restarting in 1\.0 s$/);
    expect(second).not.toBe(first);
    expect(changes).toBe(2);
    await supervisor.stop([['steady']]);
    expect(identify(second)).toBeUndefined();
    expect(supervisor.pids()).toEqual({});
  });

  it('leaves a program down while its hold file exists', async () => {
    const supervisor = createSupervisor(state, terminal, () => undefined);
    await supervisor.start(program('held', lasting));
    writeFileSync(join(state.hold, 'held'), '');
    process.kill(supervisor.pids().held ?? 0, 'SIGKILL');
    await waitUntil(() => (supervisor.pids().held === undefined ? true : undefined), soon);
    const back = () => lines.find((line) => line.startsWith('held is back'));
    expect(await waitUntil(back, { withinMs: 1_800, everyMs: 50 })).toBeUndefined();
    rmSync(join(state.hold, 'held'));
    expect(await waitUntil(back, soon)).toBeDefined();
    await supervisor.stop([['held']]);
  });

  it('fails the start of a program that ends before it is ready, with its output', async () => {
    const supervisor = createSupervisor(state, terminal, () => undefined);
    const broken = program('broken', 'throw new Error("no such table")');
    await expect(supervisor.start(broken)).rejects.toThrow(
      /^broken ended \(exit code 1\): Error: no such table/,
    );
  });

  it('fails the start of a program that is not ready in time, and leaves nothing behind', async () => {
    const supervisor = createSupervisor(state, terminal, () => undefined);
    const mute = program('mute', 'setInterval(() => {}, 1000)', { readyWithinMs: 300 });
    await expect(supervisor.start(mute)).rejects.toThrow(/^mute did not respond within 300 ms/);
    expect(supervisor.pids()).toEqual({});
  });

  it('kills a program that does not stop in time', async () => {
    const supervisor = createSupervisor(state, terminal, () => undefined);
    const stubborn = `process.on('SIGTERM', () => {}); ${lasting}`;
    await supervisor.start(program('stubborn', stubborn, { stopWithinMs: 200 }));
    const pid = supervisor.pids().stubborn ?? 0;
    await supervisor.stop([['stubborn']]);
    expect(identify(pid)).toBeUndefined();
  });

  it('starts nothing while it is stopping', async () => {
    const supervisor = createSupervisor(state, terminal, () => undefined);
    await supervisor.stop([]);
    await expect(supervisor.start(program('late', lasting))).rejects.toThrow(/stopping/);
  });
});

describe('endLeftovers', () => {
  it('ends recorded processes of an earlier stack, but no other process with the same number', async () => {
    const supervisor = createSupervisor(state, terminal, () => undefined);
    await supervisor.start(program('left', lasting));
    const pid = supervisor.pids().left ?? 0;
    const record = JSON.parse(readFileSync(state.processRecord, 'utf8'));
    const stranger = { pid: process.pid, startedAt: 'another time' };
    // The supervisor that lost track of it must not restart it.
    writeFileSync(join(state.hold, 'left'), '');
    writeFileSync(state.processRecord, JSON.stringify({ left: record.left, stranger }));
    expect(await endLeftovers(state.processRecord)).toEqual(['left']);
    expect(identify(pid)).toBeUndefined();
    await supervisor.stop([['left']]);
  });
});
