import type { Message } from '@bufbuild/protobuf';
import { AccountService, type CreateAccountRequest } from '@supplier/proto/account/v1/account';
import { Scope } from '@supplier/proto/common/v1/principal';
import { BillingModel, Environment } from '@supplier/proto/common/v1/status';
import {
  DeliveryState,
  type ListEndpointEventsRequest,
  WebhookService,
} from '@supplier/proto/webhook/v1/webhook';
import { accountCommands } from '../declarations/accounts.ts';
import type { Declaration } from '../declarations/declaration.ts';
import { webhookCommands } from '../declarations/webhooks.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { buildRequest } from './build-request.ts';
import { flagsOf } from './flags-of.ts';

const NOW = new Date('2026-11-22T08:00:00Z');
const ID = '01998c1e-7d5c-7000-8000-000000000001';
const commands = [...accountCommands, ...webhookCommands];

/** Builds the request of a command from values by path. */
function request<T extends Message>(
  name: Declaration['name'],
  inputs: Record<string, string | string[]>,
  base = {},
): T {
  const declaration = commands.find((one) => one.name === name)!;
  const flags = flagsOf(declaration);
  const given = Object.entries(inputs).map(([path, values]) => ({
    flag: flags.find((flag) => flag.path === path)!,
    values: [values].flat(),
  }));
  return buildRequest(declaration.method.input, flags, given, base, NOW) as T;
}

function refusalOf(run: () => unknown): CommandFailure {
  try {
    run();
  } catch (error) {
    if (error instanceof CommandFailure) return error;
    throw error;
  }
  throw new Error('it was expected to be refused');
}

const EVENTS = { account_id: ID, environment: 'sandbox' };

describe('a request from flags', () => {
  it('has enums, lists, numbers and fields of nested messages', () => {
    const built = request<CreateAccountRequest>('accounts create', {
      name: 'Sample',
      permitted_scopes: ['read,create-basic', 'promote'],
      'terms.billing_model': 'application-created',
      'terms.decision_mode': 'staff',
      'terms.application_minting': 'on-acceptance',
      'terms.pre_underwriting_failure': 'return',
      'terms.caps.accepted_per_day': '7',
      'limits.reads_per_minute': '600',
    });
    expect(built).toMatchObject({
      name: 'Sample',
      permittedScopes: [Scope.READ, Scope.CREATE_BASIC, Scope.PROMOTE],
      terms: { billingModel: BillingModel.APPLICATION_CREATED, caps: { acceptedPerDay: 7 } },
      limits: { readsPerMinute: 600 },
    });
    expect(built.terms?.thresholds).toBeUndefined();
  });

  it.each([
    ['2026-11-20', '2026-11-20T00:00:00Z'],
    ['2026-11-20T09:30:00+01:00', '2026-11-20T08:30:00Z'],
    ['now', '2026-11-22T08:00:00Z'],
    ['-24h', '2026-11-21T08:00:00Z'],
    ['+90d', '2027-02-20T08:00:00Z'],
  ])('reads the time %s as %s', (text, meant) => {
    const { recordedSince } = request<ListEndpointEventsRequest>('events list', {
      ...EVENTS,
      recorded_since: text,
    });
    expect(Number(recordedSince?.seconds) * 1000).toBe(Date.parse(meant));
  });

  it('changes only the given fields of an existing object, and removes those set to "none"', () => {
    const base = { terms: { caps: { accepted_per_day: 5, accepted_per_month: 50 } } };
    const inputs = {
      account_id: ID,
      state: 'active',
      'terms.caps.accepted_per_day': 'none',
      'terms.caps.accepted_per_month': '60',
    };
    const { terms } = request<CreateAccountRequest>('accounts update', inputs, base);
    expect(terms?.caps?.acceptedPerDay).toBeUndefined();
    expect(terms?.caps?.acceptedPerMonth).toBe(60);
  });

  it.each([
    ['a line end', `${ID}\n`],
    ['blanks and a tab', ` \t${ID}\u00a0`],
    ['a byte order mark and a zero-width space', `\ufeff${ID}\u200b`],
    ['quotes', `"${ID}"`],
    ['typographic quotes', `“${ID}”`],
    ['backticks', '`' + ID + '`'],
    ['the comma of a list', `'${ID}',`],
  ])('reads an id that was pasted with %s', (_, pasted) => {
    expect(
      request<ListEndpointEventsRequest>('events list', { ...EVENTS, account_id: pasted }).accountId,
    ).toBe(ID);
  });

  it('accepts several states, and constants as the contract writes them', () => {
    const { states, environment } = request<ListEndpointEventsRequest>('events list', {
      account_id: ID,
      environment: 'PRODUCTION',
      states: 'DELIVERY_STATE_EXHAUSTED,expired',
    });
    expect(states).toEqual([DeliveryState.EXHAUSTED, DeliveryState.EXPIRED]);
    expect(environment).toBe(Environment.PRODUCTION);
  });
});

