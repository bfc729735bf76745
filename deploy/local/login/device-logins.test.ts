import { deviceLogins } from './device-logins.ts';

const ADA = { name: 'ada', roles: ['staff:viewer'] };

function open() {
  let at = 1_000_000;
  const logins = deviceLogins({
    issue: async ({ name, roles }, minutes) => `${name} ${roles} ${minutes}`,
    now: () => at,
  });
  const pass = (seconds: number) => {
    at += seconds * 1_000;
  };
  return { logins, pass };
}

it('gives a device its token once somebody has said who uses it, and only once', async () => {
  const { logins, pass } = open();
  const { deviceCode, userCode } = logins.begin()!;
  expect(await logins.ask(deviceCode)).toEqual({ error: 'authorization_pending' });
  expect(await logins.ask(deviceCode)).toEqual({ error: 'slow_down' });
  expect(logins.decide(userCode.toLowerCase().replace('-', ''), ADA)).toBe(true);
  pass(1);
  expect(await logins.ask(deviceCode)).toEqual({ token: 'ada staff:viewer 60' });
  expect(await logins.ask(deviceCode)).toEqual({ error: 'expired_token' });
});

it('refuses a device that was denied, an unknown one, and one that waited too long', async () => {
  const { logins, pass } = open();
  const denied = logins.begin()!;
  expect(logins.decide(denied.userCode, undefined)).toBe(true);
  expect(logins.decide(denied.userCode, ADA)).toBe(false);
  expect(await logins.ask(denied.deviceCode)).toEqual({ error: 'access_denied' });
  expect(await logins.ask('unknown')).toEqual({ error: 'expired_token' });
  const late = logins.begin()!;
  pass(601);
  expect(logins.decide(late.userCode, ADA)).toBe(false);
  expect(await logins.ask(late.deviceCode)).toEqual({ error: 'expired_token' });
});

it('lets a hundred devices wait, and no more until some are over', () => {
  const { logins, pass } = open();
  for (let count = 0; count < 100; count += 1) expect(logins.begin()).toBeDefined();
  expect(logins.begin()).toBeUndefined();
  pass(601);
  expect(logins.begin()).toBeDefined();
});
