import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { staffContracts } from '@supplier/lib/rpc/staff-contracts';
import { CallsService } from '@supplier/proto/calls/v1/calls';
import { access } from '@supplier/proto/common/v1/options';
import { testSurroundings } from '../../testing/test-surroundings.ts';
import type { CommandFailure } from '../exit-codes.ts';
import { buildRequest, labelOf } from '../flags/build-request.ts';
import { flagsOf } from '../flags/flags-of.ts';
import { buildProgram, summaryOf } from '../program.ts';
import { allCommands, nouns } from './all-commands.ts';

const protos = fileURLToPath(new URL('../../../../proto/supplier', import.meta.url));
const everyContract = [
  ...new Set(Object.values(staffContracts).flat()),
  // For processes alone.
  CallsService,
];
const isForStaff = (method: DescMethod) =>
  getOption(method, access).roles.some((role) => role.startsWith('staff:'));
const fullName = (method: DescMethod) => `${method.parent.typeName}.${method.name}`;

it('knows every service that has a contract', () => {
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

it('has exactly one command for each RPC that staff may call, or one with a form for several, and for no other', () => {
  const forStaff = everyContract.flatMap(({ methods }) => methods.filter(isForStaff).map(fullName));
  const called = allCommands.flatMap(({ method, batch }) => (batch ? [method, batch] : [method]));
  expect(called.map(fullName).sort()).toEqual(forStaff.sort());
});

it('has a name, a noun that is explained, and words for each command', () => {
  const names = allCommands.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name } of allCommands) expect(Object.keys(nouns)).toContain(name.split(' ')[0]);
  expect(Object.keys(nouns).filter((noun) => !names.some((name) => name.startsWith(`${noun} `)))).toEqual([]);
  expect(allCommands.filter((declaration) => summaryOf(declaration) === '').map(({ name }) => name)).toEqual(
    [],
  );
});

it('asks for confirmation of whatever ends, decides, closes or erases something for good', () => {
  const asking = allCommands.filter(({ irreversible }) => irreversible !== undefined);
  expect(asking.map(({ name }) => name).sort()).toEqual([
    'approvals approve',
    'credentials revoke',
    'documents delete',
    'endpoints disable',
    'endpoints rotate-secret',
    'leads close',
    'people erase',
    'policies activate',
    'pre-underwriting complete',
    'statements close',
    'submissions decide',
    'submissions return',
  ]);
});

it.each(allCommands.map((declaration) => [declaration.name, declaration] as const))(
  '%s has flags whose names are its own',
  (_, declaration) => {
    const program = buildProgram(testSurroundings().surroundings);
    const taken = program.options
      .map((option) => option.name())
      .concat('help', 'from-json', 'all', 'yes', 'wait', 'wait-seconds', 'service', 'file');
    const names = flagsOf(declaration).map(({ name }) => name);
    expect(names.filter((name) => taken.includes(name))).toEqual([]);
  },
);

it.each(allCommands.map((declaration) => [declaration.name, declaration] as const))(
  '%s says in its help which flags are required, and names those that are missing as they are typed',
  (name, declaration) => {
    const [noun, verb] = name.split(' ');
    const command = buildProgram(testSurroundings().surroundings)
      .commands.find((one) => one.name() === noun)
      ?.commands.find((one) => one.name() === verb);
    const flags = flagsOf(declaration);
    const required = flags.filter((flag) => flag.required && !flag.given).map((flag) => `--${flag.name}`);
    const marked = command?.options.filter(({ description }) => description.endsWith('(required)')) ?? [];
    expect(marked.map(({ long }) => long).filter((long) => long !== '--service')).toEqual(required);
    const places = flags.filter((flag) => flag.required && flag.given).map(labelOf);
    const wanted = [...places, ...required].sort();
    const missing = missingOf(() => buildRequest(declaration.method.input, flags, [], {}, new Date()));
    expect(missing.sort()).toEqual(wanted);
  },
);

/** What a refusal says is missing. */
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
  '%s understands its own example, and says where it would go',
  async (name, { example }) => {
    const { surroundings: alone } = testSurroundings();
    // Somebody who answers what an example leaves to be asked.
    const terminal = { ...alone.terminal, interactive: true, ask: async () => 'ada@example.test' };
    const surroundings = { ...alone, terminal };
    const words = [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const asked = [...name.split(' '), ...words.filter((word) => word !== '--yes')];
    const run = buildProgram(surroundings).parseAsync(asked, { from: 'user' });
    await expect(run).rejects.toThrow('no context "nowhere"');
  },
);
