import { readConfig } from './config.ts';

const REQUIRED = {
  SSS_DEPLOYMENT: 'local',
  SSS_RPC_HTTP1_PORT: '7001',
  SSS_RPC_H2C_PORT: '7002',
  SSS_DATABASE_URL: 'postgresql://user@db/submission',
  SSS_NATS_URL: 'nats://bus:4222',
  SSS_ISSUERS_FILE: '/etc/issuers.json',
  SSS_SERVICE_TOKEN_DIR: '/etc/tokens',
  SSS_KEY_RING_FILE: '/etc/ring.json',
  SSS_EVENT_KEYS_DIR: '/nonexistent',
  SSS_DOCUMENT_URL: 'http://document:1',
  SSS_WEBHOOK_URL: 'http://webhook:1',
  SSS_PAGES_URL: 'https://pages.test',
};

describe('readConfig', () => {
  it('defaults the windows and hours to the contract, and includes the common service settings', () => {
    expect(readConfig(REQUIRED)).toMatchObject({
      duplicateWindowDays: 90,
      returnWindowDays: 30,
      arrivalLinkHours: 24,
      handoffLinkHours: 72,
      workPool: 8,
      retention: { acceptedDays: 2_190, notAcceptedDays: 365 },
      pagesUrls: { sandbox: 'https://pages.test', production: 'https://pages.test' },
      host: '127.0.0.1',
      databasePool: 10,
      logLevel: 'info',
      publishedDays: 7,
    });
  });

  it.each([
    ['SSS_DUPLICATE_WINDOW_DAYS', 'duplicateWindowDays', 1, 3_650],
    ['SSS_RETURN_WINDOW_DAYS', 'returnWindowDays', 1, 3_650],
    ['SSS_ARRIVAL_LINK_HOURS', 'arrivalLinkHours', 1, 8_760],
    ['SSS_HANDOFF_LINK_HOURS', 'handoffLinkHours', 1, 8_760],
    ['SSS_WORK_POOL', 'workPool', 2, 50],
  ] as const)('accepts %s only within its bounds', (variable, field, min, max) => {
    const withValue = (value: number | string) => () =>
      readConfig({ ...REQUIRED, [variable]: String(value) });
    for (const value of [min, max]) expect(withValue(value)()[field]).toBe(value);
    for (const value of [min - 1, max + 1, `${min}.5`, '']) expect(withValue(value)).toThrow(`${variable} `);
  });

  it('uses a separate pages URL for production when one is set', () => {
    const own = readConfig({ ...REQUIRED, SSS_PRODUCTION_PAGES_URL: 'https://live.pages.test' });
    expect(own.pagesUrls).toEqual({ sandbox: 'https://pages.test', production: 'https://live.pages.test' });
  });

  it('reads the excluded match values of each kind', () => {
    const listed = 'telephone:020 7946 0000, email: Leads@Broker.example ,company_number:sc 1234,';
    expect(readConfig({ ...REQUIRED, SSS_IGNORED_MATCH_VALUES: listed }).ignoredMatchValues).toEqual([
      { kind: 'telephone', text: '020 7946 0000' },
      { kind: 'email', text: ' Leads@Broker.example ' },
      { kind: 'company', text: 'sc 1234' },
    ]);
    expect(readConfig(REQUIRED).ignoredMatchValues).toEqual([]);
  });

  it.each([
    ['email:leads@broker.example,020 7946 0000', 'number 2 does not begin with'],
    ['telephone:0', 'number 1 is no valid telephone'],
    ['company_number:N/A', 'is no valid company_number'],
    ['e-mail:a@b', 'does not begin with'],
    [Array.from({ length: 501 }, (_, n) => `email:a${n}@b`).join(), 'more than 500'],
  ])('rejects a list that contains an invalid excluded value', (listed, message) => {
    expect(() => readConfig({ ...REQUIRED, SSS_IGNORED_MATCH_VALUES: listed })).toThrow(message);
  });
});
