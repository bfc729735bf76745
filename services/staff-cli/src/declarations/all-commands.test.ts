import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { staffContracts } from '@supplier/lib/rpc/staff-contracts';
import { CallsService } from '@supplier/proto/calls/v1/calls';
import { access } from '@supplier/proto/common/v1/options';
import { testRuntime } from '../../testing/test-runtime.ts';
import type { CommandFailure } from '../exit-codes.ts';
import { buildRequest, labelOf } from '../flags/build-request.ts';
import { flagsOf } from '../flags/flags-of.ts';
import { buildProgram } from '../program.ts';
import { allCommands, nouns } from './all-commands.ts';

const protos = fileURLToPath(new URL('../../../../proto/supplier', import.meta.url));
const everyContract = [
  ...new Set(Object.values(staffContracts).flat()),
  // Called only by processes.
  CallsService,
];
const isForStaff = (method: DescMethod) =>
  getOption(method, access).roles.some((role) => role.startsWith('staff:'));
/** Building the program takes longer than the rest of a test. */
const program = buildProgram(testRuntime().runtime);
const fullName = (method: DescMethod) => `${method.parent.typeName}.${method.name}`;

it('sss knows every service that has a contract', () => {
  const contracts = readdirSync(protos, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.proto'),
  );
  const declared = contracts.flatMap((path) => {
    const text = readFileSync(join(protos, path), 'utf8');
    const inside = /^package ([\w.]+);/m.exec(text)?.[1];
    return [...text.matchAll(/^service (\w+)/gm)].map(([, name]) => `${inside}.${name}`);
  });
  expect(everyContract.map(({ typeName }) => typeName).sort()).toEqual(declared.sort());
});

it('every RPC that staff may call has exactly one command, or is the batch form of one, and no other RPC has a command', () => {
  const forStaff = everyContract.flatMap(({ methods }) => methods.filter(isForStaff).map(fullName));
  const called = allCommands.flatMap(({ method, batch }) => (batch ? [method, batch] : [method]));
  expect(called.map(fullName).sort()).toEqual(forStaff.sort());
});

it('every command has a unique name and a described noun', () => {
  const names = allCommands.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name } of allCommands) expect(Object.keys(nouns)).toContain(name.split(' ')[0]);
  expect(Object.keys(nouns).filter((noun) => !names.some((name) => name.startsWith(`${noun} `)))).toEqual([]);
});

it('every command that ends, decides, closes or erases something permanently asks for confirmation', () => {
  const asking = allCommands.filter(({ irreversible }) => irreversible !== undefined);
  expect(asking.map(({ name }) => name).sort()).toEqual([
    'approvals approve',
    'billing close',
    'credentials revoke',
    'documents delete',
    'endpoints disable',
    'endpoints rotate-secret',
    'people erase',
    'policies activate',
    'pre-underwriting complete',
    'statements close',
    'submissions decide',
    'submissions return',
  ]);
});

it.each(allCommands.map((declaration) => [declaration.name, declaration] as const))(
  '%s has no flags that conflict with common flags',
  (_, declaration) => {
    const taken = program.options
      .map((option) => option.name())
      .concat('help', 'from-json', 'all', 'yes', 'wait', 'wait-seconds', 'service', 'file');
    const names = flagsOf(declaration).map(({ name }) => name);
    expect(names.filter((name) => taken.includes(name))).toEqual([]);
  },
);

it.each(allCommands.map((declaration) => [declaration.name, declaration] as const))(
  '%s marks required flags in its help, and names missing ones as they are typed',
  (name, declaration) => {
    const [noun, verb] = name.split(' ');
    const command = program.commands
      .find((one) => one.name() === noun)
      ?.commands.find((one) => one.name() === verb);
    const flags = flagsOf(declaration);
    const required = flags
      .filter((flag) => flag.required && !flag.positional)
      .map((flag) => `--${flag.name}`);
    const marked = command?.options.filter(({ description }) => description.endsWith('(required)')) ?? [];
    expect(marked.map(({ long }) => long).filter((long) => long !== '--service')).toEqual(required);
    const places = flags.filter((flag) => flag.required && flag.positional).map(labelOf);
    const wanted = [...places, ...required].sort();
    const missing = missingOf(() => buildRequest(declaration.method.input, flags, [], {}, new Date()));
    expect(missing.sort()).toEqual(wanted);
  },
);

/** Returns the flags that an error names as missing. */
function missingOf(make: () => unknown): string[] {
  try {
    make();
    return [];
  } catch (error) {
    const { message, details } = error as CommandFailure;
    return [message, ...details].flatMap((line) => /^(\S+) is missing/.exec(line)?.[1] ?? []);
  }
}

it.each(allCommands.map((declaration) => [declaration.name, declaration] as const))(
  '%s accepts its own example, and resolves the context before calling',
  async (name, { example }) => {
    const { runtime: alone } = testRuntime();
    // Answers questions for details that the example leaves out.
    const terminal = { ...alone.terminal, interactive: true, ask: async () => 'ada@example.test' };
    const runtime = { ...alone, terminal };
    const words = [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const argv = [...name.split(' '), ...words.filter((word) => word !== '--yes')];
    const run = buildProgram(runtime).parseAsync(argv, { from: 'user' });
    await expect(run).rejects.toThrow('no context "nowhere"');
  },
);
