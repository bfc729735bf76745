import { setTimeout as pause } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { status } from '@grpc/grpc-js';
import {
  PolicyKind,
  PolicyService,
  StorePolicyRequestSchema,
  ValidatePolicyRequestSchema,
  type ValidatePolicyResponse,
} from '@supplier/proto/submission/v1/policies';
import { request } from 'undici';
import { enquiry } from '../../harness/enquiries.ts';
import { grpcCall } from '../../harness/grpc.ts';
import { readStack } from '../../harness/stack.ts';
import { supplier } from '../../harness/suppliers.ts';
import { timed } from '../../harness/timing.ts';
import { token } from '../../harness/tokens.ts';

const kind = PolicyKind.DECISION;
const tokenOf = (role: string) => token({ roles: [role], audience: 'submission', subject: 'hostile-test' });

const list = '[0,1,2,3,4,5,6,7,8,9]';
const iterated = (depth: number) =>
  `${Array.from({ length: depth }, (_, n) => `${list}.all(x${n}, `).join('')}true${')'.repeat(depth)}`;
/** Without limits, each of these would occupy an evaluator or a parser for seconds or indefinitely. */
const CONDITIONS = [
  iterated(9),
  iterated(16),
  `${'['.repeat(1_900)}${']'.repeat(1_900)} == []`,
  `${'true?false:'.repeat(360)}true`,
  `"${'a'.repeat(60)}b".matches("^(a+)+$")`,
  `["xxxxxxxxxx"].map(a, a + a).exists(b, b.matches("(x*)*y"))`,
  Array(190).fill('(1)').join('+'),
  `r"\\" == "${'('.repeat(900)}`,
  Array(1_900).fill('a').join('.'),
  `{${Array(400).fill('1:1').join(',')}} == {}`,
];
const textOf = (when: string) => {
  const names = 'abcdefghijklmno'.split('');
  const rules = names.map((name) => ({ rule: name, when, outcome: 'rejected', reason: 'r' }));
  const last = { rule: 'rest', when: 'true', outcome: 'accepted', reason: 'r' };
  return JSON.stringify({ version: 'hostile', rules: [...rules, last] });
};
const validate = (text: string, role = 'staff:operator') =>
  grpcCall(
    'submission',
    PolicyService,
    'ValidatePolicy',
    create(ValidatePolicyRequestSchema, { kind, text }),
    tokenOf(role),
  );
const store = (text: string) =>
  grpcCall(
    'submission',
    PolicyService,
    'StorePolicy',
    create(StorePolicyRequestSchema, { kind, text, note: 'hostile' }),
    tokenOf('staff:admin'),
  );

/**
 * The longest that one text may occupy its thread. If it were parsed on the main thread, each call would wait that
 * long.
 */
const THREAD_MS = 250;

/** Returns the duration of each sequential call until the work is done, with at least `least` calls. */
async function eachTimed(
  call: () => Promise<unknown>,
  work: Promise<unknown>,
  least: number,
): Promise<number[]> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  const took: number[] = [];
  while (!isOver || took.length < least) {
    took.push((await timed(call)).ms);
    await pause(5);
  }
  return took.sort((a, b) => a - b);
}
const medianOf = (sorted: readonly number[]) => sorted[sorted.length >> 1] ?? Number.POSITIVE_INFINITY;

it('twenty concurrent hostile policies leave the service responsive to submissions', async () => {
  const api = supplier('alpha');
  const isAlive = async () => {
    const answer = await request(`${readStack().private.submission}/livez`);
    await answer.body.dump();
    expect(answer.statusCode).toBe(200);
  };
  const submits = async () => expect((await api.create(enquiry())).status).toBe(202);
  await Promise.all([isAlive(), submits(), validate('{}')]);
  const texts = CONDITIONS.map(textOf);
  const hostile = Promise.all([...texts.map((text) => validate(text)), ...texts.map(store)]);
  const [alive, created, answers] = await Promise.all([
    eachTimed(isAlive, hostile, 40),
    eachTimed(submits, hostile, 20),
    hostile,
  ]);
  for (const { code, reply } of answers.slice(0, texts.length)) {
    expect(code).toBe(status.OK);
    expect((reply as ValidatePolicyResponse).violations.length).toBeGreaterThan(0);
  }
  for (const { code } of answers.slice(texts.length)) expect(code).toBe(status.INVALID_ARGUMENT);
  // On a quiet machine both stay under 50 ms. A busy machine is slower regardless, which this test does not measure.
  expect(medianOf(alive)).toBeLessThan(THREAD_MS);
  expect(medianOf(created)).toBeLessThan(THREAD_MS);
  expect(Math.max(...alive)).toBeLessThan(3_000);
});

it('checking a text requires a role that may try policies: a viewer is refused', async () => {
  expect((await validate('{}', 'staff:viewer')).code).toBe(status.PERMISSION_DENIED);
});
