import { globSync, readFileSync } from 'node:fs';
import {
  accountOf,
  CONFIGURING_USER,
  EVENTS_ACCOUNT,
  NATS_USERS,
  natsAccounts,
  permissionsOf,
} from './permissions.ts';
import { matchesSubject, SUBSCRIPTIONS } from './subscriptions.ts';

const root = new URL('../../../../', import.meta.url);
const sources = globSync('services/*/src/**/*.ts', { cwd: root })
  .filter((path) => !path.includes('/generated/') && !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }));

describe('NATS permissions', () => {
  it('match the published docs/nats-permissions.json', () => {
    const published = JSON.parse(readFileSync(new URL('docs/nats-permissions.json', root), 'utf8'));
    expect(published).toEqual({ accounts: natsAccounts((user) => ({ user })) });
  });

  it('cover every consumer that a process starts and every process that connects', () => {
    const started = sources.flatMap(({ path, text }) =>
      text
        .split(/\bstartConsumer\(|\bconsumes: \{/)
        .slice(1)
        .map((call) => ({ path, declared: /\.\.\.SUBSCRIPTIONS\.(\w+)/.exec(call)?.[1] })),
    );
    expect(started.map(({ declared }) => declared).sort()).toEqual(Object.keys(SUBSCRIPTIONS).sort());
    const connecting = sources
      .filter(({ text }) => /\bconnectBus\(/.test(text))
      .map(({ path }) => path.split('/')[1]);
    expect(NATS_USERS).toEqual(expect.arrayContaining(connecting));
  });

  it("let no user publish another's events or read another's responses, and only one change streams or share an account with them", () => {
    for (const user of NATS_USERS) {
      const { publish, subscribe } = permissionsOf(user);
      const events = publish.allow.filter((subject) => !subject.startsWith('$JS.'));
      expect(events).toEqual(events.filter((subject) => subject === `supplier.${user}.>`));
      expect(subscribe.allow[0]).toBe(`_INBOX_${user}.>`);
      expect(subscribe.allow.slice(1).every((subject) => subject.startsWith('supplier.'))).toBe(true);
      const calls = publish.allow.join(' ');
      expect(calls).not.toMatch(/STREAM\.(PURGE|MSG\.DELETE)|\.>\.|API\.>/);
      const { jetstream, imports, users } = natsAccounts(() => ({}))[accountOf(user)] ?? {};
      expect(users).toHaveLength(1);
      expect(jetstream).toBe(user === CONFIGURING_USER ? 'enabled' : undefined);
      const services = [
        ...JSON.stringify(imports).matchAll(/"service":\{"account":"([^"]+)","subject":"([^"]+)"/g),
      ];
      if (user !== CONFIGURING_USER)
        expect(services.map(([, account, subject]) => [account, subject])).toEqual(
          ['$JS.API.INFO', ...publish.allow].map((subject) => [EVENTS_ACCOUNT, subject]),
        );
      if (user !== CONFIGURING_USER) expect(calls).not.toMatch(/\.(CREATE|UPDATE|DELETE)\./);
    }
  });
});

it.each([
  ['supplier.submission.*.billing', 'supplier.submission.SubmissionStatusChanged.billing', true],
  ['supplier.submission.*.billing', 'supplier.submission.SubmissionStatusChanged.status', false],
  ['supplier.submission.*.billing', 'supplier.submission.billing', false],
  ['supplier.submission.Changed.*', 'supplier.submission.Changed.billing.more', false],
  ['supplier.document.DocumentFinalized', 'supplier.document.DocumentFinalized', true],
  ['supplier.document.DocumentFinalized', 'supplier.document.Document', false],
  ['supplier.account.>', 'supplier.account.AccountChanged.x', true],
  ['supplier.account.>', 'supplier.account', false],
])('matchesSubject of pattern %s and subject %s returns %s', (pattern, subject, means) => {
  expect(matchesSubject(pattern, subject)).toBe(means);
});