describe('an invalid request', () => {
  it.each<[string, Declaration['name'], Record<string, string>, string]>([
    ['an invalid UUID', 'events list', { ...EVENTS, account_id: '5' }, 'ACCOUNT_ID must be a UUID, not "5"'],
    [
      'a UUID with a blank inside',
      'events list',
      { ...EVENTS, account_id: ID.replace('-', ' -') },
      'ACCOUNT_ID must be a UUID',
    ],
    ['two UUIDs', 'events list', { ...EVENTS, account_id: `${ID} ${ID}` }, 'ACCOUNT_ID must be a UUID'],
    [
      'an unknown value',
      'events list',
      { ...EVENTS, environment: 'sandbx' },
      '--environment must be one of sandbox, production, not "sandbx"',
    ],
    [
      'a size beyond its bound',
      'events list',
      { ...EVENTS, page_size: '201' },
      '--page-size must be from 0 to 200',
    ],
    [
      'a fractional number',
      'events list',
      { ...EVENTS, page_size: '1.5' },
      '--page-size must be a whole number, not "1.5"',
    ],
    [
      'an invalid day',
      'events list',
      { ...EVENTS, recorded_since: '2026-02-30' },
      '--recorded-since must be a day',
    ],
    [
      'a time without its zone',
      'events list',
      { ...EVENTS, recorded_since: '2026-11-20T09:30:00' },
      '--recorded-since must be a day',
    ],
    [
      'a string that is too long',
      'accounts create',
      { name: 'x'.repeat(201) },
      '--name must have 1 to 200 characters, not 201',
    ],
    ['a missing flag', 'events list', { account_id: ID }, '--environment is missing: sandbox, production'],
  ])('is rejected as a usage error: %s', (_, name, inputs, message) => {
    const { exitCode, message: stdout } = refusalOf(() => request(name, inputs));
    expect(exitCode).toBe(exitCodes.usage);
    expect(stdout).toContain(message);
  });

  it('is rejected with all its errors together', () => {
    const { message, details } = refusalOf(() => request('events list', { account_id: '5', page_size: 'x' }));
    expect([message, ...details].join('\n')).toMatch(/ACCOUNT_ID[\s\S]*--page-size/);
  });
});

it('two fields cannot share a flag name, and a declared field must exist', () => {
  const method = AccountService.method.createAccount;
  const twice: Declaration = {
    name: 'a b',
    summary: 'Do something',
    method,
    flags: { 'limits.reads_per_minute': 'name' },
    example: '',
  };
  expect(() => flagsOf(twice)).toThrow('two fields have the flag --name');
  const wrong: Declaration = {
    name: 'a b',
    summary: 'Do something',
    method: WebhookService.method.getEvent,
    positional: ['id'],
    example: '',
  };
  expect(() => flagsOf(wrong)).toThrow('no field has the path id');
});
